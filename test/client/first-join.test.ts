import { describe, expect, it } from 'vitest';
import { failure } from '../../client/sdk/failure.ts';
import { RoomView } from '../../client/sdk/room-view.ts';
import type { ViewHost } from '../../client/sdk/view-host.ts';
import { emptyRoom } from './support/scripted-server.ts';
import { viewHost } from './support/view-host.ts';

function start(options: Partial<ViewHost> = {}) {
  const host = viewHost(options);
  const view = new RoomView('main', {}, host);
  view.sync.connected();
  const goLive = (): void => {
    for (const message of emptyRoom('main')) view.sync.receive(message as never);
  };
  return { ...host, view, goLive };
}

describe('waiting for a room', () => {
  it('ends with its time, says why, and leaves the room that nobody waits for', async () => {
    const { view, timers, sent, overCount } = start({
      connectionFailure: () => failure('unreachable', 'Cannot reach the server.'),
    });
    const joined = view.whenJoined(500);
    timers.fire();
    expect(await joined).toMatchObject({
      error: { code: 'unreachable', message: expect.stringMatching(/500 ms. Cannot reach/), facts: { timeoutMs: 500 } },
    });
    expect(sent.map(({ type }) => type)).toEqual(['join', 'leave']);
    expect(overCount()).toBe(1);
  });

  it('goes on for those who have time', async () => {
    const { view, timers, goLive, overCount } = start();
    const patient = view.whenJoined();
    const hasty = view.whenJoined(1);
    timers.fire();
    expect(await hasty).toMatchObject({ error: { code: 'unreachable' } });
    goLive();
    expect(await patient).toEqual({ ok: true, value: view });
    expect(overCount()).toBe(0);
  });

  it('ends when the room is there, and leaves no timer', async () => {
    const { view, timers, goLive } = start();
    const joined = view.whenJoined(500);
    expect(timers.delaysMs).toEqual([500]);
    goLive();
    expect(await joined).toMatchObject({ ok: true });
    expect(timers.delaysMs).toEqual([]);
    expect(await view.whenJoined(500)).toMatchObject({ ok: true });
    expect(timers.delaysMs).toEqual([]);
  });
});
