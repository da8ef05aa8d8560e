import { describe, expect, it } from 'vitest';
import { acceptMutation } from '../../client/sdk/accept-mutation.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';

const accept = (mutation: unknown) => acceptMutation(mutation as Mutation, () => 'made-uid');

describe('a mutation given to the client', () => {
  it('gets a uid for each new row, unless it brings one', () => {
    expect(accept({ type: 'task.add', description: 'a' })).toMatchObject({ ok: true, value: { uid: 'made-uid' } });
    expect(accept({ type: 'group.add', title: 'a', uid: 'own-uid-1' })).toMatchObject({ value: { uid: 'own-uid-1' } });
    const batch = accept({ type: 'batch', mutations: [{ type: 'task.add', description: 'a' }] });
    expect(batch).toMatchObject({ value: { mutations: [{ uid: 'made-uid' }] } });
  });

  it('is copied, so that the caller may change its own afterwards', () => {
    const mutation = { type: 'task.add', description: 'a', labels: ['x'] };
    const accepted = accept(mutation);
    mutation.labels.push('y');
    expect(accepted).toMatchObject({ value: { labels: ['x'] } });
  });

  it.each([
    ['an unknown type', { type: 'task.fly' }],
    ['an unknown field', { type: 'task.start', task: 'task-1', speed: 3 }],
    ['an empty batch', { type: 'batch', mutations: [] }],
    ['half a surrogate pair', { type: 'task.add', description: 'a\ud800' }],
    ['half a surrogate pair deep inside', { type: 'batch', mutations: [{ type: 'group.add', title: '\udc00' }] }],
  ])('is refused as invalid for %s, before it is sent', (_what, mutation) => {
    expect(accept(mutation)).toMatchObject({ ok: false, error: { code: 'invalid', retryable: false } });
  });
});
