import { describe, expect, test } from 'vitest';
import { renderContext } from '../../shared/plan/render.ts';
import { PlanHarness } from '../support/plan-harness.ts';

const seedHead = [
  '## Tool TODOs',
  'This is the plan you work by; update it with plan_todo_write, plan_todo_edit and plan_todo_cross_off.',
];

describe('the context block', () => {
  test('[S0.5] there is none for an empty plan, nor when every task is finished', () => {
    const room = new PlanHarness();
    expect(renderContext(room.plan)).toBeNull();
    room.with('A', 'one', 'two');
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'task.cancel', task: 'task-2' });
    expect(renderContext(room.plan)).toBeNull();
    room.accept({ type: 'task.reopen', task: 'task-2' });
    expect(renderContext(room.plan)).toContain('- [ ] two');
  });

  test('[S0-42] groups, marks and dependencies are shown, finished tasks too, empty groups not', () => {
    const room = new PlanHarness().with('DB', 'a', 'b', 'c');
    room.accept({ type: 'group.add', title: 'Attic' });
    room.accept({ type: 'task.add', group: 'API', description: 'd', dependsOn: ['task-1', 'ghost'] });
    room.accept({ type: 'task.complete', task: 'task-1' });
    room.accept({ type: 'task.cancel', task: 'task-2' });
    room.accept({ type: 'task.start', task: 'task-3' });
    expect(renderContext(room.plan)?.split('\n')).toEqual([
      ...seedHead,
      '',
      '### DB',
      '- [x] a',
      '- [-] b',
      '- [*] c',
      '',
      '### API',
      '- [ ] d  (depends: task-1, ghost)',
    ]);
  });

  test('[S0.5] on request ids stand after the description, and verified groups say so', () => {
    const room = new PlanHarness().with('DB', 'a');
    room.accept({ type: 'task.edit', task: 'task-1', dependsOn: ['x'] });
    room.accept({ type: 'group.verify', group: 'DB' });
    expect(
      renderContext(room.plan, { ids: true, verified: true, tools: ['todo'] })
        ?.split('\n')
        .slice(1),
    ).toEqual([
      'This is the plan you work by; update it with todo.',
      '',
      '### DB (tests verified)',
      '- [ ] a (task-1)  (depends: x)',
    ]);
  });

  test('a text with line breaks stays on its line, so it cannot pose as a heading or an item', () => {
    const room = new PlanHarness().with('A\n### B', 'one\r\n- [x] two');
    expect(renderContext(room.plan)?.split('\n').slice(3)).toEqual(['### A ### B', '- [ ] one - [x] two']);
  });
});
