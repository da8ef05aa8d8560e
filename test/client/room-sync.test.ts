import { describe, expect, it } from 'vitest';
import { failure } from '../../client/sdk/failure.ts';
import { RoomView } from '../../client/sdk/room-view.ts';
import { emptyRoom } from './support/scripted-server.ts';
import { viewHost } from './support/view-host.ts';

describe('a join that failed', () => {
  function start() {
    const host = viewHost();
    const view = new RoomView('main', {}, host);
    view.sync.connected();
    for (const message of emptyRoom('main')) view.sync.receive(message as never);
    view.sync.connectionLost();
    view.sync.connected();
    view.sync.joinFailed(failure('store_unavailable', 'Later.'));
    host.sent.length = 0;
    return { ...host, view };
  }

  it('is tried again after a while', () => {
    const { timers, sent } = start();
    timers.fire();
    expect(sent).toMatchObject([{ type: 'join', since: { epoch: 'e1', revision: 0 } }]);
  });

  it('is tried once when a new connection comes before the wait is over', () => {
    const { timers, sent, view } = start();
    view.sync.connectionLost();
    view.sync.connected();
    timers.fire();
    expect(sent).toHaveLength(1);
  });

  it('is not tried again once the view is over', () => {
    const { timers, sent, view } = start();
    view.leave();
    timers.fire();
    expect(sent).toEqual([]);
  });
});
