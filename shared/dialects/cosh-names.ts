import type { Nag } from '../plan/change.ts';
import { limits } from '../plan/limits.ts';
import type { Item } from '../plan/mutations/list-item.ts';
import { NagList } from '../plan/nag-list.ts';
import { isBlank } from '../plan/text.ts';
import { siblingKey } from './list-write.ts';

/** How both generations of cosh name the entries of a list that is sent whole: by key, or by the id they will get. */

export interface NamedEntry {
  readonly description: string;
  readonly key?: string | null | undefined;
  readonly depends_on?: readonly string[] | null | undefined;
}

/** The refusal of a list by its texts and keys, in the order of the original; `place` names an entry for people. */
export function refuseEntries(entries: readonly NamedEntry[], place: (index: number) => string): string | undefined {
  for (const [index, { description }] of entries.entries()) {
    if (isBlank(description)) return `The description must be non-empty text (${place(index)}).`;
  }
  const { dependenciesPerTaskMax } = limits;
  for (const [index, { depends_on }] of entries.entries()) {
    if ((depends_on?.length ?? 0) <= dependenciesPerTaskMax) continue;
    return `depends_on may have ${dependenciesPerTaskMax} entries (${place(index)}).`;
  }
  const keys = new Set<string>();
  for (const [index, { key }] of entries.entries()) {
    if (key === undefined || key === null) continue;
    if (/^task-[0-9]+$/.test(key)) {
      return `The key '${key}' has the shape of a task id and would shadow a real one; choose another (${place(index)}).`;
    }
    if (keys.has(key)) return `Duplicate key '${key}'; keys must be unique (${place(index)}).`;
    keys.add(key);
  }
  return undefined;
}

/** Of a name that a message repeats. */
const nameCharactersMax = 200;

/** Dependencies as keys of `Item`s. What names nothing of the list is left out, with a nag. */
export function resolveEntries(entries: readonly NamedEntry[]): {
  readonly dependencies: readonly (readonly string[] | undefined)[];
  readonly nags: readonly Nag[];
} {
  const byKey = new Map<string, number>();
  for (const [index, { key }] of entries.entries()) if (typeof key === 'string') byKey.set(key, index);
  const nags = new NagList();
  const dependencies = entries.map(({ depends_on, key }, index) =>
    depends_on?.flatMap((name) => {
      const place = byKey.get(name) ?? placeOfId(name, entries.length);
      if (place === undefined) {
        nags.add('unknown_dependency', unknownName(name.slice(0, nameCharactersMax), index));
        return [];
      }
      if (key === name) {
        nags.add('self_dependency', selfName(name.slice(0, nameCharactersMax), index));
        return [];
      }
      return [siblingKey(place)];
    }),
  );
  return { dependencies, nags: nags.all() };
}

function placeOfId(name: string, count: number): number | undefined {
  const number = Number(/^task-([1-9][0-9]{0,8})$/.exec(name)?.[1] ?? 0);
  return number >= 1 && number <= count ? number - 1 : undefined;
}

function unknownName(name: string, index: number): string {
  return `Dependency '${name}' of 'task-${index + 1}' is neither the key of an item nor the id of a task; it was left out.`;
}

function selfName(name: string, index: number): string {
  return `'task-${index + 1}' names its own key '${name}' as a dependency (a self-reference); it was left out.`;
}

/** Items that carry the dependencies under keys of their own. */
export function withDependencies(
  items: readonly Item[],
  dependencies: readonly (readonly string[] | undefined)[],
): readonly Item[] {
  return items.map((item, index) => {
    const dependsOn = dependencies[index];
    return { ...item, key: siblingKey(index), ...(dependsOn && { dependsOn: [...dependsOn] }) };
  });
}
