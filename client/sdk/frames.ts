import { utf8Bytes } from '../../shared/plan/limits.ts';
import type { ServerMessage } from '../../shared/protocol/server-message.ts';

export interface FrameBounds {
  readonly frameBytesMax: number;
  readonly messagesPerFrameMax: number;
}

/** Below this a text is taken for three bytes a character rather than counted. */
const surelySmallCharacters = 1024;

/** UTF-8 size of a text, or an upper bound of it when the text is short. */
export function bytesBound(text: string): number {
  return text.length <= surelySmallCharacters ? text.length * 3 : utf8Bytes(text);
}

/**
 * Encoded messages as frames: as few as the bounds allow, in order. A message that is over the byte bound alone makes
 * a frame alone; whether to send such a one is for the caller to know.
 */
export function packFrames(texts: readonly string[], bounds: FrameBounds): readonly string[] {
  const frames: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  const finish = (): void => {
    if (open.length > 0) frames.push(open.length === 1 ? (open[0] as string) : `[${open.join(',')}]`);
    open = [];
    bytes = 0;
  };
  for (const text of texts) {
    const more = bytesBound(text) + 1;
    // One byte for the other bracket.
    if (open.length >= bounds.messagesPerFrameMax || bytes + more + 1 > bounds.frameBytesMax) finish();
    open.push(text);
    bytes += more;
  }
  finish();
  return frames;
}

/** The messages of a frame; what is not understood is left out, as a newer server may say more. */
export function readFrame(data: unknown): readonly ServerMessage[] {
  if (typeof data !== 'string') return [];
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value : [value]).filter(isMessage);
}

function isMessage(value: unknown): value is ServerMessage {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
