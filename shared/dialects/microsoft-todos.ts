import { z } from 'zod';
import type { Task } from '../plan/model.ts';
import { splitText } from './headed-text.ts';

/** The plan as todos of Microsoft's Agent Framework. */

export const todoSchema = z.object({
  id: z.number(),
  title: z.string(),
  description: z.string().optional(),
  isComplete: z.boolean(),
});

type Todo = z.output<typeof todoSchema>;

export function todoOf({ number: id, description: text, status }: Task): Todo {
  const { head: title, rest: description } = splitText(text);
  return { id, title, ...(description !== '' && { description }), isComplete: status === 'completed' };
}

/** A cancelled task is neither complete nor to be done. */
export function isListed({ status }: Task): boolean {
  return status !== 'cancelled';
}
