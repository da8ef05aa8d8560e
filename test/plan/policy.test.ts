import { describe, expect, test } from 'vitest';
import { exportHeader } from '../../shared/plan/markdown-format.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { PlanHarness } from '../support/plan-harness.ts';

describe('plan.policy', () => {
  test('fields that keep their value are left out, and a policy that is the same makes no Change', () => {
    const room = new PlanHarness();
    expect(room.accept({ type: 'plan.policy', strictTerminal: false }).change.patch).toEqual({});
    const { change, undo } = room.accept({ type: 'plan.policy', strictTerminal: false, inProgress: 'any' });
    expect([change.patch, undo]).toEqual([
      { policy: { inProgress: 'any' } },
      { policy: { inProgress: 'one-per-actor' } },
    ]);
    const text = `${exportHeader}\n* in progress: any\n* strict terminal: no\n`;
    expect(room.accept({ type: 'plan.load', markdown: text }).change.patch).toEqual({});
  });
});

describe('a finished task is reopened before it is in progress where the policy is strict', () => {
  const strict = (): PlanHarness => {
    const room = new PlanHarness().with('A', 'one', 'two');
    room.accept({ type: 'plan.policy', strictTerminal: true });
    room.accept({ type: 'task.complete', task: 'task-1' });
    return room;
  };

  test('by a start', () => {
    const room = strict();
    expect(room.refuse('terminal', { type: 'task.start', task: 'task-1' }).message).toMatch(/Reopen it/);
  });

  test.each([undefined, true])('by a list, also where it may have several: %s', (several) => {
    const room = strict();
    const list = (status: 'completed' | 'in_progress'): Mutation => ({
      type: 'tasks.replace',
      base: room.plan.revision,
      several,
      items: [
        { task: 'task-1', description: 'one', status },
        { task: 'task-2', description: 'two', status: 'in_progress' },
      ],
    });
    const refused = room.refuse('terminal', list('in_progress'));
    expect(refused).toMatchObject({ facts: { task: 'task-1', status: 'completed' } });
    room.accept(list('completed'));
    expect(room.task('task-2').status).toBe('in_progress');
  });
});

describe('a file and the policy of the room', () => {
  const file = (policy: string, ...holders: readonly string[]): string =>
    [
      exportHeader,
      `* in progress: ${policy}`,
      '',
      '## A',
      ...holders.flatMap((holder, index) => [
        `- [ ] task ${index}`,
        '  - status: in_progress',
        ...(holder === '' ? [] : [`  - started by: ${holder}`]),
      ]),
    ].join('\n');

  test('what an export says is in progress stays so, whatever the policy: it is a record of what was', () => {
    const room = new PlanHarness().with('Old', 'x');
    room.accept({ type: 'plan.load', markdown: file('one-per-actor', 'bob', 'ann', 'bob') });
    expect(room.list()).toEqual([
      ['A', 'task-1 in_progress task 0', 'task-2 in_progress task 1', 'task-3 in_progress task 2'],
    ]);
    expect(room.task('task-3').startedBy).toBe('bob');
    room.accept({ type: 'plan.load', markdown: file('one-per-plan', 'ann', 'bob') });
    room.accept({ type: 'task.add', description: 'more' });
    room.refuse('busy', { type: 'task.start', task: 'task-3' }, 'cy');
  });
});
