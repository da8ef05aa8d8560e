import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { sagents } from '../../shared/dialects/sagents.ts';
import { type Todo, todoToMap } from '../../shared/dialects/sagents-items.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { oneLine } from '../../shared/plan/render.ts';
import { intents, toMutation } from '../support/mutation-generator.ts';
import { runs, testSeed } from '../support/random.ts';
import { add, openRooms, submission } from '../support/room-harness.ts';
import { Desk } from './support/desk.ts';

let desk: Desk;
beforeEach(() => {
  desk = new Desk(openRooms(), 'sagents');
});

async function plan(): Promise<Plan> {
  const opened = await desk.rooms.open('room');
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.plan;
}

/** `1 pending a`, as the view has it. */
async function list(): Promise<string[]> {
  const { todos } = sagents.view(await plan()) as { todos: Todo[] };
  return todos.map(({ id, status, content }) => `${id} ${status} ${content}`);
}

async function bob(...mutations: readonly Mutation[]): Promise<void> {
  for (const mutation of mutations) {
    const outcome = await desk.rooms.submit('room', submission(mutation, 'bob'));
    if (outcome.type !== 'ack') throw new Error(`${mutation.type}: ${JSON.stringify(outcome)}`);
  }
}

/** Todos as `1 pending a`. */
async function write(merge: boolean, ...todos: readonly string[]): Promise<string> {
  const reply = await desk.call('write_todos', { merge, todos: todos.map(todoOf) });
  if (reply.isError) throw new Error(reply.text);
  return reply.text;
}
const merge = (...todos: readonly string[]) => write(true, ...todos);
const replace = (...todos: readonly string[]) => write(false, ...todos);

function todoOf(text: string): object {
  const [, id, status, content] = /^(\S+) (\S+) (.*)$/.exec(text) ?? [];
  return { id: Number(id), status, content };
}

describe('ids are the caller’s', () => {
  test('an entry with a new id is a new todo, even with the text or in the place of another', async () => {
    await replace('1 pending a', '2 pending b');
    await replace('5 pending a', '6 pending c');
    expect(await list()).toEqual(['5 pending a', '6 pending c']);
    await replace('6 pending a', '5 pending c');
    expect(await list()).toEqual(['5 pending c', '6 pending a']);
  });

  test('two of one id in a replacement both stay, the second under another id, which is told', async () => {
    const text = await replace('2 pending x', '2 pending y', '3 pending z');
    expect(await list()).toEqual(['2 pending x', '3 pending z', '4 pending y']);
    expect(text).toContain('Note: The id of your TODO 2 ("y") is 4: 2 is another TODO.');
  });

  test('two of one text keep their ids', async () => {
    await replace('5 pending a', '2 completed a');
    expect(await list()).toEqual(['2 completed a', '5 pending a']);
    expect(await merge('2 pending a')).toBe('TODO list merged, 2 TODO(s): 2 pending');
  });

  test('an id past what a room has becomes another, which is told', async () => {
    expect(await replace('1 pending a', '5000000 pending b')).toContain(
      'TODO 5000000 ("b") is 2: ids go up to 1000000.',
    );
  });

  test('what is told of a task counts for the order in the plan too: what was there stays in its place', async () => {
    await bob(add('theirs'));
    await replace('2 pending b', '1 pending a');
    expect([...(await plan()).tasks()].map(({ description }) => description)).toEqual(['theirs', 'b', 'a']);
  });
});

