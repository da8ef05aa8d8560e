import { describe, expect, test } from 'vitest';
import { apply } from '../../shared/plan/apply.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { PlanHarness } from '../support/plan-harness.ts';

describe('rows that come and go within one batch', () => {
  test('are in neither patch nor undo: such a batch changes nothing', () => {
    const room = new PlanHarness().with('A', 'one');
    const { change, undo } = room.accept({
      type: 'batch',
      mutations: [
        { type: 'group.add', title: 'T' },
        { type: 'task.add', description: 'tmp', group: 'T' },
        { type: 'group.remove', group: 'T', withTasks: true },
      ],
    });
    expect([change.patch, undo]).toEqual([{}, {}]);
  });

  test('leave what else the batch does', () => {
    const room = new PlanHarness().with('A', 'one');
    const { change } = room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.add', description: 'tmp', group: 'New' },
        { type: 'plan.load', markdown: '## X\n- [ ] a' },
      ],
    });
    room.accept({ type: 'plan.revert', revision: change.revision });
    expect(room.list()).toEqual([['A', 'task-1 pending one']]);
  });

  test('a uid that goes and comes back is that of a new task, made by whoever sent the batch', () => {
    const room = new PlanHarness();
    const add = { type: 'task.add', uid: 'same-uid-1', group: 'A' } as const;
    room.accept({ ...add, description: 'old' }, 'ann');
    const batch = [{ type: 'task.remove', task: 'task-1' } as const, { ...add, description: 'new' }];
    room.accept({ type: 'batch', mutations: batch }, 'bob');
    expect(room.task('same-uid-1')).toMatchObject({ createdBy: 'bob', createdRevision: 2 });
    const replayed = new Plan('room', 'epoch');
    for (const { change } of room.records) apply(replayed, change.patch, change);
    expect(replayed.task('same-uid-1')).toEqual(room.task('same-uid-1'));
  });
});

describe('a full list that was made before a uid came to be that of another task', () => {
  const base = 2;
  const room = (): PlanHarness => {
    const harness = new PlanHarness();
    const add = { type: 'task.add', uid: 'task-uid-1', group: 'A' } as const;
    harness.accept({ type: 'task.add', description: 'x', group: 'A' });
    harness.accept({ ...add, description: 'one' });
    harness.accept({ type: 'task.remove', task: 'task-uid-1' }, 'bob');
    harness.accept({ ...add, description: 'quite another' }, 'bob');
    return harness;
  };

  test('does not write into the new one', () => {
    const harness = room();
    const items = [{ description: 'x' }, { description: 'one, edited', task: 'task-uid-1' }];
    const { nags } = harness.accept({ type: 'tasks.replace', base, items });
    expect(harness.texts()).toEqual(['x', 'quite another']);
    expect(nags.map(({ message }) => message)).toEqual([expect.stringContaining('("one") was removed by others')]);
  });

  test('does not take it away by leaving the old one out', () => {
    const harness = room();
    harness.accept({ type: 'tasks.replace', base, items: [{ description: 'x' }] });
    expect(harness.texts()).toEqual(['x', 'quite another']);
  });

  test('finds it by its text, as any task it did not see', () => {
    const harness = room();
    harness.accept({ type: 'tasks.replace', base, items: [{ description: 'x' }, { description: 'quite another' }] });
    expect(harness.texts()).toEqual(['x', 'quite another']);
  });
});
