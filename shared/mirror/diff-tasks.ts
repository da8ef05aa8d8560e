import { sameValue } from '../plan/draft.ts';
import { isTerminal, type Status, statuses, type Task } from '../plan/model.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import { compareRows } from '../plan/plan.ts';
import { type Placing, placings } from './diff-order.ts';
import { type Collector, type Comparison, nameOf, textOf } from './difference.ts';
import { isTaskThere } from './presence.ts';
import { decodeList, keyOf, taskFields } from './schema.ts';

interface Added {
  readonly uid: string;
  readonly group: string | undefined;
  readonly order: string;
  readonly description: string;
}

/** Compares the tasks that an update touched, one by one, and puts them in order at the end. */
export class TaskDiff {
  private readonly comparison: Comparison;
  private readonly found: Collector;
  private readonly added: Added[] = [];
  private readonly removed = new Set<string>();
  /** Order keys that were written, by the group the task is to be in. */
  private readonly moved = new Map<string, Map<string, string>>();
  /** That group, by task. */
  private readonly targets = new Map<string, string>();

  constructor(comparison: Comparison, found: Collector) {
    this.comparison = comparison;
    this.found = found;
  }

  /** A row of its own maker: what is wrong with a field is refused, and the task is made without it. */
  add(uid: string): void {
    const { view } = this.comparison;
    const description = textOf(this.found, view, uid, 'description');
    if (description === undefined) return;
    const group = view.get(keyOf(uid, 'group'));
    const order = view.get(keyOf(uid, 'pos'));
    this.added.push({
      uid,
      group: typeof group === 'string' ? group : undefined,
      order: typeof order === 'string' ? order : '',
      description,
    });
    for (const field of ['dependsOn', 'priority', 'labels'] as const) {
      if (view.get(keyOf(uid, field)) !== undefined) this.edit(uid, field, undefined);
    }
    const status = this.statusOf(uid);
    if (status !== undefined && status !== 'pending') this.setStatus(uid, status);
  }

  compare(task: Task, fields: ReadonlySet<string>): void {
    const { view } = this.comparison;
    const { uid } = task;
    if (!isTaskThere(view, uid)) {
      this.remove(task, fields);
      return;
    }
    for (const [field, { writable, of }] of taskFields) {
      const key = keyOf(uid, field);
      if (!fields.has(field)) continue;
      if (field === 'status') this.compareStatus(task, key);
      else if (view.get(key) === of(task)) continue;
      else if (!writable) this.found.claim(key);
      else if (field !== 'group' && field !== 'pos') this.edit(uid, field, task);
    }
    this.comparePlace(task, fields);
  }

  /** After the groups, so that their places are known: new tasks get their numbers in the order of the list. */
  finish(groupPlace: (uid: string) => number): void {
    const place = ({ group }: Added): number => groupPlace(group ?? '');
    this.added.sort((a, b) => place(a) - place(b) || compareRows(a, b));
    const addedTo = new Map<string, Added[]>();
    for (const task of this.added) {
      const { uid, group, order, description } = task;
      const add = { type: 'task.add', uid, description } as const;
      this.found.step('task.add', keyOf(uid, 'description'), ...(group === undefined ? [] : [{ ...add, group }]), add);
      if (group === undefined) continue;
      if (order !== '') this.putInto(group, uid, order);
      const others = addedTo.get(group);
      if (others) others.push(task);
      else addedTo.set(group, [task]);
    }
    for (const [group, moved] of [...this.moved].sort(([a], [b]) => groupPlace(a) - groupPlace(b))) {
      this.order(group, moved, addedTo.get(group) ?? []);
    }
  }

  /** What the same update wrote to the task elsewhere, as another tab may have, goes with it. */
  private remove({ uid }: Task, fields: ReadonlySet<string>): void {
    const { view, plan } = this.comparison;
    this.removed.add(uid);
    this.found.step('task.remove', keyOf(uid, 'description'), { type: 'task.remove', task: uid });
    const task = plan.task(uid);
    for (const [field, { writable, of }] of taskFields) {
      const value = view.get(keyOf(uid, field));
      if (!writable || !task || !fields.has(field) || value === undefined || value === of(task)) continue;
      this.found.refuse('task_not_found', keyOf(uid, field), `${nameOf(task)} was removed at the same time.`);
    }
  }

  private order(group: string, moved: ReadonlyMap<string, string>, added: readonly Added[]): void {
    const { plan } = this.comparison;
    const stays = ({ uid }: Task): boolean => !this.removed.has(uid) && (this.targets.get(uid) ?? group) === group;
    const line = [...plan.tasksOf(group).filter(stays), ...added];
    for (const placing of placings(line, moved)) this.move(group, placing);
  }

