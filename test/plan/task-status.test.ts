import { describe, expect, test } from 'vitest';
import { nagCodes, onlyNag, PlanHarness } from '../support/plan-harness.ts';

function seedPlan(): PlanHarness {
  const room = new PlanHarness();
  room.accept({ type: 'task.add', group: 'DB', description: 'tables' });
  room.accept({ type: 'task.add', group: 'DB', description: 'indexes', dependsOn: ['task-1'] });
  room.accept({ type: 'task.add', group: 'API', description: 'routes' });
  return room;
}

describe('task.start', () => {
  test('[S0-11] a pending task is put in progress, by whoever asked', () => {
    const room = seedPlan();
    expect(room.accept({ type: 'task.start', task: 'task-1' }).nags).toEqual([]);
    expect(room.task('task-1')).toMatchObject({ status: 'in_progress', startedBy: 'ann' });
  });

  test('[S0-12] while one task is in progress its actor can start no other; both ids and the way out are named', () => {
    const room = seedPlan();
    room.accept({ type: 'task.start', task: 'task-1' });
    const { message, facts } = room.refuse('busy', { type: 'task.start', task: 'task-3' });
    expect(message).toMatch(/[Oo]nly one task.*'task-1'.*'task-3'.*[Cc]omplete or cancel/);
    expect(facts).toMatchObject({ busy: ['task-1'] });
  });

  test('[S0.3] several busy tasks are joined as a sentence, in list order', () => {
    const room = seedPlan().with('API', 'last');
    room.accept({ type: 'plan.policy', inProgress: 'any' });
    for (const task of ['task-3', 'task-2', 'task-1']) room.accept({ type: 'task.start', task });
    room.accept({ type: 'plan.policy', inProgress: 'one-per-plan' });
    expect(room.refuse('busy', { type: 'task.start', task: 'task-4' }).message).toContain(
      "'task-1', 'task-2', and 'task-3' are",
    );
    room.accept({ type: 'task.complete', task: 'task-2' });
    expect(room.refuse('busy', { type: 'task.start', task: 'task-4' }).message).toContain("'task-1' and 'task-3' are");
  });

  test('[S0-14] a dependency that is not completed does not block, it is nagged about with its status', () => {
    const room = seedPlan();
    expect(onlyNag(room.accept({ type: 'task.start', task: 'task-2' }), 'dependency_open')).toMatch(
      /task-2.*task-1.*pending/,
    );
    room.accept({ type: 'task.cancel', task: 'task-1' });
    expect(onlyNag(room.accept({ type: 'task.start', task: 'task-2' }), 'dependency_open')).toContain('cancelled');
  });

  test('[S0-16] a dependency that was removed is nagged about as gone; one that is completed is not', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: ['task-1', 'task-3', 'task-1'] });
    room.accept({ type: 'task.complete', task: 'task-3' });
    room.accept({ type: 'task.remove', task: 'task-1' });
    const record = room.accept({ type: 'task.start', task: 'task-2' });
    expect(nagCodes(record)).toEqual(['dependency_gone', 'dependency_gone']);
    expect(record.nags[0]?.message).toMatch(/task-1.*no longer exists/);
  });

  test('[S0-18] an unknown id is refused, named, and List is pointed to', () => {
    expect(seedPlan().refuse('task_not_found', { type: 'task.start', task: 'ghost' }).message).toMatch(/ghost.*List/);
  });

  test('[S0.3] starting the task that is in progress already changes nothing and nags again', () => {
    const room = seedPlan();
    room.accept({ type: 'task.start', task: 'task-2' });
    const again = room.accept({ type: 'task.start', task: 'task-2' });
    expect(nagCodes(again)).toEqual(['dependency_open']);
    expect(again.change.patch).toEqual({});
    expect(room.task('task-2').revision).toBe(4);
  });

  test('[S0.3] a finished task may be started again, unless the room is strict about it', () => {
    const room = seedPlan();
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'plan.policy', strictTerminal: true });
    expect(room.refuse('terminal', { type: 'task.start', task: 'task-1' }).message).toMatch(
      /task-1.*completed.*reopen/i,
    );
    room.accept({ type: 'plan.policy', strictTerminal: false });
    room.accept({ type: 'task.start', task: 'task-1' });
    expect(room.task('task-1').status).toBe('in_progress');
  });

  test('two actors work at once; a task of another is not taken over', () => {
    const room = seedPlan();
    room.accept({ type: 'task.start', task: 'task-1' }, 'ann');
    room.accept({ type: 'task.start', task: 'task-3' }, 'bob');
    const { message, facts } = room.refuse('taken', { type: 'task.start', task: 'task-1' }, 'cy');
    expect(message).toMatch(/task-1.*'ann'/);
    expect(facts).toEqual({ task: 'task-1', startedBy: 'ann' });
  });

  test('one-per-plan counts every actor, any counts none', () => {
    const room = seedPlan();
    room.accept({ type: 'plan.policy', inProgress: 'one-per-plan' });
    room.accept({ type: 'task.start', task: 'task-1' }, 'ann');
    room.refuse('busy', { type: 'task.start', task: 'task-3' }, 'bob');
    room.accept({ type: 'plan.policy', inProgress: 'any' });
    room.accept({ type: 'task.start', task: 'task-3' }, 'ann');
    expect(room.plan.countByStatus().in_progress).toBe(2);
  });
});

