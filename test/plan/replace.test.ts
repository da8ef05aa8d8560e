import { describe, expect, test } from 'vitest';
import { apply, markOf } from '../../shared/plan/apply.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import type { RejectionCode } from '../../shared/plan/rejection.ts';
import { PlanHarness } from '../support/plan-harness.ts';
import { Random, runs, testSeed } from '../support/random.ts';

type Items = Extract<Mutation, { type: 'tasks.replace' }>['items'];

/** A plan with tasks of these texts in one group. */
function planWith(...texts: string[]): PlanHarness {
  const harness = new PlanHarness();
  for (const description of texts) harness.accept({ type: 'task.add', description, group: 'G' });
  return harness;
}

function items(...texts: string[]): Items {
  return texts.map((description) => ({ description }));
}

function texts(harness: PlanHarness): string[] {
  return [...harness.plan.tasks()].map((task) => task.description);
}

function rows(harness: PlanHarness): string[] {
  return [...harness.plan.tasks()].map((task) => `task-${task.number} ${task.description} ${task.status}`);
}

describe('a full list when nobody else changed anything', () => {
  test('is the result exactly: order, texts, statuses; known tasks keep their ids', () => {
    const harness = planWith('a', 'b', 'c');
    const list: Items = [
      { description: 'c', status: 'completed' },
      { description: 'new' },
      { description: 'a', status: 'in_progress' },
      { description: 'last' },
    ];
    harness.accept({ type: 'tasks.replace', items: list, base: 3 });
    const wanted = ['task-3 c completed', 'task-4 new pending', 'task-1 a in_progress', 'task-5 last pending'];
    expect(rows(harness)).toEqual(wanted);
  });

  test('sent again unchanged is no Change at all', () => {
    const harness = planWith('a', 'b', 'c');
    const before = harness.plan.toSnapshot();
    harness.accept({ type: 'tasks.replace', items: items('a', 'b', 'c'), base: 3 });
    expect(harness.plan.toSnapshot().tasks).toEqual(before.tasks);
  });

  test('an item in the place of another is that task with a new text, when nothing else was added or removed', () => {
    const harness = planWith('a', 'b', 'c');
    harness.accept({ type: 'tasks.replace', items: items('a', 'better b', 'c'), base: 3 });
    expect(rows(harness)).toEqual(['task-1 a pending', 'task-2 better b pending', 'task-3 c pending']);
  });

  test('blanks and case do not make another task, and the new spelling counts', () => {
    const harness = planWith('Write the  tests', 'b');
    harness.accept({ type: 'tasks.replace', items: items('b', 'write the tests', 'c'), base: 2 });
    expect(rows(harness)).toEqual(['task-2 b pending', 'task-1 write the tests pending', 'task-3 c pending']);
  });

  test('an empty list takes away everything the writer saw', () => {
    const harness = planWith('a', 'b');
    harness.accept({ type: 'tasks.replace', items: [], base: 2 });
    expect(texts(harness)).toEqual([]);
  });

  test('a move touches the moved task alone', () => {
    const harness = planWith('a', 'b', 'c', 'd', 'e');
    const { change } = harness.accept({ type: 'tasks.replace', items: items('e', 'a', 'b', 'c', 'd'), base: 5 });
    expect(texts(harness)).toEqual(['e', 'a', 'b', 'c', 'd']);
    expect(change.patch.tasks?.length).toBe(1);
  });

  test('what the list cannot say stays: labels, priority, dependencies', () => {
    const harness = planWith('a');
    harness.accept({ type: 'task.edit', task: 'task-1', labels: ['x'], priority: 'high', dependsOn: ['task-9'] });
    harness.accept({ type: 'tasks.replace', items: [{ description: 'a', status: 'completed' }], base: 2 });
    expect(harness.plan.findTask('task-1')).toMatchObject({ labels: ['x'], priority: 'high', dependsOn: ['task-9'] });
  });

  test('groups are made and changed as the items say; a new item without one follows its neighbour', () => {
    const harness = planWith('a', 'b');
    const list: Items = [{ description: 'a', group: 'Other' }, { description: 'new' }, { description: 'b' }];
    harness.accept({ type: 'tasks.replace', items: list, base: 2 });
    const byGroup = harness.plan
      .groups()
      .map((group) => [group.title, harness.plan.tasksOf(group.uid).map((t) => t.description)]);
    expect(byGroup).toEqual([
      ['Other', ['a', 'new']],
      ['G', ['b']],
    ]);
  });
});

