import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { PresenceEntry } from '../../shared/protocol/server-message.ts';
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

const add: Mutation = { type: 'task.add', description: 'a task' };

test('watch brings the list, then each room that appears, changes or goes, until unwatch', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  await ann.mutate('w-old', add);
  bo.send({ type: 'watch' });
  const { rooms, warnings } = await bo.next('rooms');
  expect(warnings).toEqual([]);
  expect(rooms).toMatchObject([{ room: 'w-old', revision: 1, taskCount: 1, openCount: 1 }]);
  await ann.mutate('w-new', { type: 'document.write', title: 'New', content: 'x' });
  expect(await bo.next('room')).toMatchObject({
    room: 'w-new',
    action: 'document.write',
    revision: 1,
    entry: { room: 'w-new', revision: 1, title: 'New', taskCount: 0 },
  });
  await ann.mutate('w-old', { type: 'task.complete', task: 'task-1' });
  expect(await bo.next('room')).toMatchObject({ room: 'w-old', revision: 2, entry: { openCount: 0 } });
  ann.send({ type: 'call', id: 'd', operation: 'room.delete', input: { room: 'w-old' } });
  expect(await bo.next('room')).toEqual({ type: 'room', room: 'w-old', action: 'delete', revision: 2, entry: null });
  bo.send({ type: 'watch' }, { type: 'unwatch' });
  await ann.mutate('w-new', add);
  ann.send({ type: 'watch' });
  expect((await ann.next('rooms')).rooms).toMatchObject([{ room: 'w-new', revision: 2 }]);
  await bo.settle();
  expect(bo.rest()).toEqual([]);
  bo.send({ type: 'watch' });
  expect((await bo.next('rooms')).rooms).toMatchObject([{ room: 'w-new', revision: 2 }]);
  await Promise.all([ann.close(), bo.close()]);
});

test('a room that changes often is told of now and then, and last as it is', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  bo.send({ type: 'watch' });
  await bo.next('rooms');
  for (let index = 0; index < 100; index += 1) await ann.mutate('w-busy', add);
  expect(await bo.next('room', ({ revision }) => revision === 100)).toMatchObject({ entry: { taskCount: 100 } });
  expect(bo.rest().length).toBeLessThan(50);
  await Promise.all([ann.close(), bo.close()]);
});

const briefly = (present: readonly PresenceEntry[]) => present.map(({ actor, on }) => `${actor}:${on}`).sort();

test('presence tells who is here and on what, and forgets who left or is gone', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  ann.send({ type: 'join', room: 'here', presence: true });
  expect(briefly((await ann.next('presence')).present)).toEqual(['ann:null']);
  bo.send({ type: 'join', room: 'here', mode: 'notice' }, { type: 'presence', room: 'here', on: 'task-1' });
  const both = await ann.next('presence', ({ present }) => present.length === 2);
  expect(briefly(both.present)).toEqual(['ann:null', 'bo:task-1']);
  expect(both.more).toBe(0);
  bo.send({ type: 'presence', room: 'here', on: null });
  await ann.next('presence', ({ present }) => briefly(present).includes('bo:null'));
  bo.send({ type: 'leave', room: 'here' });
  await ann.next('presence', ({ present }) => present.length === 1);
  bo.send({ type: 'join', room: 'here' });
  await ann.next('presence', ({ present }) => present.length === 2);
  bo.socket.terminate();
  await ann.next('presence', ({ present }) => present.length === 1);
  ann.send({ type: 'presence', room: 'elsewhere', on: null });
  expect(await ann.next('error')).toMatchObject({ code: 'not_joined', facts: { room: 'elsewhere' } });
  await ann.close();
});

test('presence does not outlive a deleted room', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'gone', presence: true });
  await client.mutate('gone', add);
  client.send({ type: 'call', id: 'd', operation: 'room.delete', input: { room: 'gone' } });
  await client.next('deleted');
  client.send({ type: 'presence', room: 'gone', on: null });
  expect(await client.next('error')).toMatchObject({ code: 'not_joined' });
  await client.close();
});

test('a connection joins as many rooms as it may and no more, and one that it leaves makes place', async () => {
  const client = await ProtocolClient.hello(server.url);
  const names = Array.from({ length: limits.roomsPerSessionMax + 1 }, (_, index) => `many-${index}`);
  client.send(...names.map((room) => ({ type: 'join', room }) as const));
  expect(await client.next('error')).toMatchObject({ code: 'too_many_rooms', facts: { room: names.at(-1) } });
  await client.next('joined', ({ room }) => room === names.at(-2));
  client.send({ type: 'leave', room: 'many-0' }, { type: 'join', room: 'one-more' });
  await client.next('joined', ({ room }) => room === 'one-more');
  client.send({ type: 'join', room: 'many-1' });
  await client.settle();
  expect(client.rest().filter(({ type }) => type === 'error')).toEqual([]);
  await client.close();
});

test('two thousand connections that come and drop leave nothing behind', async () => {
  for (let round = 0; round < 20; round += 1) {
    const clients = await Promise.all(Array.from({ length: 100 }, () => ProtocolClient.hello(server.url)));
    for (const client of clients) {
      client.send(
        { type: 'join', room: `leak-${round}`, presence: true },
        { type: 'join', room: 'leak', mode: 'notice' },
        { type: 'watch' },
      );
    }
    await Promise.all(clients.map((client) => client.next('rooms')));
    for (const client of clients) client.socket.terminate();
    await Promise.all(clients.map((client) => client.closed));
  }
  await expect.poll(() => server.webSockets.counts).toEqual({ sessions: 0, presenceRooms: 0, watchers: 0 });
  await server.rooms.evictIdle(0);
  expect(server.rooms.liveCount).toBe(0);
});