describe('two actors', () => {
  test('an id that is a task of somebody else, never seen, becomes another', async () => {
    await bob(add('theirs'));
    const text = await replace('1 pending mine', '2 pending more');
    expect(await list()).toEqual(['1 pending theirs', '2 pending more', '3 pending mine']);
    expect(text).toContain('The id of your TODO 1 ("mine") is 3: 1 is another TODO.');
    expect(text).toContain('Of the shared list you did not know:\n- 1 [pending] theirs');
    expect(await merge('1 completed theirs')).toBe('TODO list merged, 3 TODO(s): 2 pending, 1 completed');
  });

  test('what others added or changed survives a list that does not know it; what was seen and left out goes', async () => {
    await replace('1 pending a', '2 pending b', '3 pending c');
    await bob(add('theirs'), { type: 'task.edit', task: 'task-2', description: 'b, better' });
    const text = await replace('1 in_progress a');
    expect(await list()).toEqual(['1 in_progress a', '2 pending b, better', '4 pending theirs']);
    expect(text).toContain('- 2 [pending] b, better\n- 4 [pending] theirs');
    await replace('1 in_progress a', '4 pending theirs');
    expect(await list()).toEqual(['1 in_progress a', '4 pending theirs']);
  });

  test('a stale list does not undo what others finished, and is told', async () => {
    await replace('1 pending a', '2 pending b');
    await bob({ type: 'task.complete', task: 'task-1' });
    const text = await merge('2 in_progress b');
    expect(text).toContain('- 1 [completed] a');
    await replace('1 completed a', '2 in_progress b');
    await bob({ type: 'task.complete', task: 'task-2' });
    expect(await merge('3 pending c', '2 in_progress b')).toContain('- 2 [completed] b');
    expect(await list()).toEqual(['1 completed a', '2 completed b', '3 pending c']);
    await replace('1 completed a', '2 pending b', '3 pending c');
    expect((await list())[1]).toBe('2 pending b');
  });

  test('finished tasks of others are neither shown nor dropped', async () => {
    await bob(add('theirs'), { type: 'task.complete', task: 'task-1' });
    expect(await replace('5 pending a')).not.toContain('\n- ');
    await replace('6 pending b');
    await replace();
    expect(await list()).toEqual(['1 completed theirs']);
  });

  test('a task that another has in progress is not put back', async () => {
    await bob(add('theirs'), { type: 'task.start', task: 'task-1' });
    await merge();
    const text = await merge('1 pending theirs');
    expect(text).toContain("TODO 1 is in progress by 'bob', and stays theirs");
    expect(await list()).toEqual(['1 in_progress theirs']);
  });

  test('an id whose task was removed, and given to another, does not hit that one', async () => {
    await replace('1 pending a', '2 pending b');
    await bob({ type: 'task.remove', task: 'task-2' }, add('new of bob'));
    const text = await merge('2 completed b');
    expect(text).toContain('TODO 2 ("b") was removed by others');
    expect(text).toContain('- 2 [pending] new of bob');
    expect(await list()).toEqual(['1 pending a', '2 pending new of bob']);
  });

  test('of many, thirty are shown and the others counted, and those stay', async () => {
    for (let n = 1; n <= 33; n += 1) await bob(add(`t${n}`));
    const text = await merge();
    expect(text.split('\n').slice(-2)).toEqual(['- 30 [pending] t30', 'and 3 more']);
    await replace('50 pending mine');
    expect(await list()).toEqual(['31 pending t31', '32 pending t32', '33 pending t33', '50 pending mine']);
  });

  test('a long or broken text of others is shown short, on one line, and stays whole when it is sent back', async () => {
    const [long, broken] = ['x'.repeat(1500), 'first\nsecond'];
    await bob(add(long), add(broken));
    const shown = (await merge()).split('\n').filter((line) => line.startsWith('- '));
    const sent = shown.map((line) => line.replace(/^- ([0-9]+) \[pending\] /, '$1 completed '));
    await merge(...sent.slice(1), '3 pending mine', `${sent[0]}`);
    expect((await plan()).taskByNumber(1)).toMatchObject({ description: long, status: 'completed' });
    expect((await plan()).taskByNumber(2)).toMatchObject({ description: broken, status: 'completed' });
  });

  test('the same after a restart: what was seen is in the store', async () => {
    await replace('1 pending a', '2 pending b');
    await bob(add('c'));
    await desk.rooms.evictIdle(0);
    await replace('2 pending b');
    expect(await list()).toEqual(['2 pending b', '3 pending c']);
  });

  test('what the room does not allow is refused in its words, and changes nothing', async () => {
    await bob({ type: 'plan.policy', inProgress: 'one-per-plan' });
    const args = { merge: false, todos: [todoOf('1 in_progress a'), todoOf('2 in_progress b')] };
    const text = await desk.refused('write_todos', args);
    expect(text).toMatch(/^Only one task at a time.*TODO 1 and TODO 2/);
    expect(await list()).toEqual([]);
  });
});

describe('a list that clears itself', () => {
  test('takes away what was seen, in one Change', async () => {
    await replace('1 pending a', '2 pending b');
    const { revision } = await plan();
    expect(await merge('1 completed a', '2 cancelled b')).toContain('cleared');
    expect([await list(), (await plan()).revision]).toEqual([[], revision + 1]);
  });

  test('not while a task of somebody else is open, known or not', async () => {
    await bob(add('theirs'));
    const text = await replace('7 completed a');
    expect(text).not.toContain('cleared');
    expect(await list()).toEqual(['1 pending theirs', '7 completed a']);
    await merge('7 completed a');
    await merge('1 completed theirs');
    expect(await list()).toEqual([]);
  });

  test('finished tasks of others, never seen, neither stop it nor go with it', async () => {
    await bob(add('theirs'), { type: 'task.complete', task: 'task-1' });
    await replace('5 pending a');
    expect(await merge('5 completed a')).toContain('cleared');
    expect(await list()).toEqual(['1 completed theirs']);
  });

  test('not when others changed what was seen: that survives, and the write still counts', async () => {
    await replace('1 pending a', '2 pending b');
    await bob({ type: 'task.edit', task: 'task-2', description: 'b, better' });
    const text = await replace('1 completed a', '2 completed b');
    expect(text).not.toContain('cleared');
    expect(await list()).toEqual(['1 completed a', '2 completed b, better']);
    expect(await merge('1 completed a')).toContain('cleared');
    expect(await list()).toEqual([]);
  });

  test('a change that comes in just then is not lost, nor is what was completed', async () => {
    await replace('1 pending a', '2 pending b');
    const edit = submission({ type: 'task.edit', task: 'task-2', description: 'b, better' }, 'bob');
    const [outcome, reply] = await Promise.all([
      desk.rooms.submit('room', edit),
      desk.call('write_todos', { merge: false, todos: [todoOf('1 completed a'), todoOf('2 completed b')] }),
    ]);
    expect([outcome.type, reply.isError]).toEqual(['ack', false]);
    expect(await list()).toEqual(['1 completed a', '2 completed b, better']);
  });

  test('a call that comes again has effect once, whichever kind it is', async () => {
    const calls = [
      { merge: false, todos: [todoOf('1 pending a'), todoOf('2 pending b')] },
      { merge: false, todos: [todoOf('3 pending a')] },
      { merge: true, todos: [todoOf('3 completed a')] },
    ];
    const seen: string[][] = [];
    for (const [index, args] of calls.entries()) {
      for (let time = 0; time < 2; time += 1) {
        expect((await desk.call('write_todos', args, 'ann', `op-${index}`)).isError).toBe(false);
        seen.push(await list());
      }
    }
    expect(seen).toEqual([
      ['1 pending a', '2 pending b'],
      ['1 pending a', '2 pending b'],
      ['3 pending a'],
      ['3 pending a'],
      [],
      [],
    ]);
  });
});