describe('a full list when others changed the plan meanwhile', () => {
  test('tasks they added stay, and the writer is told', () => {
    const harness = planWith('a');
    harness.accept({ type: 'task.add', description: 'foreign', group: 'G' }, 'bob');
    const { nags } = harness.accept({ type: 'tasks.replace', items: items('a', 'mine'), base: 1 });
    expect(texts(harness)).toEqual(['a', 'foreign', 'mine']);
    expect(nags).toMatchObject([{ code: 'merged', message: expect.stringContaining('task-2') }]);
  });

  test('a dropped task goes only if nobody changed it since', () => {
    const harness = planWith('a', 'b', 'c');
    harness.accept({ type: 'task.edit', task: 'task-2', description: 'b, by bob' }, 'bob');
    const { nags } = harness.accept({ type: 'tasks.replace', items: items('a'), base: 3 });
    expect(texts(harness)).toEqual(['a', 'b, by bob']);
    expect(nags).toMatchObject([{ code: 'merged', message: expect.stringContaining('bob') }]);
  });

  test('a task they removed is not raised from the dead, changed by the writer or not', () => {
    const harness = planWith('a', 'b');
    harness.accept({ type: 'task.remove', task: 'task-2' }, 'bob');
    const list: Items = [{ description: 'a' }, { description: 'b', status: 'completed' }];
    const { nags } = harness.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(texts(harness)).toEqual(['a']);
    expect(nags).toMatchObject([{ code: 'merged', message: expect.stringContaining('removed') }]);
  });

  test('field by field: what the writer changed wins, what it did not keeps its present value', () => {
    const harness = planWith('a');
    harness.accept({ type: 'task.start', task: 'task-1' }, 'bob');
    harness.accept({
      type: 'tasks.replace',
      items: [{ task: 'task-1', description: 'better a', status: 'pending' }],
      base: 1,
    });
    expect(harness.plan.findTask('task-1')).toMatchObject({
      description: 'better a',
      status: 'in_progress',
      startedBy: 'bob',
    });
  });

  test('a task another finished is not started again by an old list', () => {
    const harness = planWith('a');
    harness.accept({ type: 'task.complete', task: 'task-1' }, 'bob');
    const { nags } = harness.accept({
      type: 'tasks.replace',
      items: [{ description: 'a', status: 'in_progress' }],
      base: 1,
    });
    expect(rows(harness)).toEqual(['task-1 a completed']);
    expect(nags).toMatchObject([{ code: 'merged' }]);
  });

  test('a task another took first is not taken over', () => {
    const harness = planWith('a');
    harness.accept({ type: 'task.start', task: 'task-1' }, 'bob');
    const { nags } = harness.accept({
      type: 'tasks.replace',
      items: [{ description: 'a', status: 'in_progress' }],
      base: 1,
    });
    expect(harness.plan.findTask('task-1')).toMatchObject({ startedBy: 'bob' });
    expect(nags).toMatchObject([{ code: 'merged', message: expect.stringContaining('bob') }]);
  });

  test('a writer that never saw the plan only adds, and adds nothing twice', () => {
    const harness = planWith('a', 'b');
    harness.accept({ type: 'tasks.replace', items: items('B', 'c') });
    expect(texts(harness).sort()).toEqual(['a', 'b', 'c']);
  });

  test('rows a dialect did not show are not taken for dropped', () => {
    const harness = planWith('a', 'b');
    const first = harness.plan.findTask('task-1')?.uid ?? '';
    harness.accept({ type: 'tasks.replace', items: items('a again'), base: 2, shown: [first] });
    expect(texts(harness)).toEqual(['a again', 'b']);
  });

  test('an id means the task that had it when the writer looked', () => {
    const harness = planWith('a', 'b');
    harness.accept({ type: 'task.remove', task: 'task-2' }, 'bob');
    harness.accept({ type: 'task.add', description: 'another', group: 'G' }, 'bob');
    const list: Items = [
      { task: 'task-1', description: 'a' },
      { task: 'task-2', description: 'b', status: 'completed' },
    ];
    harness.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(rows(harness)).toEqual(['task-1 a pending', 'task-2 another pending']);
  });
});

