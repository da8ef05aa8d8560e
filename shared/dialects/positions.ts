import { type Task, taskId } from '../plan/model.ts';
import { shortNames } from './task-names.ts';

/**
 * Ids by place, for dialects that number their list 1, 2, 3 …: words that speak of the room's own ids (`'task-7'`) say the
 * dialect's instead. A task that is not in the list is named by its text alone: its id would read as a place.
 */
export function renumber(message: string, rows: readonly Task[], nameOf: (place: number) => string): string {
  const places = new Map(rows.map((task, place) => [taskId(task), place]));
  const isListed = (id: string): boolean => places.has(id);
  return shortNames(message)
    .replace(/'(task-[0-9]+)' \(("[^"]*")\)/g, (named, id: string, text: string) => (isListed(id) ? named : text))
    .replace(/'(task-[0-9]+)'/g, (quoted, id: string) => {
      const place = places.get(id);
      return place === undefined ? quoted : `'${nameOf(place)}'`;
    });
}
