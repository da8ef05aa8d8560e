import { sameValue } from './draft.ts';
import { isTerminal, type Status, type Task, taskId } from './model.ts';

/** What a submitted item says about a task; absent fields say nothing, `null` takes one away. */
export interface StatedFields {
  readonly description: string;
  readonly status?: Status | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  /** uid of the group. */
  readonly group?: string | undefined;
  readonly priority?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
}

export interface MergedFields {
  readonly fields: {
    description?: string;
    status?: Status;
    startedBy?: string | null;
    dependsOn?: readonly string[];
    group?: string;
    priority?: string | null;
    labels?: readonly string[] | null;
  };
  /** What the writer should know: where others had changed the same, as sentences. */
  readonly remarks: readonly string[];
}

/**
 * Three-way merge of one task: what the writer changed against what it saw (`base`) wins, what it did not change keeps its
 * present value. Only a status that others moved on is not moved back: a task they finished meanwhile stays finished, and
 * one that another actor has in progress is not put back to pending by a list, which may only lack a word for it.
 */
export function mergeFields(base: Task, current: Task, stated: StatedFields, actor: string): MergedFields {
  const fields: MergedFields['fields'] = {};
  const remarks: string[] = [];
  const id = taskId(current);
  const kept: string[] = [];
  for (const name of ['description', 'dependsOn', 'group', 'priority', 'labels'] as const) {
    const value = stated[name];
    const [was, is] = [base[name] ?? null, current[name] ?? null];
    if (value === undefined || sameValue(value, is)) continue;
    if (sameValue(value, was)) {
      kept.push(name);
      continue;
    }
    Object.assign(fields, { [name]: value });
    if (!sameValue(was, is)) remarks.push(`'${id}': '${current.updatedBy}' had changed its ${name} too; yours stands.`);
  }
  const { status } = stated;
  if (status !== undefined && status !== current.status) {
    if (status === base.status) kept.push(`status (now ${current.status})`);
    else if (status === 'pending' && isOthers(current, actor)) {
      remarks.push(`'${id}' is in progress by '${current.startedBy}', and stays theirs; you sent ${status}.`);
    } else if (movedOn(base, current, status)) {
      const holder = current.startedBy === undefined ? '' : ` by '${current.startedBy}'`;
      remarks.push(`'${id}' is ${current.status}${holder} since you last saw it, and stays so; you sent ${status}.`);
    } else {
      fields.status = status;
      fields.startedBy = status === 'in_progress' ? actor : null;
    }
  } else if (status === 'in_progress' && base.status !== 'in_progress' && current.startedBy !== actor) {
    remarks.push(`'${id}' was taken in progress by '${current.startedBy}' before you; it stays theirs.`);
  }
  if (kept.length > 0) {
    remarks.push(`'${id}': '${current.updatedBy}' changed its ${kept.join(', ')} since you last saw it; that stays.`);
  }
  return { fields, remarks };
}

function isOthers(current: Task, actor: string): boolean {
  return current.status === 'in_progress' && current.startedBy !== actor;
}

/** Whether others changed the status since, to one that the wanted status would set back. */
function movedOn(base: Task, current: Task, wanted: Status): boolean {
  if (current.status === base.status) return false;
  return isTerminal(current.status) || (current.status === 'in_progress' && wanted === 'pending');
}
