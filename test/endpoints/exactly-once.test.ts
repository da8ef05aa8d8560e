import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient } from '../support/protocol-client.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start();
});

afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

const add: Mutation = { type: 'task.add', description: 'once' };

async function revisionOf(room: string): Promise<number> {
  const response = await fetch(`${server.url}/api/rooms/${room}`);
  return response.status === 404 ? 0 : ((await response.json()) as { revision: number }).revision;
}

test('the same id again, while the first is under way, has effect once', async () => {
  const client = await ProtocolClient.hello(server.url);
  const message = { type: 'mutate', room: 'twice', id: 'm', mutation: add } as const;
  client.send(message, message, message);
  const answers = [await client.answer('m'), await client.answer('m'), await client.answer('m')];
  expect(answers.map((answer) => answer.type === 'ack' && answer.revision)).toEqual([1, 1, 1]);
  expect(answers.filter((answer) => answer.type === 'ack' && answer.repeated)).toHaveLength(2);
  expect(await revisionOf('twice')).toBe(1);
  await client.close();
});

test('a retry for another epoch, while the first is under way, is told so; and what was refused leaves the id free', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  await ann.mutate('flight', add, 'before');
  ann.send(
    { type: 'mutate', room: 'flight', id: 'm', mutation: add },
    { type: 'mutate', room: 'flight', id: 'm', epoch: 'another', mutation: add },
  );
  expect(await ann.answer('m')).toMatchObject({ type: 'ack' });
  expect(await ann.answer('m')).toMatchObject({ type: 'reject', code: 'epoch_changed' });
  ann.send({ type: 'mutate', room: 'flight', id: 'n', mutation: { type: 'task.remove', task: 'task-99' } });
  bo.send({ type: 'mutate', room: 'flight', id: 'n', mutation: add });
  expect(await ann.answer('n')).toMatchObject({ type: 'reject', code: 'task_not_found' });
  expect(await bo.answer('n')).toMatchObject({ type: 'ack' });
  await Promise.all([ann.close(), bo.close()]);
});

test('the same id after the Ack, on this connection and on another, gets the first answer', async () => {
  const [one, two] = [await ProtocolClient.hello(server.url), await ProtocolClient.hello(server.url)];
  const first = await one.mutate('retry', add, 'm');
  expect(await one.mutate('retry', add, 'm')).toEqual({ ...first, repeated: true });
  expect(await two.mutate('retry', add, 'm')).toEqual({ ...first, repeated: true });
  expect(await revisionOf('retry')).toBe(1);
  await Promise.all([one.close(), two.close()]);
});

test('an id that was used by another actor, or for another kind of mutation, is refused', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  await ann.mutate('reused', add, 'm');
  expect(await bo.mutate('reused', add, 'm')).toMatchObject({ type: 'reject', code: 'mutation_id_reused' });
  const other: Mutation = { type: 'task.complete', task: 'task-1' };
  expect(await ann.mutate('reused', other, 'm')).toMatchObject({ type: 'reject', code: 'mutation_id_reused' });
  ann.send({ type: 'mutate', room: 'reused', id: 'n', mutation: add });
  bo.send({ type: 'mutate', room: 'reused', id: 'n', mutation: add });
  const answers = [await ann.answer('n'), await bo.answer('n')].map((answer) => answer.type);
  expect(answers.sort()).toEqual(['ack', 'reject']);
  expect(await revisionOf('reused')).toBe(2);
  await Promise.all([ann.close(), bo.close()]);
});

test('an id that was refused may be sent again, and is decided anew', async () => {
  const client = await ProtocolClient.hello(server.url);
  const complete: Mutation = { type: 'task.complete', task: 'task-1' };
  expect(await client.mutate('refused', complete, 'm')).toMatchObject({ code: 'task_not_found' });
  await client.mutate('refused', add, 'a');
  expect(await client.mutate('refused', complete, 'm')).toMatchObject({ type: 'ack', revision: 2 });
  await client.close();
});

test('a retry over HTTP of what was sent over WebSocket gets the same answer', async () => {
  const client = await ProtocolClient.hello(server.url);
  const ack = await client.mutate('both', add, 'm');
  const response = await fetch(`${server.url}/api/rooms/both/mutations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mutationId: 'm', actor: 'ann', mutation: add }),
  });
  const { type, id, ...same } = ack as typeof ack & { readonly type: string; readonly id: string };
  expect([type, id]).toEqual(['ack', 'm']);
  expect(await response.json()).toEqual({ ok: true, ack: { ...same, nags: [], repeated: true } });
  await client.close();
});

test('a room deleted while it is joined says so, and what follows makes a new one', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'reborn', presence: true });
  await client.next('snapshot');
  const before = await client.mutate('reborn', add, 'a');
  if (before.type !== 'ack') throw new Error('refused');
  client.send({ type: 'call', id: 'd', operation: 'room.delete', input: { room: 'reborn', revision: 1 } });
  expect(await client.next('deleted')).toEqual({ type: 'deleted', room: 'reborn', epoch: before.epoch, revision: 1 });
  expect((await client.next('result')).value).toEqual({ deleted: 'reborn', epoch: before.epoch, revision: 1 });
  client.send({ type: 'mutate', room: 'reborn', id: 'b', epoch: before.epoch, mutation: add });
  expect(await client.answer('b')).toMatchObject({ type: 'reject', code: 'epoch_changed' });
  const after = await client.mutate('reborn', add, 'a');
  expect(after).toMatchObject({ type: 'ack', revision: 1 });
  expect(after).not.toMatchObject({ epoch: before.epoch });
  client.rest();
  client.send({ type: 'join', room: 'reborn', since: { epoch: before.epoch, revision: 1 } });
  expect(await client.next('joined')).toMatchObject({ resume: 'snapshot', revision: 1 });
  await client.close();
});

test('a deletion at the wrong revision is a conflict, one of nothing is not found', async () => {
  const client = await ProtocolClient.hello(server.url);
  await client.mutate('guarded', add);
  client.send({ type: 'call', id: 'd', operation: 'room.delete', input: { room: 'guarded', revision: 9 } });
  expect(await client.next('error')).toMatchObject({ id: 'd', code: 'conflict', facts: { expected: 9, current: 1 } });
  client.send({ type: 'call', id: 'e', operation: 'room.delete', input: { room: 'never-was' } });
  expect(await client.next('error')).toMatchObject({ id: 'e', code: 'room_not_found' });
  expect(await revisionOf('guarded')).toBe(1);
  await client.close();
});
