import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dialects, findDialect } from '../../shared/dialects/registry.ts';
import { type Intent, intents, toMutation } from '../support/mutation-generator.ts';
import { runs, testSeed } from '../support/random.ts';
import { openRooms, submission } from '../support/room-harness.ts';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';
import { SharedRoom } from './support/shared-room.ts';

/**
 * Whoever reads the plan through a dialect and writes back what it read has changed nothing: what the dialect has no word
 * for is still there.
 */

type Fields = Readonly<Record<string, unknown>>;

/** How a dialect with full-list writes is read, and how what was read is written back. */
interface RoundTrip {
  /** Absent: it has no tool that reads. */
  readonly read?: { readonly tool: string; readonly args: object };
  readonly write: string;
  /** The name of the list in views and arguments. */
  readonly list: string;
  /** The list in the answer of a write, where there is the whole of it. */
  readonly answered?: (structured: Fields, text: string) => unknown;
  /** A write that only looks, by an actor that never saw the list; absent: an empty list. */
  readonly nothing?: object;
  /** Beside the list. */
  readonly options?: object;
  /** What of an entry of results or views is not for arguments. */
  readonly leftOut?: readonly string[];
  /** Its own refusals of a list that can be read. */
  readonly refuses?: RegExp;
  /** Lists that end by its own rules when they are written. */
  readonly ends?: (entries: readonly Fields[]) => boolean;
}

const roundTrips: Readonly<Record<string, RoundTrip>> = {
  cosh: {
    write: 'plan_todo_write',
    list: 'todos',
    answered: ({ list }) => (list as Fields).items,
    leftOut: ['id'],
    refuses: /Only one task at a time/,
  },
  car: { write: 'todo_write', list: 'items', leftOut: ['id'] },
  sagents: {
    write: 'write_todos',
    list: 'todos',
    options: { merge: false },
    nothing: { merge: true, todos: [] },
    ends: (todos) => todos.every(({ status }) => status === 'completed' || status === 'cancelled'),
  },
  'claude-code': { write: 'TodoWrite', list: 'todos', answered: ({ newTodos }) => newTodos },
  codex: { write: 'update_plan', list: 'plan', refuses: /At most one step/ },
  deepagents: {
    write: 'write_todos',
    list: 'todos',
    answered: (_structured, text) => JSON.parse(text.replace('Updated todo list to ', '').split('\nNote: ')[0] ?? ''),
  },
  opencode: { read: { tool: 'todoread', args: {} }, write: 'todowrite', list: 'todos' },
  gemini: { write: 'write_todos', list: 'todos', refuses: /Only one todo/ },
  cursor: { write: 'todo_write', list: 'todos', options: { merge: false }, answered: ({ todos }) => todos },
  vscode: {
    read: { tool: 'manage_todo_list', args: { operation: 'read' } },
    write: 'manage_todo_list',
    list: 'todoList',
  },
};

/** No tool of theirs takes a whole list that was read; cosh-grouped makes all of its list pending, by its own rule. */
const withoutRoundTrip = ['planroom', 'cosh-grouped', 'docker-agent', 'microsoft', 'acp'];

const seed = testSeed('round trips');
const actors = ['ann', 'bob', 'cy', 'dora'] as const;

async function randomPlan(room: SharedRoom, plan: readonly Intent[]): Promise<void> {
  for (const intent of plan) {
    await room.rooms.submit('room', submission(toMutation(intent, await room.plan()), intent.actor));
  }
}

/** Everything but how often it was written. */
async function snapshot(room: SharedRoom): Promise<object> {
  const { revision: _revision, updatedAt: _updatedAt, ...rest } = (await room.plan()).toSnapshot();
  return structuredClone(rest);
}

/** What the actor reads, as the arguments of a write. */
async function readList(room: SharedRoom, name: string, trip: RoundTrip, actor: string): Promise<Fields> {
  const { list, options, leftOut = [] } = trip;
  const entries = (await entriesFor(room, name, trip, actor)) as readonly Fields[];
  const kept = entries.map((entry) =>
    Object.fromEntries(Object.entries(entry).filter(([key]) => !leftOut.includes(key))),
  );
  return { [list]: kept, ...options };
}

