import { expect, test } from 'vitest';
import type { Change } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Random, runs, testSeed } from '../support/random.ts';
import { RawWriter } from '../support/raw-writer.ts';
import { ServerProcess } from '../support/server-process.ts';

const writerCount = 20;
const room = 'kill';

/** Adds a few tasks, then works on those of its own. Each is refused or is a Change: none is a success that changes nothing. */
function mutationsOf(random: Random, name: string): () => Mutation {
  const uids: string[] = [];
  let edits = 0;
  return () => {
    if (uids.length < 5 || (uids.length < 40 && random.next() < 0.05)) {
      const uid = `${name}-${String(uids.length).padStart(8, '0')}`;
      uids.push(uid);
      return { type: 'task.add', description: `${name} ${uids.length}`, group: name, uid };
    }
    const task = random.pick(uids);
    const dice = random.next();
    if (dice < 0.2) return { type: 'task.reopen', task };
    if (dice < 0.4) return { type: 'task.complete', task };
    edits += 1;
    return { type: 'task.edit', task, description: `${name} edit ${edits}` };
  };
}

test(
  'a server that is killed again and again loses no acknowledged mutation, and shows none that is gone',
  async () => {
    const random = new Random(testSeed('kill'));
    const rounds = runs(50, 1_000);
    const server = await ServerProcess.start();
    let acks = 0;
    let target = Number.POSITIVE_INFINITY;
    let reached: () => void = () => undefined;
    const onAck = (): void => {
      acks += 1;
      if (acks >= target) reached();
    };
    const names = Array.from({ length: writerCount }, (_, index) => `writer${index}`);
    const writers = names.map((name) => new RawWriter(server.url, room, name, 4, mutationsOf(random, name), onAck));
    try {
      for (let round = 0; round < rounds; round += 1) {
        const enough = new Promise<void>((resolve) => {
          reached = resolve;
        });
        target = acks + random.between(1, 300);
        // Some connect while the kill already comes: that is part of the game.
        const joined = Promise.allSettled(writers.map((writer) => writer.connect()));
        await enough;
        await server.kill();
        await joined;
        await server.restart();
      }
      await Promise.all(writers.map((writer) => writer.connect()));
      await Promise.all(writers.map((writer) => writer.finish()));
      const log = await readLog(server.url);
      checkAgainst(log, writers);
      console.log(
        `${rounds} kills, ${acks} acks, ${log.length} Changes, ${writers.reduce((n, w) => n + w.seen.rejections.size, 0)} refused`,
      );
      expect(acks).toBeGreaterThan(rounds);
    } finally {
      for (const writer of writers) writer.close();
      await server.dispose();
    }
  },
  runs(280_000, 3_600_000),
);

function checkAgainst(log: readonly Change[], writers: readonly RawWriter[]): void {
  expect(log.map((change) => change.revision)).toEqual(log.map((_, index) => index + 1));
  const revisions = new Map(log.map((change) => [change.mutationId, change.revision]));
  expect(revisions.size, 'every mutationId once').toBe(log.length);
  for (const { seen } of writers) {
    expect(seen.problems).toEqual([]);
    for (const [id, revision] of seen.acks) expect([id, revisions.get(id)]).toEqual([id, revision]);
    expect(
      [...seen.rejections].filter((id) => revisions.has(id)),
      'refused, and stored',
    ).toEqual([]);
    for (const [revision, mutationId] of seen.changes) expect(log[revision - 1]?.mutationId).toBe(mutationId);
  }
}

async function readLog(url: string): Promise<Change[]> {
  const log: Change[] = [];
  for (;;) {
    const answer = await fetch(`${url}/api/rooms/${room}/changes?since=${log.length}`);
    const { changes, more } = (await answer.json()) as { changes: Change[]; more: boolean };
    log.push(...changes);
    if (!more) return log;
  }
}
