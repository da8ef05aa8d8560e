import { afterAll, beforeAll, expect, test } from 'vitest';
import { LargeSlots } from '../../server/endpoints/websocket/large-slots.ts';
import { limits } from '../../shared/plan/limits.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient } from '../support/protocol-client.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start({ largeAnswerTimeoutMs: 200 });
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

test('readers that never read hold a bounded number of large answers, and let others come to theirs', async () => {
  const mutation = { type: 'document.write', content: 'x'.repeat(limits.contentBytesMax) } as const;
  await server.rooms.submit('big', { mutationId: 'm', mutation, actor: 'ann' });
  const read = { type: 'read', id: 'r', operation: 'room.snapshot', input: { room: 'big' } } as const;
  const idle: ProtocolClient[] = [];
  for (let count = 0; count < limits.largeAnswersMax * 2; count += 1) {
    const client = await ProtocolClient.hello(server.url);
    client.socket.pause();
    client.send(read);
    idle.push(client);
  }
  const honest = await ProtocolClient.hello(server.url);
  honest.send(read);
  const { value } = await honest.next('result');
  expect((value as { room: string }).room).toBe('big');
  for (const client of idle) client.socket.terminate();
  await honest.close();
});

test('slots go to those who wait, in order, each given back once', async () => {
  const slots = new LargeSlots(1, 1_000);
  const first = await slots.take();
  const order: string[] = [];
  const second = slots.take().then((release) => {
    order.push('second');
    return release;
  });
  const third = slots.take().then((release) => {
    order.push('third');
    return release;
  });
  first();
  first();
  (await second)();
  await third;
  expect(order).toEqual(['second', 'third']);
});
