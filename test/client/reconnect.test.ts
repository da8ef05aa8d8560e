import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, type MutationResult, type PlanroomClient } from '../../client/sdk/index.ts';
import type { Change } from '../../shared/plan/change.ts';
import { ServerProcess } from '../support/server-process.ts';
import { next, until, value } from './support/events.ts';
import { randomMutation, seededRandom } from './support/random-mutation.ts';
import { Wire } from './support/sockets.ts';

let server: ServerProcess;
let clients: PlanroomClient[] = [];
let rooms = 0;

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server.dispose());
afterEach(() => {
  for (const client of clients) client.close();
  clients = [];
});

function client(actor: string): { client: PlanroomClient; wire: Wire } {
  const wire = new Wire();
  const made = connect({
    url: server.url,
    actor,
    webSocket: wire.constructorOfSockets,
    backOff: { firstDelayMsMax: 20, delayMsMax: 100 },
  });
  clients.push(made);
  return { client: made, wire };
}

function freshRoom(): string {
  rooms += 1;
  return `room-${rooms}`;
}

async function allChanges(from: PlanroomClient, room: string): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (let more = true; more; ) {
    const read = value(await from.changes(room, found.length));
    found.push(...read.changes);
    more = read.more;
  }
  return found;
}

function refused(results: readonly MutationResult[]): unknown[] {
  return results.flatMap((result) => (result.ok ? [] : [result.error]));
}

describe('after a lost connection', () => {
  it('a mutation whose answer was lost takes effect once and gets its first answer', async () => {
    const room = freshRoom();
    const { client: ann, wire } = client('ann');
    const view = value(await ann.join(room));
    wire.cutBefore = (message) => message.type === 'ack';
    const answer = value(await view.addTask('once', { dependsOn: ['task-9'] }));
    expect(answer).toMatchObject({ revision: 1, repeated: true, created: [{ id: 'task-1' }] });
    expect(answer.nags.map((nag) => nag.code)).toEqual(['unknown_dependency']);
    const ids = wire.sentOf('mutate').map((message) => message.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect((await allChanges(ann, room)).length).toBe(1);
    expect(view.plan.taskCount).toBe(1);
  });

  it('only what was missed comes', async () => {
    const room = freshRoom();
    const { client: ann, wire } = client('ann');
    const view = value(await ann.join(room));
    const other = value(await client('bob').client.join(room));
    await other.addTask('one');
    await until(view, () => view.plan.taskCount === 1);
    const away = next(view, 'live');
    wire.cut();
    expect(await away).toBe(false);
    wire.received.length = 0;
    await other.addTask('two');
    await other.addTask('three');
    await until(view, () => view.isLive && view.plan.taskCount === 3);
    expect(wire.sentOf('join').at(-1)).toMatchObject({ since: { revision: 1 } });
    expect(wire.received.filter(({ type }) => type === 'snapshot')).toEqual([]);
    const brought = wire.received.flatMap((message) => (message.type === 'changes' ? message.changes : []));
    expect(brought.map((change) => change.revision)).toEqual([2, 3]);
    expect(view.plan.toSnapshot()).toEqual(other.plan.toSnapshot());
  });

  it('nothing comes when nothing was missed', async () => {
    const { client: ann, wire } = client('ann');
    const view = value(await ann.join(freshRoom()));
    await view.addTask('one');
    wire.cut();
    await next(view, 'live');
    wire.received.length = 0;
    await until(view, () => view.isLive);
    expect(wire.received.map(({ type }) => type)).toEqual(['welcome', 'joined']);
  });

  it('a room that was deleted and made anew is told as such, and what was meant for the old one is given up', async () => {
    const room = freshRoom();
    const { client: ann, wire } = client('ann');
    const { client: bob } = client('bob');
    const view = value(await ann.join(room));
    await view.addTask('old');
    const { epoch } = view.confirmed;
    wire.cut();
    await next(view, 'live');
    const reset = next(view, 'reset');
    const late = view.addTask('meant for the old room');
    expect((await bob.deleteRoom(room)).ok).toBe(true);
    const anew = value(await bob.join(room));
    await anew.addTask('new');
    expect(await late).toMatchObject({ ok: false, error: { code: 'epoch_changed' } });
    expect((await reset).from).toEqual({ epoch, revision: 1 });
    await until(view, () => view.plan.toSnapshot().tasks[0]?.description === 'new');
    expect(view.plan.toSnapshot()).toEqual(anew.plan.toSnapshot());
    expect(view.confirmed.epoch).not.toBe(epoch);
  });

  it('a call that was under way is told as unknown, a read is asked again', async () => {
    const room = freshRoom();
    const { client: ann, wire } = client('ann');
    const view = value(await ann.join(room));
    await view.addTask('one');
    wire.cutBefore = (message) => message.type === 'result';
    expect(value(await ann.snapshot(room)).revision).toBe(1);
    wire.cutBefore = (message) => message.type === 'result' || message.type === 'deleted';
    expect(await ann.deleteRoom(room)).toMatchObject({ error: { code: 'connection_lost' } });
    expect(await ann.snapshot(room)).toMatchObject({ error: { code: 'room_not_found' } });
  });
});

describe('a server that is killed and started again', () => {
  it('gets what was pending, each once and in order, and the view ends as the server has it', async () => {
    const room = freshRoom();
    const { client: ann } = client('ann');
    const view = value(await ann.join(room));
    const results: Promise<MutationResult>[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 300; index += 1) results.push(view.addTask(`task ${results.length}`));
      // Some of these are stored and their answer is lost, some never leave.
      await results[round * 300];
      for (let index = 0; index < 50; index += 1) results.push(view.addTask(`task ${results.length}`));
      await server.kill();
      for (let index = 0; index < 20; index += 1) results.push(view.addTask(`task ${results.length}`));
      await server.restart();
    }
    expect(refused(await Promise.all(results))).toEqual([]);
    const snapshot = value(await ann.snapshot(room));
    expect(snapshot.tasks.map((task) => task.description)).toEqual(results.map((_, index) => `task ${index}`));
    expect(snapshot.revision).toBe(results.length);
    await until(view, () => view.pendingCount === 0 && view.isLive);
    expect(view.plan.toSnapshot()).toEqual(snapshot);
  });

  it('keeps the place of a client that was at revision 0', async () => {
    const room = freshRoom();
    const view = value(await client('ann').client.join(room));
    await server.kill();
    const answer = view.addTask('first');
    await server.restart();
    expect(value(await answer).revision).toBe(1);
    expect(view.plan.taskCount).toBe(1);
  });
});

