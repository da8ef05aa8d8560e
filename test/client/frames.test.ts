import { describe, expect, it } from 'vitest';
import { packFrames, readFrame } from '../../client/sdk/frames.ts';
import { utf8Bytes } from '../../shared/plan/limits.ts';
import { seededRandom } from './support/random-mutation.ts';

const bounds = { frameBytesMax: 4_096, messagesPerFrameMax: 10 };
const message = (text: string): string => JSON.stringify({ type: 'ping', text });
const read = (frames: readonly string[]): unknown[] => frames.flatMap((frame) => readFrame(frame));

describe('messages of one tick', () => {
  it('go out as one frame: the message itself, or an array', () => {
    expect(packFrames([], bounds)).toEqual([]);
    expect(packFrames(['{"a":1}'], bounds)).toEqual(['{"a":1}']);
    expect(packFrames(['{"a":1}', '{"b":2}'], bounds)).toEqual(['[{"a":1},{"b":2}]']);
  });

  it('fill a frame to the last message allowed, and one more begins the next', () => {
    const texts = Array.from({ length: 11 }, (_, index) => message(String(index)));
    expect(packFrames(texts.slice(0, 10), bounds)).toHaveLength(1);
    expect(packFrames(texts, bounds).map((frame) => readFrame(frame).length)).toEqual([10, 1]);
  });

  it('keep every frame within its bytes, in order, with nothing lost', () => {
    const random = seededRandom(3);
    const texts = Array.from({ length: 400 }, (_, index) => message(`${index}${'é€😀x'.repeat(random() * 300)}`));
    const frames = packFrames(texts, bounds);
    expect(read(frames)).toEqual(texts.map((text) => JSON.parse(text)));
    for (const frame of frames) expect(utf8Bytes(frame)).toBeLessThanOrEqual(bounds.frameBytesMax);
  });

  it('stand alone when one is over the bound by itself', () => {
    const large = message('x'.repeat(5_000));
    expect(packFrames(['{"a":1}', large, '{"b":2}'], bounds)).toEqual(['{"a":1}', large, '{"b":2}']);
  });
});

describe('a frame of the server', () => {
  it('is read as one message or several, and what is no message is left out', () => {
    expect(readFrame('{"type":"pong"}')).toEqual([{ type: 'pong' }]);
    expect(readFrame('[{"type":"pong"},1,null,{"typ":1},{"type":"later"}]')).toEqual([
      { type: 'pong' },
      { type: 'later' },
    ]);
    expect(readFrame('not JSON')).toEqual([]);
    expect(readFrame(new ArrayBuffer(3))).toEqual([]);
  });
});
