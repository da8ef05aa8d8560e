import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorKinds, isErrorCode } from '../../shared/protocol/error-code.ts';
import { LocalServer } from '../support/local-server.ts';

/** What a caller gets on any endpoint. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly facts?: unknown;
      readonly retryable: boolean;
    };

export type OperationName = 'rooms.list' | 'room.snapshot' | 'room.changes' | 'room.mutate' | 'room.delete';

/** One way in, as some actor. */
export interface Caller {
  readonly call: (operation: OperationName, input: Record<string, unknown>) => Promise<Reply>;
  readonly close: () => Promise<void>;
}

export type OpenCaller = (server: LocalServer, actor: string) => Promise<Caller>;

const add = { type: 'task.add', description: 'a task' };
const mutate = (mutation: unknown, more: object = {}) => ({ room: 'taken', mutation, ...more });

/** A fault and the code it has everywhere. The room `taken` has one task, in progress by ann, at revision 2. */
const faults: readonly [name: string, OperationName, Record<string, unknown>, code: string][] = [
  ['a room that is not there', 'room.snapshot', { room: 'nowhere' }, 'room_not_found'],
  ['Changes of a room that is not there', 'room.changes', { room: 'nowhere', since: 0 }, 'room_not_found'],
  ['the deletion of a room that is not there', 'room.delete', { room: 'nowhere' }, 'room_not_found'],
  ['a room name in capitals', 'room.snapshot', { room: 'Nowhere' }, 'bad_room_name'],
  ['a room named __proto__', 'room.snapshot', { room: '__proto__' }, 'bad_room_name'],
  ['a room name that is too long', 'room.delete', { room: 'a'.repeat(101) }, 'bad_room_name'],
  ['a mutation of a room with a bad name', 'room.mutate', { room: '-', mutation: add }, 'bad_room_name'],
  ['a revision that has not been', 'room.changes', { room: 'taken', since: 99 }, 'unknown_revision'],
  ['more Changes than one answer holds', 'room.changes', { room: 'taken', since: 0, limit: 1_001 }, 'bad_message'],
  ['a deletion at another revision', 'room.delete', { room: 'taken', revision: 1 }, 'conflict'],
  ['a mutation of no known type', 'room.mutate', mutate({ type: 'task.explode' }), 'bad_message'],
  ['a mutation with a field too many', 'room.mutate', mutate({ ...add, colour: 'red' }), 'bad_message'],
  ['a mutationId with a blank', 'room.mutate', mutate(add, { mutationId: 'a b' }), 'bad_message'],
  ['half a surrogate pair', 'room.mutate', mutate({ ...add, description: '\ud800' }), 'bad_message'],
  ['a blank description', 'room.mutate', mutate({ ...add, description: ' ' }), 'blank_text'],
  ['a description that is too long', 'room.mutate', mutate({ ...add, description: 'x'.repeat(4_097) }), 'too_long'],
  ['a task that is not there', 'room.mutate', mutate({ type: 'task.start', task: 'task-9' }), 'task_not_found'],
  ['a task that another has in progress', 'room.mutate', mutate({ type: 'task.start', task: 'task-1' }), 'taken'],
  [
    'a document that is not there',
    'room.mutate',
    mutate({ type: 'document.status', status: 'x' }),
    'document_not_found',
  ],
  ['a base that is too old', 'room.mutate', mutate({ type: 'task.remove', task: 'task-1', base: 1 }), 'conflict'],
  ['another epoch', 'room.mutate', mutate(add, { epoch: 'before' }), 'epoch_changed'],
  ['a mutationId of somebody else', 'room.mutate', mutate(add, { mutationId: 'ann-1' }), 'mutation_id_reused'],
  ['a revert of what has not been', 'room.mutate', mutate({ type: 'plan.revert', revision: 99 }), 'unknown_revision'],
];

/** Holds an endpoint to what every endpoint promises: the same operations, the same answers, the same codes. */
export function describeEndpoint(name: string, open: OpenCaller): void {
  describe(`${name}: operations`, () => {
    let server: LocalServer;
    let ann: Caller;
    let bo: Caller;

    beforeAll(async () => {
      server = await LocalServer.start();
      ann = await open(server, 'ann');
      bo = await open(server, 'bo');
      await ann.call('room.mutate', { room: 'taken', mutationId: 'ann-1', mutation: add });
      await ann.call('room.mutate', { room: 'taken', mutation: { type: 'task.start', task: 'task-1' } });
    });

    afterAll(async () => {
      await ann.close();
      await bo.close();
      await server.close();
      expect(server.faults).toEqual([]);
    });

    test('an Ack has room, epoch, revision, nags, what was made, and whether it is a repeat', async () => {
      const input = { room: 'acked', mutationId: 'm', mutation: { ...add, dependsOn: ['task-7'] } };
      const first = await ann.call('room.mutate', input);
      expect(first).toEqual({
        ok: true,
        value: {
          room: 'acked',
          epoch: expect.any(String),
          revision: 1,
          nags: [{ code: 'unknown_dependency', message: expect.any(String) }],
          created: [{ uid: expect.any(String), id: 'task-1' }],
          repeated: false,
        },
      });
      const value = first.ok ? first.value : undefined;
      expect(await ann.call('room.mutate', input)).toEqual({
        ok: true,
        value: { ...(value as object), repeated: true },
      });
    });

    test('what one wrote another reads: list, snapshot, Changes', async () => {
      await ann.call('room.mutate', { room: 'read', mutation: { type: 'document.write', title: 'T', content: 'C' } });
      const listed = await bo.call('rooms.list', {});
      expect(listed).toMatchObject({ ok: true, value: { warnings: [] } });
      expect(listed.ok && (listed.value as { rooms: unknown[] }).rooms).toContainEqual(
        expect.objectContaining({ room: 'read', revision: 1, title: 'T', taskCount: 0, openCount: 0 }),
      );
      expect(await bo.call('room.snapshot', { room: 'read' })).toMatchObject({
        ok: true,
        value: { room: 'read', revision: 1, document: { title: 'T', content: 'C' }, groups: [], tasks: [] },
      });
      expect(await bo.call('room.changes', { room: 'read', since: 0 })).toMatchObject({
        ok: true,
        value: {
          room: 'read',
          revision: 1,
          more: false,
          changes: [{ revision: 1, actor: 'ann', action: 'document.write' }],
        },
      });
    });

    test('a deletion says what it deleted', async () => {
      await ann.call('room.mutate', { room: 'doomed', mutation: add });
      expect(await bo.call('room.delete', { room: 'doomed', revision: 1 })).toEqual({
        ok: true,
        value: { deleted: 'doomed', epoch: expect.any(String), revision: 1 },
      });
      expect(await ann.call('room.snapshot', { room: 'doomed' })).toMatchObject({ ok: false, code: 'room_not_found' });
    });

    test.each(faults)('%s: %s', async (_name, operation, input, code) => {
      const reply = await bo.call(operation, input);
      expect(reply).toMatchObject({ ok: false, code, message: expect.stringMatching(/\S{3,}.{7,}/) });
      if (!reply.ok && isErrorCode(reply.code)) expect(reply.retryable).toBe(errorKinds[reply.code].retryable);
      expect(await ann.call('room.snapshot', { room: 'taken' })).toMatchObject({ ok: true, value: { revision: 2 } });
    });
  });
}
