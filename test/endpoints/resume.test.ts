import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient } from '../support/protocol-client.ts';
import { ServerProcess } from '../support/server-process.ts';

const add = (description: string): Mutation => ({ type: 'task.add', description });

/** What a join brings from a position. */
async function joinAt(url: string, room: string, since: { epoch: string; revision: number } | undefined) {
  const client = await ProtocolClient.hello(url);
  client.send({ type: 'join', room, ...(since && { since }) });
  const { resume, epoch, revision } = await client.next('joined');
  await client.settle();
  const [message] = client.rest();
  await client.close();
  const got = message?.type === 'changes' ? message.changes.map((change) => change.revision) : message?.type;
  return { resume, epoch, revision, got };
}

describe('resume', () => {
  let server: LocalServer;
  let epoch = '';

  beforeAll(async () => {
    server = await LocalServer.start();
    const client = await ProtocolClient.hello(server.url);
    for (let index = 0; index < 5; index += 1) {
      const ack = await client.mutate('resume', add(`task ${index}`));
      if (ack.type === 'ack') epoch = ack.epoch;
    }
    await client.close();
  });

  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  test.each([
    { name: 'the present revision: nothing', revision: 5, resume: 'current', got: undefined },
    { name: 'an earlier revision: what is missing', revision: 3, resume: 'changes', got: [4, 5] },
    { name: 'revision 0 of this epoch: everything', revision: 0, resume: 'changes', got: [1, 2, 3, 4, 5] },
    { name: 'a revision that was never: the snapshot', revision: 6, resume: 'snapshot', got: 'snapshot' },
    { name: 'the largest revision there can be', revision: 2 ** 53 - 1, resume: 'snapshot', got: 'snapshot' },
  ])('from $name', async ({ revision, resume, got }) => {
    expect(await joinAt(server.url, 'resume', { epoch, revision })).toEqual({ resume, epoch, revision: 5, got });
  });

  test('from another epoch: the snapshot, even at the same revision', async () => {
    expect(await joinAt(server.url, 'resume', { epoch: 'another', revision: 5 })).toMatchObject({
      resume: 'snapshot',
      epoch,
    });
  });

  test('from nowhere: the snapshot', async () => {
    expect(await joinAt(server.url, 'resume', undefined)).toMatchObject({ resume: 'snapshot', got: 'snapshot' });
  });

  test('a body over the broadcast limit travels as its size, in Changes and in snapshots', async () => {
    const client = await ProtocolClient.hello(server.url);
    const content = 'é'.repeat(limits.broadcastBodyBytesMax / 2);
    client.send({ type: 'join', room: 'body' });
    await client.mutate('body', { type: 'document.write', content });
    expect((await client.next('changes')).changes[0]?.patch.document?.content).toBe(content);
    await client.mutate('body', { type: 'document.write', content: `${content}x` });
    const [change] = (await client.next('changes')).changes;
    expect(change?.patch.document).toMatchObject({ contentBytes: limits.broadcastBodyBytesMax + 1 });
    expect(change?.patch.document).not.toHaveProperty('content');
    client.rest();
    client.send({ type: 'join', room: 'body' });
    const { plan } = await client.next('snapshot');
    expect(plan.document).toMatchObject({ content: '', contentBytes: limits.broadcastBodyBytesMax + 1 });
    client.send({ type: 'read', id: 'r', operation: 'room.snapshot', input: { room: 'body' } });
    expect((await client.next('result')).value).toMatchObject({ document: { content: `${content}x` } });
    await client.close();
  });
});

describe('after a restart', () => {
  test('a client resumes from its revision, and a retry gets its first answer', async () => {
    const server = await ServerProcess.start();
    try {
      let client = await ProtocolClient.hello(server.url);
      const first = await client.mutate('kept', add('one'), 'first');
      for (let index = 0; index < 20; index += 1) await client.mutate('kept', add(`more ${index}`));
      if (first.type !== 'ack') throw new Error('refused');
      await server.kill();
      await client.closed;
      await server.restart();
      expect(await joinAt(server.url, 'kept', { epoch: first.epoch, revision: 19 })).toEqual({
        resume: 'changes',
        epoch: first.epoch,
        revision: 21,
        got: [20, 21],
      });
      client = await ProtocolClient.hello(server.url);
      expect(await client.mutate('kept', add('one'), 'first')).toEqual({ ...first, repeated: true });
      await client.close();
      const other = await ProtocolClient.hello(server.url, 'bo');
      expect(await other.mutate('kept', add('one'), 'first')).toMatchObject({
        type: 'reject',
        code: 'mutation_id_reused',
        facts: { mutationId: 'first', revision: 1 },
      });
      await other.close();
    } finally {
      await server.dispose();
    }
  });

  test('Changes that memory does not hold any more are read from the disk', async () => {
    const server = await ServerProcess.start();
    try {
      const client = await ProtocolClient.hello(server.url);
      const count = 1_100;
      const ids = Array.from({ length: count }, (_, index) => `d${index}`);
      // Enough for a snapshot: what was before it is not loaded after a restart.
      for (let start = 0; start < count; start += 100) {
        client.send(
          ...ids.slice(start, start + 100).map(
            (id) =>
              ({
                type: 'mutate',
                room: 'deep',
                id,
                mutation: { type: 'task.add', description: id, uid: `uid-${id}-xxx` },
              }) as const,
          ),
        );
        await client.answer(`d${start + 99}`);
      }
      client.send({ type: 'join', room: 'deep' });
      const { epoch } = await client.next('joined');
      await server.stop();
      await client.closed;
      await server.restart();
      const resumed = await joinAt(server.url, 'deep', { epoch, revision: 900 });
      expect(resumed).toMatchObject({ resume: 'changes', revision: count });
      expect(resumed.got).toEqual(Array.from({ length: 200 }, (_, index) => 901 + index));
    } finally {
      await server.dispose();
    }
  });
});
