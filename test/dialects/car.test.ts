import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { car } from '../../shared/dialects/car.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { oneLine } from '../../shared/plan/render.ts';
import { intents, toMutation } from '../support/mutation-generator.ts';
import { runs, testSeed } from '../support/random.ts';
import { add, openRooms, submission } from '../support/room-harness.ts';
import { Desk } from './support/desk.ts';

let desk: Desk;
beforeEach(() => {
  desk = new Desk(openRooms(), 'car');
});

async function plan(): Promise<Plan> {
  const opened = await desk.rooms.open('room');
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.plan;
}

async function texts(): Promise<string[]> {
  return [...(await plan()).tasks()].map(({ description, status }) => `${status} ${description}`);
}

async function bob(...mutations: readonly Mutation[]): Promise<void> {
  for (const mutation of mutations) {
    const outcome = await desk.rooms.submit('room', submission(mutation, 'bob'));
    if (outcome.type !== 'ack') throw new Error(`${mutation.type}: ${JSON.stringify(outcome)}`);
  }
}

/** Each item as `text`, `x text` (done) or `- text` (dropped). */
async function write(...items: readonly string[]): Promise<string> {
  const reply = await desk.call('todo_write', { items: items.map(itemOf) });
  if (reply.isError) throw new Error(reply.text);
  return reply.text;
}

function itemOf(item: string): object {
  const status = { x: 'done', '-': 'dropped' }[item.slice(0, 1)];
  return status && item[1] === ' ' ? { text: item.slice(2), status } : { text: item };
}

describe('two actors', () => {
  test('what others added survives, and the answer shows what of it is open', async () => {
    await write('mine');
    await bob(add('theirs'), add('finished'), { type: 'task.complete', task: 'task-3' });
    const text = await write('mine', 'more');
    expect(text.split('\n').slice(0, 4)).toEqual(['todo: 1/4 done', '  [ ] 1 mine', '  [ ] 2 more', '  [ ] 3 theirs']);
    expect(text).toContain('added by others');
    expect(await write('mine', 'more', 'theirs')).toBe('todo: 1/4 done\n  [ ] 1 mine\n  [ ] 2 more\n  [ ] 3 theirs');
  });

  test('a finished task that was never shown survives every write; what was shown and left out goes', async () => {
    await bob(add('done by bob'), add('open'), { type: 'task.complete', task: 'task-1' });
    await write('mine');
    await write('mine', 'open');
    await write('mine');
    await write();
    expect(await texts()).toEqual(['completed done by bob']);
  });

  test('a list that knows nothing of it does not undo what others finished, and is told', async () => {
    await write('a', 'b');
    await bob({ type: 'task.complete', task: 'task-1' }, { type: 'task.cancel', task: 'task-2' });
    const text = await write('a', 'b', 'c');
    expect(await texts()).toEqual(['completed a', 'cancelled b', 'pending c']);
    expect(text).toContain("'1' is done, which 'bob' wrote last: a");
    expect(text).toContain("'2' is dropped, which 'bob' wrote last: b");
    await write('x a', '- b', 'c');
    expect(await texts()).toEqual(['completed a', 'cancelled b', 'pending c']);
    await write('a', '- b', 'c');
    expect((await texts())[0]).toBe('pending a');
  });

  test('an open item leaves a task in progress as it is, and done finishes it', async () => {
    await bob(add('a'), { type: 'task.start', task: 'task-1' });
    await write('a');
    await write('a', 'b');
    expect((await plan()).taskByNumber(1)).toMatchObject({ status: 'in_progress', startedBy: 'bob' });
    await write('x a', 'b');
    expect(await texts()).toEqual(['completed a', 'pending b']);
  });

  test('a long or broken text of others is shown short, on one line, and stays whole when it is sent back', async () => {
    const long = `${'😀'.repeat(250)} end`;
    const broken = 'first\nsecond';
    await bob(add(long), add(broken));
    const shown = await write('mine');
    const lines = shown.split('\n').filter((line) => line.startsWith('  [ ]'));
    const sent = lines.map((line) => line.replace(/^ {2}\[ \] [0-9]+ /, ''));
    expect(sent).toEqual([`${'😀'.repeat(200)}…`, 'first second', 'mine']);
    await write(...sent.map((text, index) => (index === 1 ? `x ${text}` : text)));
    expect(await texts()).toEqual([`pending ${long}`, `completed ${broken}`, 'pending mine']);
  });

  test('of two items with one text the one that was seen is that with its status', async () => {
    await bob(add('a'), add('a'), { type: 'task.complete', task: 'task-1' });
    await write();
    await write('x a', 'a');
    expect(await texts()).toEqual(['completed a', 'pending a']);
    await write('a', 'x a');
    expect(await texts()).toEqual(['pending a', 'completed a']);
  });

  test('messages speak of places and of its own statuses', async () => {
    await write('zero', 'a');
    await bob({ type: 'task.edit', task: 'task-2', description: 'a, better' }, { type: 'task.start', task: 'task-2' });
    await write('a');
    const text = await write();
    expect(text).not.toMatch(/task-|in_progress|pending/);
  });

  test('a task that has no place any more is named by its text', async () => {
    await write('a', 'b');
    await bob({ type: 'task.remove', task: 'task-1' });
    const text = await write('x a', 'b');
    expect(text).toContain('"a" was removed by others');
    expect(text).not.toContain('task-');
  });

  test('the same after a restart: what was seen is in the store', async () => {
    await write('a', 'b');
    await bob(add('c'));
    await desk.rooms.evictIdle(0);
    await write('b');
    expect(await texts()).toEqual(['pending b', 'pending c']);
  });

  test('a call that comes again has effect once', async () => {
    const args = { items: [{ text: 'a' }, { text: 'b' }] };
    const first = await desk.call('todo_write', args, 'ann', 'op-1');
    await bob(add('c'));
    const again = await desk.call('todo_write', args, 'ann', 'op-1');
    expect(again.isError).toBe(false);
    expect(first.text).toBe('todo: 0/2 done\n  [ ] 1 a\n  [ ] 2 b');
    expect(await texts()).toEqual(['pending a', 'pending b', 'pending c']);
  });
});