describe('two clients that change a plan at random while connections drop', () => {
  it.each([1, 2, 3, 4])('agree in the end (seed %i)', { timeout: 30_000 }, async (seed) => {
    const random = seededRandom(seed);
    const room = freshRoom();
    const pairs = [client('ann'), client('bob')];
    const views = await Promise.all(pairs.map(async (pair) => value(await pair.client.join(room))));
    const results: Promise<MutationResult>[] = [];
    for (let step = 0; step < 300; step += 1) {
      const side = random() < 0.5 ? 0 : 1;
      const view = views[side];
      const wire = pairs[side]?.wire;
      if (!view || !wire) throw new Error('two sides');
      results.push(view.mutate(randomMutation(view.plan, random)));
      const dice = random();
      if (dice < 0.03) wire.cut();
      else if (dice < 0.06) wire.cutBefore = (message) => message.type === 'ack' || message.type === 'changes';
      else if (dice < 0.3) await results.at(-1);
    }
    const settled = await Promise.all(results);
    const { revision } = value(await (pairs[0] as (typeof pairs)[0]).client.snapshot(room));
    for (const view of views) await until(view, () => view.isLive && view.confirmed.revision === revision);
    const snapshot = value(await (pairs[1] as (typeof pairs)[0]).client.snapshot(room));
    for (const view of views) expect(view.plan.toSnapshot()).toEqual(snapshot);
    // The run was one worth having: most went through, some were refused, connections did drop.
    expect(settled.filter((result) => result.ok).length).toBeGreaterThan(100);
    expect(pairs.map(({ wire }) => wire.sentOf('hello').length).every((count) => count > 1)).toBe(true);
  });
});
