import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, type PlanroomClient, type RoomsEvent } from '../../client/sdk/index.ts';
import { pendingPerRoomMax } from '../../client/sdk/room-mutations.ts';
import { ServerProcess } from '../support/server-process.ts';
import { next, until, value } from './support/events.ts';
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

function client(actor: string, options: Partial<Parameters<typeof connect>[0]> = {}): PlanroomClient {
  const made = connect({ url: server.url, actor, ...options });
  clients.push(made);
  return made;
}

function freshRoom(): string {
  rooms += 1;
  return `room-${rooms}`;
}

describe('a client', () => {
  it('joins an empty room, and its mutation is acknowledged with what it made', async () => {
    const view = value(await client('ann').join(freshRoom()));
    expect(view.plan.taskCount).toBe(0);
    const answer = view.addTask('Write the parser', { group: 'Build' });
    expect([...view.plan.tasks()]).toMatchObject([{ description: 'Write the parser', number: 1, createdBy: 'ann' }]);
    const uid = view.plan.findTask('task-1')?.uid;
    expect(value(await answer)).toMatchObject({ revision: 1, repeated: false, created: [{ uid, id: 'task-1' }] });
    expect(view.confirmed.revision).toBe(1);
    expect(view.pendingCount).toBe(0);
  });

  it('has shown a Change as confirmed by the time its mutation is answered', async () => {
    const view = value(await client('ann').join(freshRoom()));
    await view.addTask('one');
    expect(view.plan.findTask('task-1')?.revision).toBe(1);
    expect(view.plan.revision).toBe(view.confirmed.revision);
  });

  it('sees what others do', async () => {
    const room = freshRoom();
    const ann = value(await client('ann').join(room));
    const bob = value(await client('bob').join(room));
    await ann.addTask('one');
    await until(bob, () => bob.plan.taskCount === 1);
    await bob.startTask('task-1');
    await until(ann, () => ann.plan.findTask('task-1')?.startedBy === 'bob');
    expect(await ann.startTask('task-1')).toMatchObject({ ok: false, error: { code: 'taken', retryable: false } });
  });

  it('gets a refusal as a value and as an event, and the view is as before', async () => {
    const view = value(await client('ann').join(freshRoom()));
    const rejected = next(view, 'rejected');
    const answer = await view.startTask('task-9');
    expect(answer).toMatchObject({ ok: false, error: { code: 'task_not_found', facts: { task: 'task-9' } } });
    expect(await rejected).toMatchObject({ mutation: { type: 'task.start' }, failure: { code: 'task_not_found' } });
    expect(await view.mutate({ type: 'task.start' } as never)).toMatchObject({ error: { code: 'invalid' } });
  });

  it('has a method for every mutation', async () => {
    const view = value(await client('ann').join(freshRoom()));
    const answers = [
      view.addGroup('Build', { uid: 'group-uid-1' }),
      view.addGroup('Ship'),
      view.addTask('one', { group: 'Build', uid: 'task-uid-1' }),
      view.addTask('two', { group: 'Build', uid: 'task-uid-2', dependsOn: ['task-1'] }),
      view.editTask('task-uid-1', { description: 'first', labels: ['a'] }),
      view.moveTask('task-uid-2', { before: 'task-uid-1' }),
      view.startTask('task-uid-1'),
      view.completeTask('task-uid-1'),
      view.reopenTask('task-uid-1'),
      view.cancelTask('task-uid-1'),
      view.renameGroup('group-uid-1', 'Make'),
      view.moveGroup('group-uid-1'),
      view.verifyGroup('group-uid-1', { evidence: 'ran them' }),
      view.removeTask('task-uid-2'),
      view.removeGroup('Ship'),
      view.writeDocument({ content: '# Plan', title: 'The plan' }),
      view.setDocumentStatus('approved'),
      view.setPolicy({ strictTerminal: true }),
      view.batch([
        { type: 'task.add', description: 'x' },
        { type: 'task.add', description: 'y' },
      ]),
      view.clean({ keepPending: false }),
      view.load('## Loaded\n- [ ] a\n- [x] b\n'),
      view.revert(17),
    ];
    const results = await Promise.all(answers);
    expect(results.filter((result) => !result.ok)).toEqual([]);
    const { document, policy } = view.plan;
    expect(document).toMatchObject({ title: 'The plan', content: '# Plan' });
    expect(document.status).toBeUndefined();
    expect(policy.strictTerminal).toBe(true);
    expect([...view.plan.tasks()].map((task) => task.description)).toEqual(['a', 'b']);
  });

  it('sends what is asked for in one tick as one frame', async () => {
    const wire = new Wire();
    const view = value(await client('ann', { webSocket: wire.constructorOfSockets }).join(freshRoom()));
    wire.sent.length = 0;
    await Promise.all(Array.from({ length: 200 }, (_, index) => view.addTask(`task ${index}`)));
    expect(wire.sent.map((frame) => frame.length)).toEqual([200]);
  });

  it('takes more mutations at once than the server allows in flight, and they come in order', async () => {
    const view = value(await client('ann').join(freshRoom()));
    const results = await Promise.all(Array.from({ length: 2_500 }, (_, index) => view.addTask(`task ${index}`)));
    expect(results.map((result) => value(result).revision)).toEqual(results.map((_, index) => index + 1));
  });

  it('refuses more mutations than may wait, without sending them', async () => {
    const view = value(await client('ann').join(freshRoom()));
    const first = Array.from({ length: pendingPerRoomMax }, () => view.startTask('task-1'));
    expect(await view.startTask('task-1')).toMatchObject({ error: { code: 'overloaded', retryable: true } });
    view.leave();
    await Promise.all(first);
  });

  it('sends a document that no frame can hold over HTTP, and reads it back whole', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const view = value(await ann.join(room));
    const content = 'ü'.repeat(1_000_000);
    const answer = view.writeDocument({ content, title: 'Large' });
    expect(view.plan.document.content).toBe(content);
    expect(value(await answer)).toMatchObject({ room, revision: 1, repeated: false });
    await until(view, () => view.confirmed.revision === 1);
    expect(view.plan.document).toMatchObject({ title: 'Large', content: '', contentBytes: 2_000_000 });
    expect(value(await ann.document(room)).content).toBe(content);
    expect(value(await ann.changes(room, 0)).changes[0]?.actor).toBe('ann');
  });
});

