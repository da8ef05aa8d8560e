import { WebSocket } from 'ws';

/** Whatever takes longer than this at setting up or at the end of a run is a fault. */
export const patienceMs = 15_000;

/** One raw `ws` client. Frames go to `onFrame`, which each phase of a load sets anew. A close that nobody asked for throws. */
export class Connection {
  /** @param {string} url */
  constructor(url) {
    this.socket = new WebSocket(url, {
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: 64 * 1024 * 1024,
    });
    /** @type {(frame: Buffer) => void} */
    this.onFrame = () => undefined;
    this.isClosing = false;
    this.socket.on('message', (frame) => this.onFrame(/** @type {Buffer} */ (frame)));
    this.socket.on('close', (code, reason) => {
      if (!this.isClosing) throw new Error(`the server closed a connection: ${code} ${reason}`);
    });
  }

  /**
   * @param {string} url
   * @returns {Promise<Connection>}
   */
  static async open(url) {
    const connection = new Connection(url);
    await new Promise((resolve, reject) => {
      connection.socket.once('open', () => resolve(undefined));
      connection.socket.once('error', reject);
    });
    connection.socket.on('error', (error) => {
      if (!connection.isClosing) throw error;
    });
    return connection;
  }

  /** @param {string} text */
  send(text) {
    this.socket.send(text);
  }

  /**
   * Hands each frame to `accept` until it returns something, and resolves with that.
   * @template Value
   * @param {string} what for the message when it does not come
   * @param {(frame: Buffer) => Value | undefined} accept
   * @returns {Promise<Value>}
   */
  next(what, accept) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within ${patienceMs} ms`)), patienceMs);
      this.onFrame = (frame) => {
        const value = accept(frame);
        if (value === undefined) return;
        clearTimeout(timer);
        this.onFrame = () => undefined;
        resolve(value);
      };
    });
  }

  /** @returns {Promise<void>} */
  close() {
    this.isClosing = true;
    return new Promise((resolve) => {
      if (this.socket.readyState === WebSocket.CLOSED) return resolve();
      const timer = setTimeout(() => this.socket.terminate(), 2_000);
      this.socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.socket.close();
    });
  }
}

/**
 * Does the work for each index, at most `width` at a time.
 * @template Value
 * @param {number} count
 * @param {number} width
 * @param {(index: number) => Promise<Value>} work
 * @returns {Promise<Value[]>}
 */
export async function inParallel(count, width, work) {
  /** @type {Value[]} */
  const results = new Array(count);
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
  return results;
}

/** @param {number} durationMs */
export function sleep(durationMs) {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

/**
 * Waits until the condition holds; throws with `what` when it does not in time.
 * @param {() => boolean} condition
 * @param {() => string} what
 */
export async function until(condition, what) {
  const deadlineMs = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error(what());
    await sleep(5);
  }
}
