import { describe, expect, test } from 'vitest';
import { taskId } from '../../shared/plan/model.ts';
import { mutationSchema } from '../../shared/plan/mutation.ts';
import { nagCodes, onlyNag, PlanHarness } from '../support/plan-harness.ts';

/** The plan most cases of the seed start from. */
function seedPlan(): PlanHarness {
  const room = new PlanHarness();
  room.accept({ type: 'task.add', group: 'DB', description: 'tables' });
  room.accept({ type: 'task.add', group: 'DB', description: 'indexes', dependsOn: ['task-1'] });
  room.accept({ type: 'task.add', group: 'API', description: 'routes' });
  return room;
}

describe('task.add', () => {
  test('[S0-01] the first task makes the group and is task-1, pending and without dependencies', () => {
    const room = new PlanHarness();
    const { nags } = room.accept({ type: 'task.add', group: 'default', description: 'Stop the drip' });
    expect(nags).toEqual([]);
    expect(room.list()).toEqual([['default', 'task-1 pending Stop the drip']]);
    expect(room.task('task-1')).toMatchObject({ dependsOn: [], createdBy: 'ann', createdRevision: 1, revision: 1 });
    expect(room.plan.groups()[0]?.testsVerified).toBe(false);
  });

  test('[S0-02] numbers run on across groups, and groups stand in the order in which they came', () => {
    const room = new PlanHarness().with('alpha', 'x').with('beta', 'y').with('alpha', 'z');
    expect(room.list()).toEqual([
      ['alpha', 'task-1 pending x', 'task-3 pending z'],
      ['beta', 'task-2 pending y'],
    ]);
  });

  test('[S0-03] a description that is empty or blank is refused', () => {
    const room = new PlanHarness();
    for (const description of ['', '   ', '\n\t', '\u0085\u3000']) {
      expect(room.refuse('blank_text', { type: 'task.add', group: 'g', description }).message).toMatch(/description/);
    }
    expect(room.list()).toEqual([]);
  });

  test('[S0.3] the text is stored untrimmed, and U+FEFF alone is text', () => {
    const room = new PlanHarness().with('g', '  a \n', '\ufeff');
    expect(room.texts()).toEqual(['  a \n', '\ufeff']);
  });

  test('[S0.3] half of a surrogate pair is refused wherever text is kept', () => {
    const room = new PlanHarness().with('g', '😀');
    const half = '\ud83d';
    room.refuse('invalid', { type: 'task.add', description: half });
    room.refuse('invalid', { type: 'task.add', description: 'a', group: half });
    room.refuse('invalid', { type: 'task.add', description: 'a', dependsOn: [half] });
    room.refuse('invalid', { type: 'task.add', description: 'a', labels: [half] });
    room.refuse('invalid', { type: 'task.add', description: 'a', priority: half });
    room.refuse('invalid', { type: 'document.write', content: half });
  });

  test('[S0-05] an unknown dependency is kept as written, with one nag that names it', () => {
    const room = new PlanHarness();
    const record = room.accept({ type: 'task.add', description: 't', dependsOn: ['nope'] });
    expect(onlyNag(record, 'unknown_dependency')).toMatch(/nope.*does not exist/);
    expect(room.task('task-1').dependsOn).toEqual(['nope']);
  });

  test('[S0.3] one nag per entry, in order: itself, unknown, and repeats twice', () => {
    const room = seedPlan();
    const dependsOn = ['task-4', 'ghost', 'task-1', 'ghost'];
    const record = room.accept({ type: 'task.add', description: 't', dependsOn });
    expect(nagCodes(record)).toEqual(['self_dependency', 'unknown_dependency', 'unknown_dependency']);
    expect(record.nags[0]?.message).toMatch(/task-4.*self-reference/);
    expect(room.task('task-4').dependsOn).toEqual(dependsOn);
  });

  test('[S0-08] adding looks for missing ids only: a cycle closed by a forward reference goes unnoticed', () => {
    const room = new PlanHarness();
    room.accept({ type: 'task.add', description: 'A', dependsOn: ['task-2'] });
    expect(room.accept({ type: 'task.add', description: 'B', dependsOn: ['task-1'] }).nags).toEqual([]);
  });

  test('[S0-09] the highest number is free again once its task is removed; holes below it are not refilled', () => {
    const room = seedPlan();
    room.accept({ type: 'task.remove', task: 'task-3' });
    room.accept({ type: 'task.add', group: 'API', description: 'again' });
    expect(room.list()[1]).toEqual(['API', 'task-3 pending again']);
    room.accept({ type: 'task.remove', task: 'task-1' });
    room.with('DB', 'next');
    expect(room.list()[0]).toEqual(['DB', 'task-2 pending indexes', 'task-4 pending next']);
  });

  test('[S0-30] adding to a verified group leaves it verified', () => {
    const room = new PlanHarness().with('backend', 'one');
    room.accept({ type: 'group.verify', group: 'backend' });
    room.with('backend', 'two');
    expect(room.plan.findGroup('backend')?.testsVerified).toBe(true);
  });

  test('[S0.1] an empty title is a legal group', () => {
    expect(new PlanHarness().with('', 'a').list()).toEqual([['', 'task-1 pending a']]);
  });

  test('a task that names no group goes to the group «Tasks»', () => {
    const room = new PlanHarness();
    room.accept({ type: 'task.add', description: 'a' });
    expect(room.list()).toEqual([['Tasks', 'task-1 pending a']]);
  });

  test('a uid that a row has already is refused', () => {
    const room = new PlanHarness();
    room.accept({ type: 'task.add', description: 'a', uid: 'my-own-uid' });
    room.refuse('uid_taken', { type: 'task.add', description: 'b', uid: 'my-own-uid' });
    room.refuse('uid_taken', { type: 'group.add', title: 'b', uid: 'my-own-uid' });
  });

  test('a uid that looks like an id would shadow the task with that id, so it is not a uid', () => {
    const add = { type: 'task.add', description: 'a' };
    expect(mutationSchema.safeParse({ ...add, uid: 'task-1234' }).success).toBe(false);
    expect(mutationSchema.safeParse({ ...add, uid: 'task-12a4' }).success).toBe(true);
    expect(mutationSchema.safeParse({ ...add, uid: 'short' }).success).toBe(false);
  });
});