describe('a mutation too large for a frame', () => {
  it('is not overtaken by a later one of its room', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const view = value(await ann.join(room));
    const old = view.writeDocument({ content: 'old '.repeat(600_000) });
    const anew = view.writeDocument({ content: 'new' });
    expect([value(await old).revision, value(await anew).revision]).toEqual([1, 2]);
    expect(value(await ann.document(room)).content).toBe('new');
  });

  it('takes nothing away that was acknowledged after it', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const view = value(await ann.join(room));
    const lines = Array.from({ length: 400 }, (_, index) => `- [ ] ${index} ${'x'.repeat(3_000)}`);
    const loaded = view.load(`## Loaded\n${lines.join('\n')}\n`);
    const added = view.addTask('after the load');
    expect([(await loaded).ok, (await added).ok]).toEqual([true, true]);
    expect(value(await ann.snapshot(room)).tasks.map((task) => task.description)).toContain('after the load');
  });
});

describe('reads and calls', () => {
  it('list rooms, read a snapshot and Changes, and delete', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const view = value(await ann.join(room));
    for (const text of ['a', 'b', 'c']) await view.addTask(text);
    expect(value(await ann.rooms()).rooms).toContainEqual(expect.objectContaining({ room, revision: 3, openCount: 3 }));
    expect(value(await ann.snapshot(room))).toEqual(view.plan.toSnapshot());
    const read = value(await ann.changes(room, 1, 1));
    expect(read).toMatchObject({ room, revision: 3, more: true, changes: [{ revision: 2, action: 'task.add' }] });
    expect(await ann.deleteRoom(room, 2)).toMatchObject({ ok: false, error: { code: 'conflict' } });
    const deleted = next(view, 'deleted');
    expect(value(await ann.deleteRoom(room, 3))).toMatchObject({ deleted: room, revision: 3 });
    expect(await deleted).toMatchObject({ revision: 3 });
    expect(await view.addTask('late')).toMatchObject({ error: { code: 'epoch_changed' } });
    expect(await ann.snapshot(room)).toMatchObject({ ok: false, error: { code: 'room_not_found' } });
    expect(value(await ann.join(room)).plan.taskCount).toBe(0);
  });

  it('tell a bad room name and a room that is not there', async () => {
    const ann = client('ann');
    expect(await ann.join('Not A Room')).toMatchObject({ ok: false, error: { code: 'bad_room_name' } });
    expect(await ann.snapshot('never-used')).toMatchObject({ ok: false, error: { code: 'room_not_found' } });
  });

  it('watch the list of rooms: all of it, then each that appears, changes or goes', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const events: RoomsEvent[] = [];
    let look = (): void => undefined;
    const seen = (wanted: (event: RoomsEvent) => boolean): Promise<void> =>
      new Promise((resolve) => {
        look = () => {
          if (events.some(wanted)) resolve();
        };
        look();
      });
    const stop = ann.watchRooms((event) => {
      events.push(event);
      look();
    });
    await seen((event) => event.type === 'rooms');
    const view = value(await ann.join(room));
    await view.addTask('one');
    await seen((event) => event.type === 'room' && event.room === room && event.entry?.taskCount === 1);
    await ann.deleteRoom(room);
    await seen((event) => event.type === 'room' && event.room === room && event.entry === null);
    stop();
  });
});

