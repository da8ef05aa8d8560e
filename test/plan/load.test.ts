import { describe, expect, test } from 'vitest';
import { exportHeader } from '../../shared/plan/markdown-format.ts';
import { PlanHarness } from '../support/plan-harness.ts';

describe('plan.load', () => {
  test('[S0-39] groups and tasks are replaced, numbered in the order of the file, and nothing is nagged about', () => {
    const room = new PlanHarness().with('Old', 'a', 'b', 'c');
    room.accept({ type: 'group.verify', group: 'Old' });
    const text = ['# t', '## DB', '- [ ] one', '- [ ] two', '  - depends: task-1, ghost', '## API', '- [x] ok'];
    expect(room.accept({ type: 'plan.load', markdown: text.join('\n') }).nags).toEqual([]);
    expect(room.list()).toEqual([
      ['DB', 'task-1 pending one', 'task-2 pending two'],
      ['API', 'task-3 completed ok'],
    ]);
    expect(room.task('task-2').dependsOn).toEqual(['task-1', 'ghost']);
    expect(room.plan.groups().map((group) => group.testsVerified)).toEqual([false, false]);
  });

  test('[S0.4] a file without a heading gives an empty list', () => {
    const room = new PlanHarness().with('Old', 'a');
    room.accept({ type: 'plan.load', markdown: '- [ ] lost' });
    expect(room.list()).toEqual([]);
  });

  test('a plain list leaves document and policy alone, an export brings its own', () => {
    const room = new PlanHarness();
    room.accept({ type: 'document.write', content: 'kept', title: 'T' });
    room.accept({ type: 'plan.load', markdown: '## A\n- [ ] a' });
    expect(room.plan.document).toMatchObject({ content: 'kept', title: 'T', revision: 1 });
    room.accept({ type: 'plan.load', markdown: `${exportHeader}\n* in progress: any\n* author: bob\n\n> new\n` });
    expect(room.plan.document).toMatchObject({ content: 'new', author: 'bob', revision: 3 });
    expect(room.plan.document.title).toBeUndefined();
    expect(room.plan.policy).toMatchObject({ inProgress: 'any', strictTerminal: false });
  });

  test('numbers that an export states are kept, the first that states one keeps it, the others count on', () => {
    const text = [exportHeader, '## A', '- [ ] a', '- [ ] b', '- id: task-7', '- [ ] c', '- id: task-7', '- [ ] d'];
    const room = new PlanHarness();
    room.accept({ type: 'plan.load', markdown: text.join('\n') });
    expect(
      room
        .list()[0]
        ?.slice(1)
        .map((line) => line.split(' ')[0]),
    ).toEqual(['task-8', 'task-7', 'task-9', 'task-10']);
  });

  test('a task in progress belongs to whom the file says, else to whoever loads it', () => {
    const text = [exportHeader, '## A', '- [ ] a', '- status: in_progress', '- started by: bob', '- [ ] b'];
    const room = new PlanHarness();
    room.accept({ type: 'plan.load', markdown: [...text, '- status: in_progress'].join('\n') }, 'cy');
    expect([...room.plan.tasks()].map((task) => task.startedBy)).toEqual(['bob', 'cy']);
  });

  test('with a base it is refused when anything changed after it, and then nothing is loaded', () => {
    const room = new PlanHarness().with('A', 'a', 'b');
    room.refuse('conflict', { type: 'plan.load', markdown: '', base: 1 });
    room.refuse('unknown_revision', { type: 'plan.load', markdown: '', base: 3 });
    room.accept({ type: 'plan.load', markdown: '', base: 2 });
  });
});
