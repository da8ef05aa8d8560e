import { z } from 'zod';
import { limits } from '../limits.ts';

/**
 * Field schemas that several mutations share. They bound the shape; what a text must say and how many bytes it may
 * have is a rule of the plan, so that every caller gets the same Rejection.
 */
export const uidField = z
  .string()
  .regex(/^(?!task-[0-9]+$)[A-Za-z0-9_-]{8,64}$/, 'a uid is 8 to 64 of A-Z a-z 0-9 _ - and not shaped like task-7');

/** Addresses a task: its uid, or its id such as `task-7`. */
export const taskReference = z.string().min(1).max(limits.dependencyIdBytesMax);

/** Addresses a group: its uid, or its title (the first group with exactly this title). */
export const groupReference = z.string().max(limits.groupTitleBytesMax);

/** Revision the caller last saw: the mutation is refused when what it touches changed after it. */
export const baseField = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();

/** Names a new task within one batch. */
export const keyField = z
  .string()
  .min(1)
  .max(limits.dependencyIdBytesMax)
  .regex(/^(?!task-[0-9]+$)/, 'a key must not have the shape of a task id such as task-7');

export const textField = z.string().max(limits.frameBytesMax);
export const dependsOnField = z.array(z.string().max(limits.dependencyIdBytesMax)).max(limits.dependenciesPerTaskMax);
export const labelsField = z.array(z.string().min(1).max(limits.labelBytesMax)).max(limits.labelsPerTaskMax);
export const priorityField = z.string().min(1).max(limits.priorityBytesMax);
