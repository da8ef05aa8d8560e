import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectOptions, connect, type PlanroomClient } from '../../client/sdk/index.ts';
import { until, value } from './support/events.ts';
import { emptyRoom, groupChange, type Script, ScriptedServer } from './support/scripted-server.ts';

let server: ScriptedServer;
let client: PlanroomClient;

afterEach(async () => {
  client.close();
  await server.close();
});

/** Starts both. The script is asked first; hello and join are answered nicely when it says nothing (gives false). */
async function start(script: (...given: Parameters<Script>) => boolean, options: Partial<ConnectOptions> = {}) {
  server = await ScriptedServer.start((message, send, socket) => {
    if (script(message, send, socket)) return;
    if (message.type === 'hello') send(server.welcome());
    if (message.type === 'join') send(...emptyRoom(message.room));
  });
  client = connect({ url: server.url, actor: 'ann', backOff: { firstDelayMsMax: 1 }, ...options });
  return client;
}

const over = (of: PlanroomClient) =>
  new Promise<string>((resolve) => {
    of.on('status', ({ status, failure }) => status === 'over' && resolve(failure?.code ?? ''));
  });

describe('a gap in the revisions', () => {
  it('is never shown: the client joins again from where it stands', async () => {
    let joins = 0;
    await start((message, send) => {
      if (message.type !== 'join') return false;
      joins += 1;
      if (joins === 1) {
        send(...emptyRoom('main'));
        send({ type: 'changes', room: 'main', epoch: 'e1', changes: [groupChange(1), groupChange(2)] });
        send({ type: 'changes', room: 'main', epoch: 'e1', changes: [groupChange(4)] });
      } else {
        send({ type: 'joined', room: 'main', epoch: 'e1', revision: 4, mode: 'delta', resume: 'changes' });
        send({ type: 'changes', room: 'main', epoch: 'e1', changes: [groupChange(3), groupChange(4)] });
      }
      return true;
    });
    const view = value(await client.join('main'));
    const seen: number[] = [];
    view.on('change', ({ changes }) => seen.push(...changes.map((change) => change.revision)));
    await until(view, () => view.confirmed.revision === 4);
    expect(view.plan.groupCount).toBe(4);
    expect(seen.slice(-2)).toEqual([3, 4]);
    expect(server.receivedOf('join')[1]).toMatchObject({ since: { epoch: 'e1', revision: 2 } });
  });

  it('that comes again and again ends in a snapshot', async () => {
    await start((message, send) => {
      if (message.type !== 'join' || message.since === undefined) return false;
      send({ type: 'joined', room: 'main', epoch: 'e1', revision: 9, mode: 'delta', resume: 'changes' });
      send({ type: 'changes', room: 'main', epoch: 'e1', changes: [groupChange(9)] });
      return true;
    });
    const view = value(await client.join('main'));
    const snapshot = new Promise<void>((resolve) => {
      view.on('change', ({ cause }) => cause === 'snapshot' && resolve());
    });
    server.received.length = 0;
    // The gap comes with the next connection.
    server.cut();
    await snapshot;
    expect(server.receivedOf('join').at(-1)?.since).toBeUndefined();
  });
});