describe('rules of full lists', () => {
  test.each<[string, Items, RejectionCode, string]>([
    ['a blank description', items('a', ' '), 'blank_text', 'item 2'],
    ['a key like an id', [{ description: 'a', key: 'task-01' }], 'invalid', 'task-01'],
    [
      'a key twice',
      [
        { description: 'a', key: 'k' },
        { description: 'b', key: 'k' },
      ],
      'duplicate_key',
      "'k'",
    ],
    ['an unknown id', [{ description: 'a', task: 'task-9' }], 'task_not_found', 'task-9'],
    [
      'an id twice',
      [
        { description: 'a', task: 'task-1' },
        { description: 'b', task: 'task-1' },
      ],
      'duplicate_key',
      'task-1',
    ],
    [
      'two in progress',
      [
        { description: 'x', status: 'in_progress' },
        { description: 'y', status: 'in_progress' },
      ],
      'busy',
      'task-2',
    ],
  ])('%s is refused', (_name, list, code, mention) => {
    const harness = planWith('a');
    const rejection = harness.refuse(code, { type: 'tasks.replace', items: list, base: 1 });
    expect(rejection.message).toContain(mention);
  });

  test('a base that has not been, or whose history is gone, is refused', () => {
    const harness = planWith('a');
    harness.refuse('unknown_revision', { type: 'tasks.replace', items: [], base: 9 });
    harness.accept({ type: 'task.add', description: 'b', group: 'G' });
    harness.lost.add(2);
    harness.refuse('unknown_revision', { type: 'tasks.replace', items: [], base: 1 });
  });

  test('keys of siblings become ids; unknown ones, loops and open ones are nagged about', () => {
    const harness = new PlanHarness();
    const { nags } = harness.accept({
      type: 'tasks.replace',
      items: [
        { description: 'a', key: 'x', dependsOn: ['y', 'nope'] },
        { description: 'b', key: 'y', dependsOn: ['x'] },
        { description: 'c', status: 'in_progress', dependsOn: ['y'] },
      ],
    });
    expect([...harness.plan.tasks()].map((task) => task.dependsOn)).toEqual([
      ['task-2', 'nope'],
      ['task-1'],
      ['task-2'],
    ]);
    expect(nags.map((nag) => nag.code)).toEqual(['unknown_dependency', 'dependency_cycle', 'dependency_open']);
  });

  test('a room that lets lists replace makes the plan what was sent', () => {
    const harness = planWith('a', 'b');
    harness.accept({ type: 'plan.policy', fullListWrites: 'replace' });
    harness.accept({ type: 'tasks.replace', items: items('b', 'z', 'y') });
    expect(rows(harness)).toEqual(['task-2 b pending', 'task-3 z pending', 'task-4 y pending']);
  });
});

test(
  'four writers of full lists in any order: no task of another is lost, none comes back',
  () => {
    const seed = testSeed('full lists');
    for (let round = 0; round < runs(1_000, 20_000); round += 1) {
      const harness = new PlanHarness();
      playRound(harness, new Random(seed + round), `PLANROOM_SEED=${seed}, round ${round}`);
      checkReplay(harness);
    }
  },
  runs(60_000, 900_000),
);

/** Each writer keeps the list it last saw, changes it, and writes it whole, at random moments; one also removes. */
function playRound(harness: PlanHarness, random: Random, name: string): void {
  const writers = ['ann', 'bob', 'cy', 'di'].map((actor) => ({ actor, base: 0, list: [] as Items }));
  /** Texts that someone added, and that nobody dropped from a list that showed them or removed. */
  const alive = new Set<string>();
  const removed = new Set<string>();
  let made = 0;
  for (let step = 0; step < 24; step += 1) {
    const writer = random.pick(writers);
    const dice = random.next();
    if (dice < 0.35) {
      writer.base = harness.plan.revision;
      writer.list = [...harness.plan.tasks()].map((task) => ({ description: task.description, status: task.status }));
    } else if (dice < 0.45 && harness.plan.taskCount > 0) {
      const victim = random.pick([...harness.plan.tasks()]);
      harness.accept({ type: 'task.remove', task: victim.uid }, writer.actor);
      alive.delete(victim.description);
      removed.add(victim.description);
    } else {
      const text = `${writer.actor} ${made++}`;
      const place = random.between(0, writer.list.length);
      const list = [...writer.list.slice(0, place), { description: text }, ...writer.list.slice(place)];
      const dropped = random.next() < 0.3 ? list.splice(random.between(0, list.length - 1), 1) : [];
      harness.accept({ type: 'tasks.replace', items: list, base: writer.base }, writer.actor);
      alive.add(text);
      for (const { description } of dropped) if (!texts(harness).includes(description)) alive.delete(description);
      for (const { description } of dropped) removed.add(description);
      writer.base = harness.plan.revision;
      writer.list = [...harness.plan.tasks()].map((task) => ({ description: task.description, status: task.status }));
    }
    const present = texts(harness);
    expect(
      [...alive].filter((each) => !present.includes(each)),
      `${name}: lost`,
    ).toEqual([]);
    expect(
      present.filter((each) => removed.has(each) && !alive.has(each)),
      `${name}: came back`,
    ).toEqual([]);
    expect(new Set(present).size, `${name}: doubled`).toBe(present.length);
  }
}

/** The Changes, through JSON, make the same plan; and their undos, backwards, take it all back. */
function checkReplay(harness: PlanHarness): void {
  const replayed = new Plan('room', 'epoch');
  const marks = harness.records.map(({ change }) => {
    const before = markOf(replayed);
    apply(replayed, JSON.parse(JSON.stringify(change.patch)), change);
    return before;
  });
  expect(replayed.toSnapshot()).toEqual(harness.plan.toSnapshot());
  for (const { undo } of [...harness.records].reverse()) apply(replayed, undo, marks.pop() ?? markOf(replayed));
  expect(replayed.toSnapshot()).toEqual(new Plan('room', 'epoch').toSnapshot());
}