describe('task.complete and task.cancel', () => {
  test('[S0-19] each open task that waits for it is nagged about once, with the new status', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-3', dependsOn: ['task-1', 'task-1'] });
    const record = room.accept({ type: 'task.complete', task: 'task-1' });
    expect(nagCodes(record)).toEqual(['dependents', 'dependents']);
    expect(record.nags[0]?.message).toMatch(/task-2.*task-1.*completed/);
    expect(record.nags[1]?.message).toMatch(/task-3.*task-1.*completed/);
  });

  test('[S0.3] finished tasks that name it are not nagged about, cancelling nags like completing', () => {
    const room = seedPlan();
    room.accept({ type: 'task.edit', task: 'task-3', dependsOn: ['task-1'] });
    room.accept({ type: 'task.complete', task: 'task-2' });
    expect(onlyNag(room.accept({ type: 'task.cancel', task: 'task-1' }), 'dependents')).toMatch(/task-3.*cancelled/);
  });

  test('[S0-20] a finished task is not crossed off again, whichever way is asked', () => {
    const room = new PlanHarness().with('g', 'one', 'two');
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'task.cancel', task: 'task-2' });
    for (const type of ['task.complete', 'task.cancel'] as const) {
      expect(room.refuse('terminal', { type, task: 'task-1' }).message).toMatch(/task-1.*completed/);
      expect(room.refuse('terminal', { type, task: 'task-2' }).message).toMatch(/task-2.*cancelled already\. Reopen/);
    }
  });

  test('[S0-22] finishing the task in progress frees the slot for another, whoever finishes it', () => {
    const room = seedPlan();
    room.accept({ type: 'task.start', task: 'task-1' });
    room.accept({ type: 'task.complete', task: 'task-1' }, 'bob');
    room.accept({ type: 'task.start', task: 'task-3' });
    expect(room.task('task-1').startedBy).toBeUndefined();
    room.accept({ type: 'task.cancel', task: 'task-3' });
    room.accept({ type: 'task.start', task: 'task-2' });
  });

  test('done and abandoned are different and counted apart', () => {
    const room = seedPlan();
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'task.cancel', task: 'task-3' });
    expect(room.plan.countByStatus()).toEqual({ pending: 1, in_progress: 0, completed: 1, cancelled: 1 });
  });
});

describe('task.reopen', () => {
  test('a finished task, or one in progress, goes back to pending; a pending one has nothing to reopen', () => {
    const room = seedPlan();
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'task.start', task: 'task-3' }, 'bob');
    room.accept({ type: 'task.reopen', task: 'task-1' });
    room.accept({ type: 'task.reopen', task: 'task-3' });
    expect(room.plan.countByStatus().pending).toBe(3);
    expect(room.task('task-3').startedBy).toBeUndefined();
    expect(room.refuse('not_terminal', { type: 'task.reopen', task: 'task-1' }).message).toContain('task-1');
  });
});

describe('a task that another has in progress', () => {
  test.each(['task.complete', 'task.cancel', 'task.remove'] as const)(
    '%s goes through, and says whose it was',
    (type) => {
      const room = new PlanHarness().with('A', 'one');
      room.accept({ type: 'task.start', task: 'task-1' }, 'mo');
      const record = room.accept({ type, task: 'task-1' }, 'ann');
      expect(nagCodes(record)).toEqual(['of_another']);
      expect(record.nags[0]?.message).toContain("'mo'");
    },
  );

  test('one of its own is ended without a word', () => {
    const room = new PlanHarness().with('A', 'one');
    room.accept({ type: 'task.start', task: 'task-1' }, 'mo');
    expect(room.accept({ type: 'task.complete', task: 'task-1' }, 'mo').nags).toEqual([]);
  });
});