describe('a plan of more than forty tasks', () => {
  test('the view holds the open ones first, in list order, then what was finished last', async () => {
    for (let n = 1; n <= 45; n += 1) await bob(add(`t${n}`));
    for (const n of [2, 1, 3, 4, 5, 6, 7]) await bob({ type: 'task.complete', task: `task-${n}` });
    const { items } = car.view(await plan()) as { items: { id: number; text: string; status: string }[] };
    expect(items.map(({ text }) => text)).toEqual(['t6', 't7', ...Array.from({ length: 38 }, (_, i) => `t${i + 8}`)]);
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test('open tasks past the bound are counted, not shown, and none is dropped', async () => {
    for (let n = 1; n <= 43; n += 1) await bob(add(`t${n}`));
    const text = await write();
    expect(text.split('\n')[0]).toBe('todo: 0/43 done');
    expect(text).toContain('  [ ] 40 t40\n  and 3 more that are open');
    // Of others and never listed: neither those that were shown go, nor those that were not.
    await write();
    expect(await texts()).toHaveLength(43);
  });
});

describe('bad input is refused with a message to act on, and changes nothing', () => {
  const many = Array.from({ length: 41 }, () => ({}));
  test.each([
    [undefined, ['items', 'array']],
    [[], ['items', 'array']],
    [{ items: 'a' }, ['items', 'array']],
    [{ items: many }, ['41', '40', 'sub-runs']],
    [{ items: [{ text: 'a' }, 'b'] }, ['item 1', 'no `text`']],
    [{ items: [null] }, ['item 0', 'no `text`']],
    [{ items: [{ text: 5 }] }, ['item 0', 'no `text`']],
    [{ items: [{ text: '\u0085\u3000' }] }, ['item 0', 'empty `text`']],
    [{ items: [{ text: '\ud800' }] }, ['item 0', 'surrogate']],
    [{ items: [{ text: 'a', status: 'Done' }] }, ["'Done'", 'open, done, dropped']],
  ])('%j', async (args, facts) => {
    await write('kept');
    const text = await desk.refused('todo_write', args);
    for (const fact of facts) expect(text).toContain(fact);
    expect(await texts()).toEqual(['pending kept']);
  });

  test('but a status that is no text means open, and other fields are passed over', async () => {
    await desk.ok('todo_write', {
      items: [
        { text: 'a', status: null, id: 7 },
        { text: 'b', status: 3 },
      ],
    });
    expect(await texts()).toEqual(['pending a', 'pending b']);
  });

  test('text is cut after 200 code points, and not before', async () => {
    const kept = '😀'.repeat(200);
    await write(kept, `${kept}y`);
    expect(await texts()).toEqual([`pending ${kept}`, `pending ${kept}…`]);
    await write(kept, `${kept}y`);
    expect((await plan()).revision).toBe(1);
  });
});

test('whatever others do, the list as it was known changes nothing when it is sent', async () => {
  const steps = fc.array(fc.array(intents, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(steps, async (rounds) => {
    desk = new Desk(openRooms(), 'car');
    await write('one', 'x two', 'own');
    let known = await knownItems();
    for (const round of rounds) {
      for (const intent of round) {
        const actor = intent.actor === 'ann' ? 'dan' : intent.actor;
        const mutation = toMutation(intent, await plan());
        if (mentionsPolicy(mutation)) continue;
        await desk.rooms.submit('room', submission(mutation, actor));
      }
      if ((await plan()).policy.fullListWrites === 'replace') return;
      const before = JSON.stringify((await plan()).toSnapshot());
      if (known.length <= 40) expect((await desk.call('todo_write', { items: known })).isError).toBe(false);
      expect(JSON.stringify((await plan()).toSnapshot())).toBe(before);
      known = await knownItems();
    }
  });
  await fc.assert(property, { seed: testSeed('car round trip'), numRuns: runs(150, 5000) });
});

function mentionsPolicy(mutation: Mutation): boolean {
  return JSON.stringify(mutation).includes('plan.policy');
}

/** What ann was told: the tasks of her sight as they are. */
async function knownItems(): Promise<readonly object[]> {
  const opened = await desk.rooms.open('room');
  if (!opened.ok) throw new Error(opened.error.message);
  const sight = await opened.value.readSight('ann', 'car');
  const shown = new Set((sight.ok && sight.value?.shown) || []);
  return [...opened.value.plan.tasks()]
    .filter(({ uid }) => shown.has(uid))
    .map(({ description, status }) => ({
      text: oneLine(description),
      status: status === 'completed' ? 'done' : status === 'cancelled' ? 'dropped' : 'open',
    }));
}
