import { z } from 'zod';
import { isTerminal, type Status, type Task, taskId } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Failure, Look, Shown } from './dialect.ts';
import { splitText } from './headed-text.ts';
import { saidText } from './plain-list.ts';
import { shortNames } from './task-names.ts';

/** The plan in the words of Claude Code's task tools. An id is the number of the task. */

export const wireStatuses = ['pending', 'in_progress', 'completed', 'deleted'] as const;
export type WireStatus = (typeof wireStatuses)[number];

export function wireStatusOf(status: Status): WireStatus {
  return status === 'cancelled' ? 'deleted' : status;
}

export const idField = z.string().describe('Such as "3".');
export const subjectField = saidText;

export function wireId(task: Task): string {
  return String(task.number);
}

/** Names that models write instead of the tool's own. */
const nearMisses: Readonly<Record<string, string>> = { id: 'taskId', task_id: 'taskId', active_form: 'activeForm' };

/** The arguments with the tool's own names, ids as text, and without those that are null. */
export function tidy(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const told = Object.entries(args).filter(([, value]) => value !== null);
  const own = told.map(([name, value]) => [name, asIds(value)] as const);
  const mended = own.flatMap(([name, value]) => {
    const meant = nearMisses[name];
    return meant === undefined ? [] : [[meant, value] as const];
  });
  return Object.fromEntries([...mended, ...own]);
}

function asIds(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? value.map((each) => (typeof each === 'number' ? String(each) : each)) : value;
}

export function subjectOf(task: Task): string {
  return splitText(task.description).head;
}

const ownerLabel = 'owner:';

/** The owner that was set, else whoever has the task in progress. */
export function ownerOf({ labels = [], startedBy }: Task): string | undefined {
  return labels.find((label) => label.startsWith(ownerLabel))?.slice(ownerLabel.length) ?? startedBy;
}

/** The labels with another owner; none for an empty name. */
export function labelsWithOwner({ labels = [] }: Task, owner: string): readonly string[] {
  const rest = labels.filter((label) => !label.startsWith(ownerLabel));
  return owner === '' ? rest : [...rest, `${ownerLabel}${owner}`];
}

/** The tasks that come before this one; cancelled ones do not. */
function dependenciesOf(plan: Plan, task: Task): readonly Task[] {
  const found = new Set(task.dependsOn.flatMap((dependency) => plan.findTask(dependency) ?? []));
  return [...found].filter(isListed);
}

/** Cancelled tasks are gone for these tools. */
export function isListed({ status }: Task): boolean {
  return status !== 'cancelled';
}

export function listedTask(plan: Plan, task: Task): object {
  const owner = ownerOf(task);
  const open = dependenciesOf(plan, task).filter(({ status }) => !isTerminal(status));
  return {
    id: wireId(task),
    subject: subjectOf(task),
    status: task.status,
    ...(owner !== undefined && { owner }),
    blockedBy: open.map(wireId),
  };
}

export function listedTasks(plan: Plan): readonly object[] {
  return [...plan.tasks()].filter(isListed).map((task) => listedTask(plan, task));
}

export function wholeTask(plan: Plan, task: Task): object {
  const { head, rest } = splitText(task.description);
  return {
    id: wireId(task),
    subject: head,
    description: rest,
    status: task.status,
    blocks: plan.dependents(taskId(task), task.uid).filter(isListed).map(wireId),
    blockedBy: dependenciesOf(plan, task).map(wireId),
  };
}

/**
 * What the actor knows of the list after a look at, or a change of, some tasks alone: what it knew, but for rows that
 * others changed meanwhile, so that a list it sends later does not take those back.
 */
export function knownAfter(
  { plan: before, sight }: Look,
  actor: string,
  touched: readonly string[] = [],
): (plan: Plan) => Omit<Shown, 'revision'> {
  const shown = sight?.shown && new Set(sight.shown);
  const isKnown = (task: Task): boolean =>
    sight !== undefined && task.revision <= sight.revision && (!shown || shown.has(task.uid));
  const known = new Set([...before.tasks()].filter(isKnown).map(({ uid }) => uid));
  const own = new Set(touched);
  return (plan) => {
    const isUnchanged = ({ uid, revision }: Task): boolean =>
      known.has(uid) && (revision <= (sight?.revision ?? 0) || (own.has(uid) && revision === plan.revision));
    const isMade = (task: Task): boolean => task.createdRevision === plan.revision && task.createdBy === actor;
    const tasks = [...plan.tasks()];
    const still = tasks.filter((task) => isUnchanged(task) || isMade(task));
    return { shown: still.length === tasks.length ? null : still.map(({ uid }) => uid) };
  };
}

/** A message of the core in the words of these tools. */
export function inWords({ message }: Pick<Failure, 'message'>): string {
  return shortNames(message)
    .replace(/^Mutation \d+ of \d+ was refused, so none took effect\./, 'Nothing was changed.')
    .replace(/'task-([0-9]+)'/g, '#$1')
    .replace('Reopen it (task.reopen)', 'Set its status to pending')
    .replace('have it reopened (task.reopen)', 'set its status to pending')
    .replace(/\bcancelled\b/g, 'deleted')
    .replace('(List)', '(TaskList)');
}
