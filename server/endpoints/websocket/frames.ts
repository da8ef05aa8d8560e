import type { Change } from '../../../shared/plan/change.ts';
import { fitsBytes, limits, utf8Bytes } from '../../../shared/plan/limits.ts';
import type { PlanDocument, Snapshot } from '../../../shared/plan/model.ts';
import type { JoinedRoom } from '../../room/subscriber.ts';
import type { EncodedRecord } from '../../store/store.ts';

/** A whole WebSocket frame (header and payload), ready to be written to any number of sockets. */
export type Frame = Buffer;

/** A text frame as RFC 6455 has it: final, unmasked, as servers send. */
export function textFrame(text: string): Frame {
  const bytes = Buffer.byteLength(text);
  const headerBytes = bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + bytes);
  frame[0] = 0x81;
  if (headerBytes === 2) {
    frame[1] = bytes;
  } else if (headerBytes === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(bytes, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(bytes), 2);
  }
  frame.write(text, headerBytes);
  return frame;
}

/** How much the cached frames may hold together; they serve crowds that come at the same time. */
const cachedBytesMax = 32 * 1024 * 1024;

/**
 * Frames that many subscribers get, each encoded once: what was just published, what a crowd that comes back is missing,
 * and the snapshot at a revision.
 */
export class FrameCache {
  private readonly published = new WeakMap<readonly EncodedRecord[], Frame>();
  private readonly notices = new WeakMap<readonly EncodedRecord[], Frame>();
  private readonly frames = new Map<string, Frame>();
  private bytes = 0;

  /** Changes that were published together. */
  publishedFrame(room: string, epoch: string, records: readonly EncodedRecord[]): Frame {
    const known = this.published.get(records);
    if (known) return known;
    const frame = changesFrame(room, epoch, records);
    this.published.set(records, frame);
    return frame;
  }

  /** The same for those who only want to know that there is something. */
  noticeFrame(room: string, records: readonly EncodedRecord[]): Frame {
    const known = this.notices.get(records);
    if (known) return known;
    const messages = records.map(({ change: { action, revision } }) => ({ type: 'notice', room, action, revision }));
    const frame = textFrame(JSON.stringify(messages.length === 1 ? messages[0] : messages));
    this.notices.set(records, frame);
    return frame;
  }

  /** Changes that bring a client from an earlier revision to the present. */
  catchUpFrame(room: string, epoch: string, records: readonly EncodedRecord[]): Frame {
    const first = records[0]?.change.revision;
    const last = records[records.length - 1]?.change.revision;
    return this.cached(`${epoch} ${first}-${last}`, () => changesFrame(room, epoch, records));
  }

  snapshotFrame(room: JoinedRoom): Frame {
    const { epoch, revision } = room.position;
    return this.cached(`${room.name} ${epoch} ${revision}`, () => {
      const plan = withoutLargeBody(room.snapshot());
      return textFrame(JSON.stringify({ type: 'snapshot', plan }));
    });
  }

  private cached(key: string, make: () => Frame): Frame {
    const known = this.frames.get(key);
    if (known) return known;
    const frame = make();
    this.frames.set(key, frame);
    this.bytes += frame.length;
    for (const [oldest, { length }] of this.frames) {
      if (this.bytes <= cachedBytesMax || oldest === key) break;
      this.frames.delete(oldest);
      this.bytes -= length;
    }
    return frame;
  }
}

function changesFrame(room: string, epoch: string, records: readonly EncodedRecord[]): Frame {
  const head = `{"type":"changes","room":${JSON.stringify(room)},"epoch":${JSON.stringify(epoch)},"changes":[`;
  return textFrame(`${head}${records.map(broadcastText).join(',')}]}`);
}

/** The Change as it is broadcast: its canonical JSON, but for a body that is too large to send to everyone. */
function broadcastText(record: EncodedRecord): string {
  if (fitsBytes(record.changeText, limits.broadcastBodyBytesMax)) return record.changeText;
  const content = record.change.patch.document?.content;
  if (typeof content !== 'string') return record.changeText;
  const bytes = utf8Bytes(content);
  if (bytes <= limits.broadcastBodyBytesMax) return record.changeText;
  const { content: _body, ...document } = record.change.patch.document ?? {};
  const change: Change = {
    ...record.change,
    patch: { ...record.change.patch, document: { ...document, contentBytes: bytes } },
  };
  return JSON.stringify(change);
}

function withoutLargeBody(plan: Snapshot): Snapshot {
  const bytes = utf8Bytes(plan.document.content);
  if (bytes <= limits.broadcastBodyBytesMax) return plan;
  const document: PlanDocument = { ...plan.document, content: '', contentBytes: bytes };
  return { ...plan, document };
}
