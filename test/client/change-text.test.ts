import { describe, expect, it } from 'vitest';
import { RowNames } from '../../client/cli/change-text.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { PlainRoom } from './support/plain-room.ts';

/** What is printed for these mutations when their Changes come all at once. */
function told(room: PlainRoom, ...mutations: readonly Mutation[]): string[] {
  const names = new RowNames(room.plan);
  const changes = mutations.map((mutation, index) => room.submit(`m${room.plan.revision}.${index}`, mutation));
  return changes.flatMap((change) => (change ? names.describe(change).replace(/ 20\S+Z ann/, '') : []));
}

describe('Changes that come together', () => {
  it('are each told with the rows as they were then', () => {
    const lines = told(
      new PlainRoom(),
      { type: 'task.add', description: 'one', uid: 'task-uid-1', group: 'G' },
      { type: 'task.start', task: 'task-uid-1' },
      { type: 'task.edit', task: 'task-uid-1', description: 'two' },
      { type: 'group.edit', group: 'G', title: 'H' },
      { type: 'task.remove', task: 'task-uid-1' },
      { type: 'group.remove', group: 'H' },
    );
    expect(lines).toEqual([
      "1 task.add +group 'G', +task-1 'one' pending",
      "2 task.start task-1 'one' in_progress",
      "3 task.edit task-1 'two' in_progress",
      "4 group.edit group 'H'",
      "5 task.remove -task-1 'two' in_progress",
      "6 group.remove -group 'H'",
    ]);
  });

  it('name rows that were there before, and tell a group from a task that took its uid', () => {
    const room = new PlainRoom();
    room.submit('a', { type: 'group.add', title: 'G', uid: 'some-uid-1' });
    room.submit('b', { type: 'task.add', description: 'one', uid: 'some-uid-2', group: 'H' });
    const lines = told(
      room,
      { type: 'group.remove', group: 'G' },
      { type: 'task.add', description: 'two', uid: 'some-uid-1', group: 'H' },
      { type: 'task.complete', task: 'some-uid-2' },
      { type: 'task.remove', task: 'some-uid-1' },
    );
    expect(lines).toEqual([
      "3 group.remove -group 'G'",
      "4 task.add +task-2 'two' pending",
      "5 task.complete task-1 'one' completed",
      "6 task.remove -task-2 'two' pending",
    ]);
  });

  it('name a task by the first line of its text', () => {
    const lines = told(
      new PlainRoom(),
      { type: 'task.add', description: '\nWrite the parser \n\nand its tests', uid: 'task-uid-1', group: 'G' },
      { type: 'task.edit', task: 'task-uid-1', description: `${'x'.repeat(59)}😀` },
      { type: 'task.edit', task: 'task-uid-1', description: `${'x'.repeat(60)}\n` },
    );
    expect(lines).toEqual([
      "1 task.add +group 'G', +task-1 'Write the parser…' pending",
      `2 task.edit task-1 '${'x'.repeat(59)}…' pending`,
      `3 task.edit task-1 '${'x'.repeat(60)}' pending`,
    ]);
  });

  it('name five rows and count the rest', () => {
    const mutations = [1, 2, 3, 4, 5, 6].map((n) => ({ type: 'group.add' as const, title: `G${n}` }));
    expect(told(new PlainRoom(), { type: 'batch', mutations })).toEqual([
      "1 batch +group 'G1', +group 'G2', +group 'G3', +group 'G4', +group 'G5' and 1 more",
    ]);
  });
});
