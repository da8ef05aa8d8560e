import { describe, expect, test } from 'vitest';
import { fewOf, referenceOf, shortNames } from '../../shared/dialects/task-names.ts';
import { joinNames } from '../../shared/plan/text.ts';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `task-${index + 1}`);

describe('messages that list tasks', () => {
  test.each([1, 2, 3, 10])('with %i names stay as they are', (count) => {
    const message = `Only ${joinNames(ids(count))} can be.`;
    expect(shortNames(message)).toBe(message);
  });

  test.each([11, 50, 80])('with %i names say ten, and count the others', (count) => {
    const first = ids(10).map((id) => `'${id}'`);
    expect(shortNames(`Only ${joinNames(ids(count))} can be.`)).toBe(
      `Only ${first.join(', ')} and ${count - 10} more can be.`,
    );
    const named = ids(count).map((id) => `'${id}' ("a "b" (c), and 'd'")`);
    expect(shortNames(`${named.join(', ')} and 5 more were there, and stay.`)).toBe(
      `${named.slice(0, 10).join(', ')} and ${count - 5} more were there, and stay.`,
    );
  });

  test('places and names of our own are cut alike', () => {
    expect([[], [1], [1, 2], [1, 2, 3]].map(fewOf)).toEqual(['', '1', '1 and 2', '1, 2 and 3']);
    expect(fewOf(ids(12))).toMatch(/task-10 and 2 more$/);
  });
});

test.each([
  ['3', 'task-3'],
  ['#3', 'task-3'],
  [' TASK-3 ', 'task-3'],
  ['0', undefined],
  ['3a', undefined],
  ['task', undefined],
])('%j means %s', (said, id) => {
  expect(referenceOf(said)).toBe(id);
});
