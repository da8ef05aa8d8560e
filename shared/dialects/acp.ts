import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { fold } from '../plan/text.ts';
import type { Dialect } from './dialect.ts';

/** Agent Client Protocol: the plan as an editor shows it. Output only. Cancelled tasks are not in it. */

const priorities = ['high', 'medium', 'low'] as const;

function entryOf({ description, priority, status }: Task): object {
  const known = priorities.find((each) => each === fold(priority ?? ''));
  return { content: description, priority: known ?? 'medium', status };
}

export const acp: Dialect = {
  name: 'acp',
  title: 'Agent Client Protocol: plan entries for editors, to read only',
  instructions:
    'This view of the plan is for editors to show; it has no tools. Choose another dialect to change the plan.',
  tools: [],
  view: (plan: Plan) => ({ entries: [...plan.tasks()].filter(({ status }) => status !== 'cancelled').map(entryOf) }),
  render: () => null,
};
