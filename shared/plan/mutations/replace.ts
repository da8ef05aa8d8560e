import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import type { Plan } from '../plan.ts';
import type { Rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import type { Stamp } from '../stamp.ts';
import { baseField } from './fields.ts';

export const tasksReplace = z.strictObject({ type: z.literal('tasks.replace'), base: baseField });
export type TasksReplace = z.infer<typeof tasksReplace>;
export function decideReplace(plan: Plan, _mutation: TasksReplace, _stamp: Stamp): Result<Decision, Rejection> {
  return ok(new Draft(plan).finish());
}
