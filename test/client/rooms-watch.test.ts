import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RoomsEvent, RoomsWatch } from '../../client/sdk/rooms-watch.ts';
import type { RoomEntry } from '../../shared/protocol/server-message.ts';
import { HandTimers } from './support/hand-timers.ts';

const entry: RoomEntry = { room: 'main', epoch: 'e1', revision: 1, taskCount: 0, openCount: 0, updatedAt: '' };
const list: RoomsEvent = { type: 'rooms', rooms: [entry], warnings: [] };

function start() {
  const timers = new HandTimers();
  const sent: string[] = [];
  const watch = new RoomsWatch((message) => sent.push(message.type), timers.environment);
  return { timers, sent, watch };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a watch that the server refuses', () => {
  it('is asked for again, after a wait that grows', () => {
    const { timers, sent, watch } = start();
    const seen: RoomsEvent[] = [];
    watch.add((event) => seen.push(event));
    watch.refused();
    expect(sent).toEqual(['watch']);
    const [first = 0] = timers.delaysMs;
    timers.fire();
    expect(sent).toEqual(['watch', 'watch']);
    watch.refused();
    expect(timers.delaysMs).toEqual([2 * first]);
    timers.fire();
    watch.receive(list);
    expect(seen).toEqual([list]);
    expect(sent).toEqual(['watch', 'watch', 'watch']);
  });

  it('is asked for once when a new connection comes before the wait is over', () => {
    const { timers, sent, watch } = start();
    watch.add(() => undefined);
    watch.refused();
    watch.connected();
    timers.fire();
    expect(sent).toEqual(['watch', 'watch']);
  });

  it('is let be when nobody listens any more, when the list came, and when the client is over', () => {
    const { timers, sent, watch } = start();
    const stop = watch.add(() => undefined);
    watch.refused();
    stop();
    stop();
    expect(timers.delaysMs).toEqual([]);
    watch.add(() => undefined);
    watch.receive(list);
    watch.refused();
    expect(timers.delaysMs).toEqual([]);
    watch.connected();
    watch.refused();
    watch.end();
    expect(timers.delaysMs).toEqual([]);
    expect(sent).toEqual(['watch', 'unwatch', 'watch', 'watch']);
  });
});

describe('a listener that throws', () => {
  it('keeps no other from hearing, nor whoever tells from going on, and its error is not lost', () => {
    const { watch } = start();
    const later: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (callback: () => void) => later.push(callback));
    const seen: string[] = [];
    const fails = (): void => {
      throw new Error('the listener');
    };
    watch.add(fails);
    watch.add((event) => seen.push(event.type));
    watch.receive(list);
    expect(seen).toEqual(['rooms']);
    // One that comes later is told the list at once; its mistake is not the one of who adds it.
    watch.add(fails);
    expect(later).toHaveLength(2);
    for (const rethrow of later) expect(rethrow).toThrow('the listener');
  });
});