describe('a server that is too busy', () => {
  it('is asked again, under the same mutationId, until it takes the mutation', async () => {
    let refusals = 0;
    await start(
      (message, send) => {
        if (message.type !== 'mutate') return false;
        const { room, id } = message;
        refusals += 1;
        const code = refusals % 2 === 0 ? 'overloaded' : 'rate_limited';
        if (refusals < 5) send({ type: 'reject', room, id, code, message: 'later', retryable: true });
        else send({ type: 'ack', room, id, epoch: 'e1', revision: 0 });
        return true;
      },
      { environment: { random: () => 0 } },
    );
    const view = value(await client.join('main'));
    expect(value(await view.addTask('one')).revision).toBe(0);
    expect(new Set(server.receivedOf('mutate').map(({ id }) => id)).size).toBe(1);
    expect(server.receivedOf('mutate')).toHaveLength(5);
  });

  it('or whose store fails is told to the caller, who decides', async () => {
    await start((message, send) => {
      if (message.type !== 'mutate') return false;
      const { room, id } = message;
      send({ type: 'reject', room, id, code: 'store_full', message: 'The disk is full.', retryable: true });
      return true;
    });
    const view = value(await client.join('main'));
    expect(await view.addTask('one')).toMatchObject({ error: { code: 'store_full', retryable: true } });
    expect(server.receivedOf('mutate')).toHaveLength(1);
    expect(view.plan.taskCount).toBe(0);
  });

  it('never has more mutations in flight than it allows', async () => {
    let inFlight = 0;
    let most = 0;
    await start((message, send) => {
      if (message.type !== 'mutate') return false;
      inFlight += 1;
      most = Math.max(most, inFlight);
      setImmediate(() => {
        inFlight -= 1;
        send({ type: 'ack', room: message.room, id: message.id, epoch: 'e1', revision: 0 });
      });
      return true;
    });
    const view = value(await client.join('main'));
    await Promise.all(Array.from({ length: 95 }, () => view.startTask('task-1')));
    expect(most).toBe(10);
  });
});

describe('a connection', () => {
  it('that goes silent is found out by pings and made anew', async () => {
    let connections = 0;
    await start((message, send) => {
      if (message.type === 'hello') {
        connections += 1;
        const limits = { ...server.limits, heartbeatIntervalMs: connections === 1 ? 20 : 60_000 };
        send({ ...server.welcome(), limits });
        return true;
      }
      // Never a pong.
      return message.type === 'ping';
    });
    const view = value(await client.join('main'));
    await until(view, () => !view.isLive);
    await until(view, () => view.isLive);
    expect(server.receivedOf('ping').length).toBeGreaterThan(0);
    expect(connections).toBe(2);
  });

  it('that is answered with pongs stays', async () => {
    let pongs = 0;
    const enough = new Promise<void>((resolve) => {
      void start((message, send) => {
        if (message.type === 'hello') {
          send({ ...server.welcome(), limits: { ...server.limits, heartbeatIntervalMs: 10 } });
        } else if (message.type === 'ping') {
          send({ type: 'pong' });
          pongs += 1;
          if (pongs === 5) resolve();
        } else return false;
        return true;
      });
    });
    await enough;
    expect(server.receivedOf('hello')).toHaveLength(1);
    expect(client.status).toBe('open');
  });

  it.each([4400, 4403, 1009])('closed with %i is not made again, and what waits is told why', async (code) => {
    await start((message, send, socket) => {
      if (message.type !== 'hello') return false;
      send({ type: 'error', code: 'unsupported_version', message: 'Speak version 9.', retryable: false });
      socket.close(code);
      return true;
    });
    expect(await client.join('main')).toMatchObject({ ok: false, error: { code: 'unsupported_version' } });
    expect(client.status).toBe('over');
    expect(server.receivedOf('hello')).toHaveLength(1);
  });

  it.each([1001, 4408, 4409, 4429, 4500])('closed with %i is made again', async (code) => {
    let hellos = 0;
    await start((message, _send, socket) => {
      if (message.type !== 'hello') return false;
      hellos += 1;
      if (hellos < 3) socket.close(code);
      return hellos < 3;
    });
    expect((await client.join('main')).ok).toBe(true);
    expect(hellos).toBe(3);
  });

  it('over which client and server do not understand each other ends, and nothing waits for ever', async () => {
    await start((message, send) => {
      if (message.type !== 'mutate') return false;
      send({ type: 'error', code: 'bad_frame', message: 'This is not JSON.', retryable: false });
      return true;
    });
    const view = value(await client.join('main'));
    const ended = over(client);
    // Whether the mutation was in the frame that could not be read nobody can tell.
    const told = { code: 'unanswered', facts: { reason: 'bad_frame' }, message: expect.stringContaining('not JSON') };
    expect(await view.addTask('one')).toMatchObject({ ok: false, error: told });
    expect(await ended).toBe('bad_frame');
    expect(await view.addTask('two')).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
  });
});