describe('task.edit', () => {
  test('[S0-36] a blank description voids the whole edit', () => {
    const room = seedPlan();
    room.refuse('blank_text', { type: 'task.edit', task: 'task-1', description: ' ', group: 'New', dependsOn: [] });
  });

  test('[S0.3] an unknown id is refused, named, and List is pointed to', () => {
    const room = seedPlan();
    const { message } = room.refuse('task_not_found', { type: 'task.edit', task: 'ghost', description: 'a' });
    expect(message).toMatch(/ghost.*does not exist.*List/);
  });

  test('[S0.3] dependencies replace the whole list, and an empty list clears it', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: ['task-3', 'task-3'] });
    expect(room.task('task-2').dependsOn).toEqual(['task-3', 'task-3']);
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: [] });
    expect(room.task('task-2').dependsOn).toEqual([]);
  });

  test('[S0.3] each entry is nagged about once: itself, unknown, or part of a circular chain', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-3', dependsOn: ['task-2'] });
    const dependsOn = ['task-1', 'ghost', 'task-3', 'task-2'];
    const record = room.accept({ type: 'task.edit', task: 'task-1', dependsOn });
    expect(nagCodes(record)).toEqual(['self_dependency', 'unknown_dependency', 'dependency_cycle', 'dependency_cycle']);
    expect(record.nags[2]?.message).toMatch(/task-1.*task-3.*circular.*stored/);
    expect(room.task('task-1').dependsOn).toEqual(dependsOn);
  });

  test('[S0.3] chains are looked for in the graph before the edit', () => {
    const room = new PlanHarness().with('g', 'a', 'b');
    room.accept({ type: 'task.edit', task: 'task-1', dependsOn: ['task-2'] });
    expect(room.accept({ type: 'task.edit', task: 'task-1', dependsOn: ['task-2'] }).nags).toEqual([]);
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: [room.task('task-1').uid] });
    const again = room.accept({ type: 'task.edit', task: 'task-1', dependsOn: ['task-2'] });
    expect(onlyNag(again, 'dependency_cycle')).toContain('task-2');
  });

  test('[S0-37a] a task that goes to another group is last there; its number and both flags stay', () => {
    const room = seedPlan();
    room.accept({ type: 'group.verify', group: 'API' });
    expect(room.accept({ type: 'task.edit', task: 'task-1', group: 'API' }).nags).toEqual([]);
    expect(room.list()).toEqual([
      ['DB', 'task-2 pending indexes'],
      ['API', 'task-3 pending routes', 'task-1 pending tables'],
    ]);
    expect(room.plan.groups().map((group) => group.testsVerified)).toEqual([false, true]);
  });

  test('[S0-37b] a new title makes the group at the end and leaves the old one empty', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-3', group: 'New' });
    expect(room.list().slice(1)).toEqual([['API'], ['New', 'task-3 pending routes']]);
  });

  test('[S0.3] the title of its own group is no move', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-1', group: 'DB' });
    expect(room.list()[0]).toEqual(['DB', 'task-1 pending tables', 'task-2 pending indexes']);
    expect(room.task('task-1').revision).toBe(1);
  });

  test('priority and labels are set, kept and taken away', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-1', priority: 'high', labels: ['a', 'b'] });
    room.accept({ type: 'task.edit', task: 'task-1', description: 'x' });
    expect(room.task('task-1')).toMatchObject({ priority: 'high', labels: ['a', 'b'], description: 'x' });
    room.accept({ type: 'task.edit', task: 'task-1', priority: null, labels: [] });
    expect(JSON.parse(JSON.stringify(room.task('task-1')))).not.toHaveProperty('labels');
    expect(room.task('task-1').priority).toBeUndefined();
  });
});