describe('presence and notices', () => {
  it('tells who is here and at what', async () => {
    const room = freshRoom();
    const ann = value(await client('ann').join(room, { presence: true }));
    const met = new Promise<void>((resolve) => {
      ann.on('presence', ({ present }) => {
        if (present.some((entry) => entry.actor === 'bob' && entry.on === 'task-1')) resolve();
      });
    });
    const bob = value(await client('bob').join(room));
    bob.setPresence('task-1');
    await met;
  });

  it('brings no content in notice mode, and mutations work all the same', async () => {
    const room = freshRoom();
    const watcher = value(await client('bob').join(room, { mode: 'notice' }));
    const noticed = next(watcher, 'notice');
    const view = value(await client('ann').join(room));
    await view.addTask('one');
    expect(await noticed).toEqual({ action: 'task.add', revision: 1 });
    expect(value(await watcher.addTask('two')).created).toMatchObject([{ id: 'task-2' }]);
    expect(watcher.plan.taskCount).toBe(0);
    expect(watcher.confirmed.revision).toBe(2);
  });
});

describe('the end of a client', () => {
  it('answers everything that waits with the failure closed', async () => {
    const ann = client('ann');
    const view = value(await ann.join(freshRoom()));
    await server.kill();
    const answers = [view.addTask('one'), ann.rooms(), ann.join('another-room')];
    ann.close();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ error: { code: 'closed' } });
    expect(await view.addTask('two')).toMatchObject({ error: { code: 'closed' } });
    expect(await ann.rooms()).toMatchObject({ error: { code: 'closed' } });
    await server.restart();
  });

  it('leaving a room answers what waits there, and joining again makes a new view', async () => {
    const room = freshRoom();
    const ann = client('ann');
    const view = value(await ann.join(room));
    const answer = view.addTask('one');
    view.leave();
    expect(await answer).toMatchObject({ error: { code: 'closed' } });
    const again = value(await ann.join(room));
    expect(again).not.toBe(view);
    expect((await again.addTask('two')).ok).toBe(true);
  });

  it('tells one who joins with a time that it is over, and goes on trying', async () => {
    const lonely = client('ann', { url: 'http://127.0.0.1:1' });
    await lonely.opened();
    expect(await lonely.join('main', { timeoutMs: 1 })).toMatchObject({
      ok: false,
      error: { code: 'unreachable', message: expect.stringMatching(/within 1 ms. Cannot reach the server/) },
    });
    expect(lonely.status).not.toBe('over');
  });

  it('tells at once that no server is there, and gives up after the tries it was given', async () => {
    const lonely = connect({ url: 'http://127.0.0.1:1', backOff: { attemptsMax: 2, firstDelayMsMax: 1 } });
    const joining = lonely.join('main');
    expect(await lonely.opened()).toMatchObject({ ok: false, error: { code: 'unreachable', retryable: true } });
    expect(await joining).toMatchObject({ ok: false, error: { code: 'unreachable' } });
    expect(lonely.status).toBe('over');
  });
});
