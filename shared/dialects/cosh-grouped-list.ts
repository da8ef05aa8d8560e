import { z } from 'zod';
import type { Status, Task } from '../plan/model.ts';
import { refused, written } from './cosh-grouped-view.ts';
import { refuseEntries, resolveEntries, withDependencies } from './cosh-names.ts';
import type { Call, ToolReply } from './dialect.ts';
import { dependencyPlaces, type ListShape, placesByReference, writeList } from './list-write.ts';
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
  const replaced = look.ok ? look.value.plan.taskCount : 0;
  const result = await writeList(call, shape, { entries, groups: groups.map(({ title }) => title) });
  if (!result.ok) return refused(result.error);
  const { nags } = resolveEntries(entries);
  const gone = { code: 'replaced', message: `The list of ${replaced} tasks that was there was replaced.` } as const;
  return written({
    ...result.value,
    nags: [...(replaced > 0 ? [gone] : []), ...nags, ...result.value.nags],
  });
}
