import { expect, it } from 'vitest';
import { defaultEnvironment } from '../../client/sdk/environment.ts';
import { MutationIds } from '../../client/sdk/mutation-ids.ts';
import { mutationIdSchema } from '../../shared/protocol/names.ts';

it('mutationIds of one client share a prefix, count up, and are what the protocol allows', () => {
  const ids = new MutationIds(defaultEnvironment.newIdPrefix());
  const made = Array.from({ length: 1_000 }, () => ids.next());
  expect(new Set(made).size).toBe(1_000);
  expect(new Set(made.map((id) => id.slice(0, 13))).size).toBe(1);
  expect(made[999]).toMatch(/^.{12}\.1000$/);
  for (const id of made) expect(mutationIdSchema.safeParse(id).success).toBe(true);
});

it('two clients never make the same mutationId', () => {
  const prefixes = new Set(Array.from({ length: 1_000 }, () => defaultEnvironment.newIdPrefix()));
  expect(prefixes.size).toBe(1_000);
});