describe('a client that gives up on its server', () => {
  it('tells what was sent, and may have taken effect, from what never was', async () => {
    let connections = 0;
    await start(
      (message, _send, socket) => {
        if (message.type === 'hello') connections += 1;
        const goesAway = message.type === 'mutate' || connections > 1;
        if (goesAway) socket.terminate();
        return goesAway;
      },
      { backOff: { firstDelayMsMax: 1, attemptsMax: 1 } },
    );
    const view = value(await client.join('main'));
    const sent = view.addTask('sent');
    await until(view, () => !view.isLive);
    const kept = view.addTask('never sent');
    expect(await sent).toMatchObject({
      error: { code: 'unanswered', retryable: false, facts: { reason: 'unreachable' } },
    });
    expect(await kept).toMatchObject({ error: { code: 'unreachable', retryable: true } });
    expect(view.plan.taskCount).toBe(0);
  });

  it('does not take a call that was under way for one without effect', async () => {
    await start((message, send) => {
      if (message.type !== 'call') return false;
      send({ type: 'error', code: 'bad_frame', message: 'This is not JSON.', retryable: false });
      return true;
    });
    expect(await client.deleteRoom('main')).toMatchObject({ error: { code: 'connection_lost' } });
  });
});

describe('a join', () => {
  it('that fails at first is answered with why', async () => {
    await start((message, send) => {
      if (message.type !== 'join') return false;
      const facts = { room: message.room };
      send({ type: 'error', code: 'store_corrupt', message: 'Room main is damaged.', facts, retryable: false });
      return true;
    });
    expect(await client.join('main')).toMatchObject({ ok: false, error: { code: 'store_corrupt' } });
    expect(await client.join('main')).toMatchObject({ ok: false, error: { code: 'store_corrupt' } });
  });

  it('that is not answered in its time is left, and can be asked for anew', async () => {
    let joins = 0;
    await start((message) => {
      if (message.type === 'join') joins += 1;
      return message.type === 'join' && joins === 1;
    });
    await client.opened();
    expect(await client.join('main', { timeoutMs: 1 })).toMatchObject({ error: { code: 'unreachable' } });
    expect(value(await client.join('main')).isLive).toBe(true);
    expect(server.receivedOf('leave')).toHaveLength(1);
  });

  it('that fails after a reconnect is tried again', async () => {
    let joins = 0;
    await start((message, send, socket) => {
      if (message.type !== 'join') return false;
      joins += 1;
      if (joins === 1) {
        send(...emptyRoom('main'));
        setImmediate(() => socket.terminate());
      } else if (joins === 2) {
        const facts = { room: message.room };
        send({ type: 'error', code: 'store_unavailable', message: 'later', facts, retryable: true });
      } else {
        send({ type: 'joined', room: 'main', epoch: 'e1', revision: 0, mode: 'delta', resume: 'current' });
      }
      return true;
    });
    const view = value(await client.join('main'));
    await until(view, () => !view.isLive);
    await until(view, () => view.isLive);
    expect(joins).toBe(3);
  });
});

describe('a watch of the rooms', () => {
  it.each([
    { code: 'store_unavailable', facts: { type: 'watch' } },
    { code: 'rate_limited', facts: {} },
  ])('that is refused with $code is asked for again', async (refusal) => {
    let watches = 0;
    await start(
      (message, send) => {
        if (message.type !== 'watch') return false;
        watches += 1;
        if (watches < 3) send({ type: 'error', message: 'later', retryable: true, ...refusal });
        else send({ type: 'rooms', rooms: [], warnings: [] });
        return true;
      },
      { environment: { random: () => 0 } },
    );
    const complaints: string[] = [];
    client.on('complaint', ({ code }) => complaints.push(code));
    await new Promise((resolve) => client.watchRooms(resolve));
    expect(watches).toBe(3);
    expect(complaints).toEqual([refusal.code, refusal.code]);
  });
});
