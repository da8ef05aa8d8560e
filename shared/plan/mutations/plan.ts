import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import { type ParsedGroup, type ParsedPlan, type ParsedTask, parseMarkdown } from '../markdown.ts';
import { fullListWritePolicies, inProgressPolicies } from '../model.ts';
import { freshOrders } from '../order.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { assertNever, err, ok, type Result } from '../result.ts';
import { requireDescription, requireTaskFields, requireText, requireUnchangedPlan } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { checkDocumentTexts } from './document.ts';
import { baseField } from './fields.ts';
import { NumberGiver } from './number-giver.ts';
import { decideRevert, type planRevert } from './revert.ts';

/**
 * Replaces groups and tasks by those of a Markdown task list; the document too when the text is a planroom export. What an
 * export says is in progress is started by whom it names, and keeps to the policy like any start.
 */
export const planLoad = z.strictObject({
  type: z.literal('plan.load'),
  markdown: z.string().max(limits.httpBodyBytesMax),
  base: baseField,
});
/** Changes rules of the room. */
export const planPolicy = z.strictObject({
  type: z.literal('plan.policy'),
  inProgress: z.enum(inProgressPolicies).optional(),
  strictTerminal: z.boolean().optional(),
  fullListWrites: z.enum(fullListWritePolicies).optional(),
});

type Load = z.infer<typeof planLoad>;
type SetPolicy = z.infer<typeof planPolicy>;
export type PlanMutation = Load | SetPolicy | z.infer<typeof planRevert>;

export function decidePlan(plan: Plan, mutation: PlanMutation, stamp: Stamp): Result<Decision, Rejection> {
  switch (mutation.type) {
    case 'plan.load':
      return decideLoad(plan, mutation, stamp);
    case 'plan.policy':
      return decidePolicy(plan, mutation);
    case 'plan.revert':
      return decideRevert(plan, mutation, stamp);
    default:
      return assertNever(mutation);
  }
}

function decidePolicy(plan: Plan, mutation: SetPolicy): Result<Decision, Rejection> {
  const { type: _type, ...fields } = mutation;
  if (Object.keys(fields).length === 0) {
    return rejection('invalid', 'Name at least one of inProgress, strictTerminal, fullListWrites.');
  }
  const draft = new Draft(plan);
  draft.setPolicy(fields as Partial<typeof plan.policy>);
  return ok(draft.finish());
}

function decideLoad(plan: Plan, mutation: Load, stamp: Stamp): Result<Decision, Rejection> {
  const guard = requireUnchangedPlan(plan, mutation.base);
  if (!guard.ok) return guard;
  const parsed = parseMarkdown(mutation.markdown);
  const checked = checkParsed(parsed);
  if (!checked.ok) return checked;
  const draft = new Draft(plan);
  for (const task of plan.tasks()) draft.removeTask(task);
  for (const group of plan.groups()) draft.removeGroup(group);
  const listed = parsed.groups.flatMap((group) => group.tasks);
  const numbers = new NumberGiver(() => true, 0, listed);
  const orders = freshOrders(parsed.groups.length);
  parsed.groups.forEach((group, index) => {
    const { title, testsVerified, evidence } = group;
    const uid = stamp.newUid();
    draft.addGroup({
      uid,
      title,
      order: orders[index] as string,
      ...(testsVerified && { testsVerified }),
      ...(evidence !== undefined && { evidence }),
    });
    addTasks(draft, uid, group, numbers, stamp);
  });
  if (parsed.policy) draft.setPolicy(parsed.policy);
  if (parsed.document) {
    const { content, title, author, status } = parsed.document;
    draft.writeDocument({ content, title: title ?? null, author: author ?? null, status: status ?? null });
  }
  return ok(draft.finish());
}

function addTasks(draft: Draft, groupUid: string, group: ParsedGroup, numbers: NumberGiver, stamp: Stamp): void {
  const orders = freshOrders(group.tasks.length);
  group.tasks.forEach((task, index) => {
    const { description, status, dependsOn, startedBy: actor = stamp.actor, priority, labels } = task;
    const uid = stamp.newUid();
    const number = numbers.give(task.number);
    draft.addTask({
      uid,
      number,
      group: groupUid,
      order: orders[index] as string,
      description,
      ...(status !== 'pending' && { status }),
      ...(status === 'in_progress' && { startedBy: actor }),
      ...(dependsOn.length > 0 && { dependsOn }),
      ...(priority !== undefined && { priority }),
      ...(labels && labels.length > 0 && { labels }),
    });
  });
}

function checkParsed(parsed: ParsedPlan): Result<void, Rejection> {
  const tasks = parsed.groups.reduce((sum, group) => sum + group.tasks.length, 0);
  const { tasksPerRoomMax, groupsPerRoomMax } = limits;
  if (tasks > tasksPerRoomMax || parsed.groups.length > groupsPerRoomMax) {
    return rejection(
      'limit_reached',
      `The file has ${tasks > tasksPerRoomMax ? `more than ${tasksPerRoomMax} tasks` : `more than ${groupsPerRoomMax} groups`}; a room may hold ${tasksPerRoomMax} tasks in ${groupsPerRoomMax} groups. Split it over several rooms.`,
      { tasks, tasksPerRoomMax, groups: parsed.groups.length, groupsPerRoomMax },
    );
  }
  for (const group of parsed.groups) {
    const title = requireText('group title', group.title, limits.groupTitleBytesMax, 'allowed');
    if (!title.ok) return err(title.error);
    const evidence = requireText('evidence', group.evidence ?? '', limits.evidenceBytesMax, 'allowed');
    if (!evidence.ok) return err(evidence.error);
    for (const task of group.tasks) {
      const checked = checkTask(task);
      if (!checked.ok) return checked;
    }
  }
  return parsed.document ? checkDocumentTexts(parsed.document) : ok(undefined);
}

function checkTask(task: ParsedTask): Result<void, Rejection> {
  const description = requireDescription(task.description);
  if (!description.ok) return description;
  const startedBy = requireText('name of who started it', task.startedBy ?? '', limits.actorNameBytesMax, 'allowed');
  if (!startedBy.ok) return startedBy;
  return requireTaskFields(task);
}