  private putInto(group: string, uid: string, order: string): void {
    this.targets.set(uid, group);
    const moved = this.moved.get(group);
    if (moved) moved.set(uid, order);
    else this.moved.set(group, new Map([[uid, order]]));
  }

  private comparePlace(task: Task, fields: ReadonlySet<string>): void {
    const { view } = this.comparison;
    const [groupKey, posKey] = [keyOf(task.uid, 'group'), keyOf(task.uid, 'pos')];
    const differs =
      (fields.has('group') && view.get(groupKey) !== task.group) ||
      (fields.has('pos') && view.get(posKey) !== task.order);
    if (!differs) return;
    const group = textOf(this.found, view, task.uid, 'group');
    const pos = textOf(this.found, view, task.uid, 'pos');
    if (group !== undefined && pos !== undefined) this.putInto(group, task.uid, pos);
  }

  private move(group: string, { uid, after, before, staying }: Placing): void {
    const task = this.comparison.plan.task(uid);
    const move = { type: 'task.move', task: uid, group } as const;
    const tries: SingleMutation[] = [];
    if (after !== undefined) tries.push({ ...move, after });
    if (staying !== undefined && staying !== after) tries.push({ ...move, after: staying });
    if (before !== undefined) tries.push({ ...move, before });
    if (task?.group !== group) tries.push(move);
    const isWithin = task === undefined || task.group === group;
    if (tries.length === 0) return;
    if (isWithin) this.found.quietStep('task.move', keyOf(uid, 'pos'), ...tries);
    else this.found.step('task.move', keyOf(uid, 'group'), ...tries);
  }

  private edit(uid: string, field: string, task: Task | undefined): void {
    const { view } = this.comparison;
    const key = keyOf(uid, field);
    const value = view.get(key);
    if (field === 'dependsOn' || field === 'labels') {
      const list = value === undefined ? [] : decodeList(value);
      if (!list) this.found.refuse('invalid', key, `'${field}' must be JSON text of a list of texts, such as ["a"].`);
      else if (!sameValue(list, task?.[field] ?? [])) {
        this.found.step('task.edit', key, { type: 'task.edit', task: uid, [field]: [...list] });
      }
      return;
    }
    const text = value === undefined ? '' : textOf(this.found, view, uid, field);
    if (text === undefined) return;
    const wanted = field === 'priority' && text === '' ? null : text;
    this.found.step('task.edit', key, { type: 'task.edit', task: uid, [field]: wanted });
  }

  private statusOf(uid: string): Status | undefined {
    const key = keyOf(uid, 'status');
    const value = this.comparison.view.get(key);
    const status = statuses.find((each) => each === value);
    if (status === undefined && value !== undefined) {
      this.found.refuse('invalid', key, `'status' must be one of ${statuses.join(', ')}.`);
    }
    return status;
  }

  private compareStatus(task: Task, key: string): void {
    const { concurrent, actor, view } = this.comparison;
    if (view.get(key) === undefined) {
      this.found.refuse(
        'invalid',
        key,
        `${nameOf(task)} always has a status. Remove the whole task, or set another one.`,
      );
      return;
    }
    const status = this.statusOf(task.uid);
    if (status === undefined) return;
    const isBlind = concurrent.has(key);
    if (status === task.status) {
      // Both say that it is in progress, each of another actor.
      if (isBlind && status === 'in_progress' && task.startedBy !== actor) this.setStatus(task.uid, status);
      return;
    }
    if (isBlind && wouldSetBack(task, status)) {
      const message = `${nameOf(task)} became ${task.status} before '${status}' arrived from a client that had not seen it. Set it again if it still holds.`;
      this.found.refuse('conflict', key, message);
      return;
    }
    this.setStatus(task.uid, status);
  }

  private setStatus(uid: string, status: Status): void {
    const key = keyOf(uid, 'status');
    if (status === 'in_progress') this.found.step('task.start', key, { type: 'task.start', task: uid });
    else this.found.step('task.end', key, { type: endings[status], task: uid });
  }
}

const endings = { completed: 'task.complete', cancelled: 'task.cancel', pending: 'task.reopen' } as const;

/** The rule of merged lists: what others finished or took up meanwhile is not set back by one who did not know. */
function wouldSetBack(task: Task, wanted: Status): boolean {
  return isTerminal(task.status) || (task.status === 'in_progress' && wanted === 'pending');
}
