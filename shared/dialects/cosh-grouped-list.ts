import { z } from 'zod';
import type { Nag } from '../plan/change.ts';
import type { Status, Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { refused, written } from './cosh-grouped-view.ts';
import { refuseEntries, resolveEntries, withDependencies } from './cosh-names.ts';
import type { Call, Look, ToolReply } from './dialect.ts';
import { dependencyPlaces, type ListShape, placesByReference, type Written, writeList } from './list-write.ts';
import { refusal } from './reply.ts';

/** ReplaceList of the later generation: the whole list anew, all of it pending. */

const listedItem = z.object({
  key: z.string().nullish().describe('Names the item for depends_on in this call.'),
  description: z.string(),
  depends_on: z.array(z.string()).nullish().describe('Keys of this call.'),
});

export const replaceListAction = z.object({
  type: z.literal('ReplaceList'),
  groups: z.array(z.object({ title: z.string(), items: z.array(listedItem) })),
});

type Groups = z.output<typeof replaceListAction>['groups'];
type Entry = z.output<typeof listedItem> & { readonly group?: string; readonly status?: Status };

const shape: ListShape<Entry> = {
  shows: () => true,
  list: (tasks) => ({ rows: tasks, entries: entriesOf(tasks) }),
  state: (entries) =>
    withDependencies(
      entries.map(({ description, group, status = 'pending' }) => ({
        description,
        status,
        ...(group !== undefined && { group }),
      })),
      resolveEntries(entries).dependencies.map((named) => named ?? []),
    ),
};

function entriesOf(tasks: readonly Task[]): readonly Entry[] {
  const placeOf = placesByReference(tasks);
  return tasks.map((task) => ({
    description: task.description,
    status: task.status,
    depends_on: dependencyPlaces(task, placeOf).map((place) => `task-${place + 1}`),
  }));
}

export async function replaceGroups(groups: Groups, call: Call): Promise<ToolReply> {
  if (groups.length === 0) return refusal('ReplaceList needs at least one group. To empty the list, use Clean.');
  const entries = groups.flatMap(({ title, items }) => items.map((item) => ({ ...item, group: title })));
  const places = groups.flatMap(({ title, items }) => items.map((_, index) => `item ${index + 1} of group '${title}'`));
  const fault = refuseEntries(entries, (index) => places[index] ?? '');
  if (fault !== undefined) return refusal(fault);
  const look = await call.look();
  const before = look.ok ? thereFor(look.value) : { uids: [], isKnown: false };
  const result = await writeList(call, shape, { entries, groups: groups.map(({ title }) => title) });
  if (!result.ok) return refused(result.error);
  const { nags } = resolveEntries(entries);
  return written({
    ...result.value,
    nags: [...replacement(before, result.value.plan, result.value.written), ...nags, ...result.value.nags],
  });
}

interface There {
  readonly uids: readonly string[];
  /** Whether the caller knows the list: what it does not know it cannot replace. */
  readonly isKnown: boolean;
}

function thereFor({ plan, sight }: Look): There {
  const isKnown = sight !== undefined || plan.policy.fullListWrites === 'replace';
  return { uids: [...plan.tasks()].map(({ uid }) => uid), isKnown };
}

/** Of what was there: tasks that others added or changed stay, and are told of by the room. */
function replacement({ uids: before, isKnown }: There, plan: Plan, listed: Written): readonly Nag[] {
  const sent = new Set(isKnown ? listed.map((task) => task?.uid) : []);
  const stay = before.filter((uid) => plan.task(uid) && !sent.has(uid)).length;
  const gone = before.length - stay;
  if (gone === 0) return [];
  const message =
    stay === 0
      ? `The list of ${counted(before.length)} that was there was replaced.`
      : `${gone} of the ${counted(before.length)} that were there ${gone === 1 ? 'was' : 'were'} replaced.`;
  return [{ code: 'replaced', message }];
}

function counted(tasks: number): string {
  return tasks === 1 ? '1 task' : `${tasks} tasks`;
}
