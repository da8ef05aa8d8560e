import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { RecentChanges } from '../../server/room/recent-changes.ts';
import { record } from '../support/appends.ts';

/** Collects garbage for real; a reference that this leaves is one that something holds. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // What was looked at in a turn of the event loop stays until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}

function pushWatched(recent: RecentChanges, count: number): WeakRef<object>[] {
  return Array.from({ length: count }, (_, index) => {
    // The nags are kept by reference, so they show whether the record they belong to is.
    const nags = [{ code: 'cleaned', message: `${index}` }] as const;
    recent.push({ ...record(index + 1, { nags }), changeText: 'x'.repeat(1_000), undoText: '{}' });
    return new WeakRef(nags);
  });
}

test('what is dropped is not in memory any more, long before as many were dropped as may be held', async () => {
  const recent = new RecentChanges(4_096, 10_000);
  const watched = pushWatched(recent, 100);
  await collectGarbage();
  expect(recent.count).toBe(9);
  expect(watched.filter((each) => each.deref() !== undefined).length).toBe(recent.count);
  expect(recent.after(91)?.map((each) => each.nags[0]?.message)).toEqual([
    '91',
    '92',
    '93',
    '94',
    '95',
    '96',
    '97',
    '98',
    '99',
  ]);
  expect([recent.at(91), recent.find('m-91'), recent.after(90)]).toEqual([undefined, undefined, undefined]);
  expect(recent.find('m-92')).toBe(recent.at(92));
});
