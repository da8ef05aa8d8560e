import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mutationSchema, mutationTypes } from '../../shared/plan/mutation.ts';
import { explainIssues } from '../../shared/protocol/codec.ts';

function explained(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value);
  return parsed.success ? '' : explainIssues(parsed.error);
}

describe('explainIssues', () => {
  test('names what is missing, what is no field, and every type there is', () => {
    expect(explained(mutationSchema, { type: 'task.add', descripton: 'x' })).toBe(
      "description is missing; there is no field 'descripton'.",
    );
    expect(explained(mutationSchema, { type: 'task.ad' })).toBe(`type must be one of ${mutationTypes.join(', ')}.`);
    const nested = { type: 'batch', mutations: [{ type: 'task.start', task: 'task-1', wings: 2 }] };
    expect(explained(mutationSchema, nested)).toBe("mutations.0 has no field 'wings'.");
  });

  test('says in plain words what is empty or too much, and keeps what a schema says itself', () => {
    expect(explained(z.string().min(1), '')).toBe('the value is empty.');
    expect(explained(z.strictObject({ a: z.string().min(3) }), { a: 'b' })).toBe('a needs at least 3 characters.');
    expect(explained(z.array(z.string()).max(2), ['a', 'b', 'c'])).toBe('the value has more than 2 entries.');
    expect(explained(z.string().max(1, 'one letter'), 'ab')).toBe('one letter.');
  });

  test('many faults are counted, and long ones cut', () => {
    const keys = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}`.repeat(100), 1]));
    expect(explained(z.strictObject({}), keys).length).toBeLessThan(400);
    expect(explained(z.array(z.string()), [1, 2, 3, 4, 5])).toMatch(/; and 2 more\.$/);
  });
});