describe('task.move', () => {
  test('a task goes before or after another, or to the end', () => {
    const room = new PlanHarness().with('g', 'a', 'b', 'c');
    room.accept({ type: 'task.move', task: 'task-3', before: 'task-1' });
    expect(room.texts()).toEqual(['c', 'a', 'b']);
    room.accept({ type: 'task.move', task: 'task-3', after: 'task-1' });
    expect(room.texts()).toEqual(['a', 'c', 'b']);
    room.accept({ type: 'task.move', task: 'task-1' });
    expect(room.texts()).toEqual(['c', 'b', 'a']);
  });

  test('a task goes beside a task of another group, or to a group that is made for it', () => {
    const room = seedPlan();
    room.accept({ type: 'task.move', task: 'task-3', before: 'task-2' });
    expect(room.list()[0]).toEqual(['DB', 'task-1 pending tables', 'task-3 pending routes', 'task-2 pending indexes']);
    room.accept({ type: 'task.move', task: 'task-3', group: 'New' });
    expect(room.list().at(-1)).toEqual(['New', 'task-3 pending routes']);
  });

  test('a place that cannot be is refused', () => {
    const room = seedPlan();
    room.refuse('invalid', { type: 'task.move', task: 'task-1', before: 'task-1' });
    room.refuse('invalid', { type: 'task.move', task: 'task-1', before: 'task-2', after: 'task-2' });
    room.refuse('invalid', { type: 'task.move', task: 'task-1', group: 'API', before: 'task-2' });
    room.refuse('task_not_found', { type: 'task.move', task: 'task-1', after: 'ghost' });
  });

  test('many moves into one gap keep the order and never grow the keys without end', () => {
    const room = new PlanHarness().with('g', 'a', 'b', 'c', 'd');
    for (let step = 0; step < 500; step += 1) {
      const [first, , third] = [...room.plan.tasks()];
      room.accept({ type: 'task.move', task: third?.uid ?? '', after: first?.uid ?? '' });
    }
    expect(room.texts()).toEqual(['a', 'b', 'c', 'd']);
    expect(Math.max(...[...room.plan.tasks()].map((task) => task.order.length))).toBeLessThanOrEqual(64);
  });
});

describe('task.remove', () => {
  test('[S0-23] removing a task that others name leaves the stale references, with one nag that names all', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-3', dependsOn: ['task-1'] });
    const message = onlyNag(room.accept({ type: 'task.remove', task: 'task-1' }), 'dependents');
    expect(message).toContain("'task-1' is gone");
    expect(message).toContain("'task-2' and 'task-3' still list it");
    expect(room.task('task-2').dependsOn).toEqual(['task-1']);
  });

  test('one task that names it is spoken of in the singular', () => {
    const room = new PlanHarness().with('A', 'one', 'two');
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: ['task-1'] });
    const message = onlyNag(room.accept({ type: 'task.remove', task: 'task-1' }), 'dependents');
    expect(message).toContain("'task-2' still lists it");
  });

  test('[S0-25] the group stays even if it is empty now; a task of any status may go', () => {
    const room = seedPlan();
    room.accept({ type: 'task.complete', task: 'task-3' });
    expect(room.accept({ type: 'task.remove', task: 'task-3' }).nags).toEqual([]);
    expect(room.list().at(-1)).toEqual(['API']);
  });
});

describe('the base guard of a task', () => {
  test('an edit goes through as long as that task did not change after its base', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-2', description: 'other' }, 'bob');
    room.accept({ type: 'task.edit', task: 'task-1', description: 'mine', base: 3 });
    const refused = room.refuse('conflict', { type: 'task.edit', task: 'task-2', description: 'mine', base: 3 });
    expect(refused.message).toMatch(/task-2.*revision 4.*base 3.*bob.*[Rr]e-read/);
    expect(refused.facts).toMatchObject({ expected: 3, current: 4 });
  });

  test('an id that was given anew since the base is refused instead of hitting the wrong task', () => {
    const room = seedPlan();
    room.accept({ type: 'task.remove', task: 'task-3' }, 'bob');
    room.with('API', 'another');
    room.refuse('stale_task', { type: 'task.complete', task: 'task-3', base: 3 });
    room.refuse('conflict', { type: 'task.complete', task: room.task('task-3').uid, base: 3 });
    room.accept({ type: 'task.complete', task: 'task-3', base: 5 });
  });

  test('a base that has not been yet is refused', () => {
    const room = seedPlan();
    room.refuse('unknown_revision', { type: 'task.edit', task: 'task-1', description: 'a', base: 4 });
  });

  test('tasks are found by uid and by id, exactly', () => {
    const room = seedPlan();
    expect(taskId(room.task(room.task('task-2').uid))).toBe('task-2');
    for (const task of ['task-02', 'Task-2', ' task-2', '2', 'task-']) {
      room.refuse('task_not_found', { type: 'task.remove', task });
    }
  });
});