async function entriesFor(room: SharedRoom, name: string, trip: RoundTrip, actor: string): Promise<unknown> {
  const { read, write, list, options, nothing = { [list]: [], ...options }, answered } = trip;
  const desk = room.desk(name);
  if (read) return (await desk.ok(read.tool, read.args, actor))[list];
  const plan = await room.plan();
  if (plan.policy.fullListWrites === 'merge') {
    const reply = await desk.call(write, nothing, actor);
    expect(reply.isError, reply.text).toBe(false);
    if (answered) return answered(reply.structured ?? {}, reply.text);
  }
  const view = findDialect(name)?.view(plan) as Fields;
  return view[list] ?? view.items;
}

for (const { name } of dialects) {
  if (withoutRoundTrip.includes(name)) continue;

  describe(`${name}: what is read and written back`, () => {
    test('is known to this test', () => {
      expect(Object.keys(roundTrips)).toContain(name);
    });

    test.skipIf(!roundTrips[name])('changes nothing', async () => {
      const trip = roundTrips[name] as RoundTrip;
      const plans = fc.array(intents, { minLength: 1, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(plans, fc.constantFrom(...actors), async (plan, actor) => {
          const room = new SharedRoom();
          await randomPlan(room, plan);
          const desk = room.desk(name);
          const before = await snapshot(room);
          const args = await readList(room, name, trip, actor);
          fc.pre(!trip.ends?.(args[trip.list] as Fields[]));
          expect(await snapshot(room)).toEqual(before);
          for (const _ of [1, 2]) {
            const reply = await desk.call(trip.write, args, actor);
            if (reply.isError) expect(reply.text).toMatch(trip.refuses ?? /nothing is refused/);
            expect(await snapshot(room)).toEqual(before);
          }
        }),
        { seed, numRuns: runs(60, 1_500) },
      );
    });

    test.skipIf(!roundTrips[name])('takes nothing back that others do meanwhile', async () => {
      const trip = roundTrips[name] as RoundTrip;
      const plans = fc.array(intents, { minLength: 1, maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(plans, fc.array(intents, { minLength: 1, maxLength: 8 }), async (plan, meanwhile) => {
          const room = new SharedRoom();
          await randomPlan(room, plan);
          const desk = room.desk(name);
          const args = await readList(room, name, trip, 'dora');
          fc.pre(!trip.ends?.(args[trip.list] as Fields[]));
          // Where no answer has the list, what was written is what was seen.
          const first = await desk.call(trip.write, args, 'dora');
          expect(first.isError, first.text).toBe(false);
          await randomPlan(room, meanwhile);
          fc.pre((await room.plan()).policy.fullListWrites === 'merge');
          const before = await snapshot(room);
          const reply = await desk.call(trip.write, args, 'dora');
          expect(reply.isError, reply.text).toBe(false);
          expect(await snapshot(room)).toEqual(before);
        }),
        { seed, numRuns: runs(60, 1_500) },
      );
    });
  });
}

describe('sights survive a restart of the server', () => {
  let folder: string;
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  test('a list from before the restart merges after it, and own ids are still known', async () => {
    const todo = (content: string, status = 'pending') => ({ content, status });
    let store = await openStore(folder);
    let room = new SharedRoom(openRooms(store));
    await room.desk('deepagents').call('write_todos', { todos: [todo('one'), todo('two'), todo('three')] });
    await room.desk('cursor').call('todo_write', { merge: true, todos: [{ id: 'mine', content: 'four' }] });
    await room.submit({ type: 'task.complete', task: 'task-1' });
    await store.close();

    store = await openStore(folder);
    room = new SharedRoom(openRooms(store));
    await room.submit({ type: 'task.start', task: 'task-3' });
    const reply = await room.desk('deepagents').call('write_todos', { todos: [todo('one'), todo('two', 'completed')] });
    expect(await room.list()).toEqual(['completed one', 'completed two', 'in_progress three', 'pending four']);
    expect(reply.text.split('\n').slice(1)).toEqual([
      expect.stringContaining('"one"'),
      expect.stringContaining('"three"'),
      expect.stringContaining('"four"'),
    ]);
    await room.desk('cursor').ok('todo_write', { merge: true, todos: [{ id: 'mine', status: 'completed' }] });
    expect((await room.list())[3]).toBe('completed four');
    await store.close();
  });
});
