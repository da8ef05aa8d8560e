import { expect, test } from 'vitest';
import { add, openRooms, submission } from '../support/room-harness.ts';

test('names that are made up do not fill the memory; rooms in use stay', async () => {
  const rooms = openRooms();
  await rooms.submit('kept', submission(add('a task')));
  for (let index = 0; index < 2_000; index += 1) await rooms.open(`made-up-${index}`);
  expect(rooms.liveCount).toBe(2_001);
  // They count as unused after a second.
  const clock = Date.now;
  Date.now = () => clock() + 2_000;
  try {
    for (let index = 2_000; index < 6_000; index += 1) await rooms.open(`made-up-${index}`);
    await expect.poll(() => rooms.liveCount).toBeLessThan(4_100);
  } finally {
    Date.now = clock;
  }
  expect(await rooms.submit('kept', submission(add('another')))).toMatchObject({ ack: { revision: 2 } });
});
