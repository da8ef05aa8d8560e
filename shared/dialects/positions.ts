import { type Task, taskId } from '../plan/model.ts';

/**
 * Ids by place, for dialects that number their list 1, 2, 3 …: words that speak of the room's own ids (`'task-7'`) say the
 * dialect's instead. A task that is not in the list keeps its own, without the quotes that would make it one of the list.
 */
export function renumber(message: string, rows: readonly Task[], nameOf: (place: number) => string): string {
  const places = new Map(rows.map((task, place) => [taskId(task), place]));
  return message.replace(/'(task-[0-9]+)'/g, (quoted, id: string) => {
    const place = places.get(id);
    return place === undefined ? quoted : `'${nameOf(place)}'`;
  });
}
