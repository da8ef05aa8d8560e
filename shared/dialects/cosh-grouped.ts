import type { Plan } from '../plan/plan.ts';
import { renderContext } from '../plan/render.ts';
import { coshGroupedEdits } from './cosh-grouped-edits.ts';
import { coshGroupedReads } from './cosh-grouped-reads.ts';
import { groupsOf } from './cosh-grouped-view.ts';
import type { Dialect } from './dialect.ts';

/** cosh, the older generation: groups and five tools [S0]. Ids are the room's own. */
export const coshGrouped: Dialect = {
  name: 'cosh-grouped',
  title: 'cosh: grouped TODO list with five tools',
  instructions:
    'Keep the TODO list current: plan_todo_write adds, starts, removes, cleans and verifies; plan_todo_cross_off completes or ' +
    'cancels; plan_todo_read lists. One task in progress at a time. Nags are advice to act on. The list is shared with other agents.',
  tools: [...coshGroupedReads, ...coshGroupedEdits],
  view: (plan: Plan) => ({ groups: groupsOf(plan) }),
  render: (plan: Plan) => renderContext(plan),
};