test('a retry that finds all resolved by now does not say that it cleared a list it did not', async () => {
  await bob(add('theirs'));
  await replace('5 pending a');
  const args = { merge: true, todos: [todoOf('5 completed a')] };
  await desk.call('write_todos', args, 'ann', 'op');
  await bob({ type: 'task.remove', task: 'task-1' });
  const again = await desk.call('write_todos', args, 'ann', 'op');
  expect(again.text).toContain('TODO list merged, 1 TODO(s): 1 completed');
  expect(await list()).toEqual(['5 completed a']);
});

describe('bad input is a parse failure, and changes nothing', () => {
  test.each([
    [undefined, ['todos', 'array']],
    [{ merge: true }, ['todos', 'array']],
    [{ todos: [{ id: 1 }] }, ['todo 1', 'content']],
    [{ todos: [{ content: 'a' }, { content: ' ' }] }, ['todo 2', 'content']],
    [{ todos: ['a'] }, ['todo 1', 'content']],
    [{ todos: [{ content: 'x'.repeat(1001) }] }, ['todo 1', '1000']],
    [{ todos: [{ content: '👨‍👩‍👧‍👦'.repeat(1000) }] }, ['todo 1', '4096']],
    [{ todos: [{ content: '\ud800' }] }, ['todo 1', 'surrogate']],
    [{ todos: Array.from({ length: 10_001 }, () => ({ content: 'a' })) }, ['10001', '10000']],
  ])('%#', async (args, facts) => {
    await replace('1 pending kept');
    const text = await desk.refused('write_todos', args);
    for (const fact of ['Parse failure', ...facts]) expect(text).toContain(fact);
    expect(await list()).toEqual(['1 pending kept']);
  });

  test('but merge may be a word, and an id or status that will not do is replaced', async () => {
    await replace('1 pending a');
    await desk.ok('write_todos', { merge: 'true', todos: [{ id: '02', content: 'b', status: 'x' }] });
    await desk.ok('write_todos', {
      merge: true,
      todos: [
        { id: '3', content: 'c' },
        { id: null, content: 'b2' },
      ],
    });
    expect(await list()).toEqual(['1 pending a', '2 pending b2', '3 pending c']);
  });
});

test('whatever others do, the list as it was known changes nothing when it is sent', async () => {
  const steps = fc.array(
    fc.record({ round: fc.array(intents, { minLength: 1, maxLength: 3 }), merges: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  );
  const property = fc.asyncProperty(steps, async (rounds) => {
    desk = new Desk(openRooms(), 'sagents');
    await replace('1 pending one', '2 completed two', '7 in_progress own');
    let known = await knownTodos();
    for (const { round, merges } of rounds) {
      for (const intent of round) {
        const actor = intent.actor === 'ann' ? 'dan' : intent.actor;
        const mutation = toMutation(intent, await plan());
        if (!JSON.stringify(mutation).includes('plan.policy')) {
          await desk.rooms.submit('room', submission(mutation, actor));
        }
      }
      if ((await plan()).policy.fullListWrites === 'replace') return;
      const before = JSON.stringify((await plan()).toSnapshot());
      const answer = await desk.call('write_todos', { merge: merges, todos: known });
      expect(answer.isError, answer.text).toBe(false);
      if (answer.text.startsWith('TODO list cleared:')) return;
      expect(JSON.stringify((await plan()).toSnapshot())).toBe(before);
      known = await knownTodos();
    }
  });
  await fc.assert(property, { seed: testSeed('sagents round trip'), numRuns: runs(150, 5000) });
});

/** What ann was told: the tasks of her sight as they are. */
async function knownTodos(): Promise<readonly object[]> {
  const opened = await desk.rooms.open('room');
  if (!opened.ok) throw new Error(opened.error.message);
  const sight = await opened.value.readSight('ann', 'sagents');
  const shown = new Set((sight.ok && sight.value?.shown) || []);
  return [...opened.value.plan.tasks()]
    .filter(({ uid }) => shown.has(uid))
    .map(({ number, description, status }) => todoToMap({ id: number, content: oneLine(description), status }));
}
