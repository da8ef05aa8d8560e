/**
 * Checks what a subscriber is told. A sampled one has every frame parsed and must see each revision once, in order, without
 * a gap. The others only keep their last frame, which must end at the right revision: parsing all would fill the load
 * generator instead of the server.
 */
export class Reader {
  /**
   * @param {import('./adapters.mjs').Adapter} adapter
   * @param {number} revision where the room stood when this subscriber joined
   * @param {boolean} isSampled
   */
  constructor(adapter, revision, isSampled) {
    this.adapter = adapter;
    this.last = revision;
    this.isSampled = isSampled;
    /** @type {Buffer | undefined} */
    this.lastFrame = undefined;
  }

  /** @param {Buffer} frame */
  take(frame) {
    if (!this.adapter.hasChanges(frame)) return;
    if (this.isSampled) this.check(frame);
    else this.lastFrame = frame;
  }

  get revision() {
    if (this.lastFrame) {
      this.last = this.adapter.revisions(this.lastFrame).at(-1) ?? this.last;
      this.lastFrame = undefined;
    }
    return this.last;
  }

  /** @param {Buffer} frame */
  check(frame) {
    for (const revision of this.adapter.revisions(frame)) {
      if (revision !== this.last + 1) throw new Error(`revision ${revision} came after ${this.last}`);
      this.last = revision;
    }
  }
}

/** Writes of one client that wait for their ack. An ack that nothing waits for throws. */
export class Unacked {
  constructor() {
    this.sequence = 0;
    this.acked = 0;
    /** @type {Map<number, number>} */
    this.sentAtMs = new Map();
  }

  /** @returns {number} the sequence number of a new write, sent now */
  next() {
    this.sequence += 1;
    this.sentAtMs.set(this.sequence, performance.now());
    return this.sequence;
  }

  /**
   * @param {number} sequence
   * @param {number} nowMs
   * @returns {number} milliseconds since it was sent
   */
  take(sequence, nowMs) {
    const sentAtMs = this.sentAtMs.get(sequence);
    if (sentAtMs === undefined) throw new Error(`write ${sequence} was acked twice, or never sent`);
    this.sentAtMs.delete(sequence);
    this.acked += 1;
    return nowMs - sentAtMs;
  }
}
