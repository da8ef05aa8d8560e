import { expect, test } from 'vitest';
import type { RoomRegistry } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Random, runs, testSeed } from '../support/random.ts';
import { Mirror, openRooms, submission } from '../support/room-harness.ts';

const room = 'r';

/** Something that a team does to a small plan; much of it is refused, as in life. */
function someMutation(random: Random): Mutation {
  const task = `task-${random.between(1, 12)}`;
  const text = `text ${random.between(1, 1_000)} ${'x'.repeat(random.between(0, 60))}`;
  const base = random.next() < 0.2 ? { base: random.between(0, 40) } : {};
  return random.pick<Mutation>([
    { type: 'task.add', description: text, group: random.pick(['A', 'B', 'C']) },
    { type: 'task.add', description: text, dependsOn: [task] },
    { type: 'task.edit', task, description: text, ...base },
    { type: 'task.edit', task, group: random.pick(['A', 'B', 'C']) },
    { type: 'task.move', task, after: `task-${random.between(1, 12)}` },
    { type: 'task.start', task, ...base },
    { type: 'task.complete', task },
    { type: 'task.remove', task },
    { type: 'tasks.clean', keepPending: true },
    { type: 'tasks.replace', items: [{ description: text }, { description: 'kept', status: 'completed' }], ...base },
    { type: 'document.write', content: text, ...base },
    { type: 'document.status', status: text },
    { type: 'group.move', group: random.pick(['A', 'B', 'C']), before: random.pick(['A', 'B', 'C']) },
    { type: 'plan.revert', revision: random.between(1, 60) },
    {
      type: 'batch',
      mutations: [
        { type: 'task.complete', task },
        { type: 'task.add', description: text },
      ],
    },
  ]);
}

/** One subscriber that comes and goes; a second subscription of it would be told everything twice. */
class Comer {
  readonly mirror = new Mirror();
  private here = false;

  get isHere(): boolean {
    return this.here;
  }

  async comeOrGo(rooms: RoomRegistry): Promise<void> {
    if (this.here) this.mirror.leave();
    else await rooms.subscribe(room, this.mirror, this.mirror.position);
    this.here = !this.here;
  }

  /** The room was deleted: whoever was there had all of it, is told once, and is there no longer. */
  noticeDeletion(): void {
    expect(this.mirror.deletions).toEqual(this.here ? [this.mirror.position] : []);
    this.here = false;
    this.mirror.deletions.length = 0;
  }
}

test(
  'subscribers that drop and resume at random, through evictions and deletions, end equal to the room',
  async () => {
    const seed = testSeed('subscribers');
    const catchUps = new Map<string, number>();
    for (let round = 0; round < runs(40, 2_000); round += 1) {
      const random = new Random(seed + round);
      const rooms = openRooms(openMemoryStore());
      const comers = Array.from({ length: 5 }, () => new Comer());
      for (let step = 0; step < 120; step += 1) {
        const dice = random.next();
        const writing = Array.from({ length: random.between(0, 4) }, () =>
          rooms.submit(room, submission(someMutation(random), random.pick(['ann', 'bob', 'cy']))),
        );
        if (dice < 0.35) await random.pick(comers).comeOrGo(rooms);
        else if (dice < 0.45) await rooms.evictIdle(0);
        else if (dice < 0.47) {
          await Promise.all(writing);
          const deleted = await rooms.delete(room, undefined);
          const removed = deleted.ok && deleted.value.type === 'removed';
          if (removed) for (const comer of comers) comer.noticeDeletion();
        }
        if (random.next() < 0.7) await Promise.all(writing);
      }
      await checkAll(rooms, comers, `PLANROOM_SEED=${seed}, round ${round}`);
      for (const { mirror } of comers) {
        for (const kind of mirror.catchUps) catchUps.set(kind, (catchUps.get(kind) ?? 0) + 1);
      }
    }
    console.log(`caught up by ${[...catchUps].map(([kind, count]) => `${kind} ${count}`).join(', ')}`);
    // The run did what it is for: each way of coming back was taken.
    for (const kind of ['current', 'changes', 'snapshot']) expect(catchUps.get(kind), kind).toBeGreaterThan(0);
  },
  runs(60_000, 900_000),
);

/** Who stayed has the plan of the room, and who was away has it on coming back; no one was told a gap or a repeat (the mirror throws). */
async function checkAll(rooms: RoomRegistry, comers: readonly Comer[], name: string): Promise<void> {
  // One more mutation, answered, so that everything before it is durable.
  await rooms.submit(room, submission({ type: 'task.add', description: 'last' }));
  const opened = await rooms.open(room);
  if (!opened.ok) throw new Error(opened.error.message);
  for (const comer of comers) {
    if (!comer.isHere) await comer.comeOrGo(rooms);
    expect(comer.mirror.plan?.toSnapshot(), name).toEqual(opened.value.snapshot());
  }
}
