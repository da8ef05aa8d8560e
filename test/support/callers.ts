import { expect } from 'vitest';
import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import { errorKinds, isErrorCode } from '../../shared/protocol/error-code.ts';
import type { ErrorMessage } from '../../shared/protocol/server-message.ts';
import type { OpenCaller, OperationName, Reply } from '../contract/endpoint-contract.ts';
import { ProtocolClient } from './protocol-client.ts';

const effects: readonly OperationName[] = ['room.mutate', 'room.delete'];

type Failed = Omit<Extract<Reply, { ok: false }>, 'ok'>;

function failed({ code, message, facts, retryable }: Failed): Reply {
  return { ok: false, code, message, ...(facts !== undefined && { facts }), retryable };
}

/** The operations by `read` and `call`. */
export const openWebSocketCaller: OpenCaller = async ({ url }, actor) => {
  const client = await ProtocolClient.hello(url, actor);
  return {
    close: () => client.close(),
    call: async (operation, input) => {
      const id = client.newId();
      const type = effects.includes(operation) ? 'call' : 'read';
      client.send({ type, id, operation, input });
      const answer = await client.take((message) => 'id' in message && message.id === id);
      return answer.type === 'result' ? { ok: true, value: answer.value } : failed(answer as ErrorMessage);
    },
  };
};

/** The same, but mutations by `mutate`. */
export const openMutateCaller: OpenCaller = async (server, actor) => {
  const caller = await openWebSocketCaller(server, actor);
  const client = await ProtocolClient.hello(server.url, actor);
  return {
    close: async () => {
      await Promise.all([caller.close(), client.close()]);
    },
    call: async (operation, input) => {
      if (operation !== 'room.mutate') return caller.call(operation, input);
      const { mutationId = client.newId(), ...rest } = input;
      client.send({ type: 'mutate', id: mutationId, ...rest } as ClientMessage);
      const answer = await client.take(({ type }) => type === 'ack' || type === 'reject' || type === 'error');
      if (answer.type !== 'ack') return failed(answer as ErrorMessage);
      const { type: _type, id: _id, ...ack } = answer;
      return { ok: true, value: { nags: [], created: [], repeated: false, ...ack } };
    },
  };
};

const routes: Record<OperationName, (input: Record<string, unknown>) => { method: string; path: string }> = {
  'rooms.list': () => ({ method: 'GET', path: '' }),
  'room.snapshot': ({ room }) => ({ method: 'GET', path: `/${room}` }),
  'room.changes': ({ room, ...query }) => ({ method: 'GET', path: `/${room}/changes${queryOf(query)}` }),
  'room.mutate': ({ room }) => ({ method: 'POST', path: `/${room}/mutations` }),
  'room.delete': ({ room, ...query }) => ({ method: 'DELETE', path: `/${room}${queryOf(query)}` }),
};

function queryOf(query: Record<string, unknown>): string {
  return `?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

export const openHttpCaller: OpenCaller = async ({ url }, actor) => ({
  close: async () => undefined,
  call: async (operation, input) => {
    const { method, path } = routes[operation](input);
    const { room: _room, ...body } = input;
    const response = await fetch(`${url}/api/rooms${path}`, {
      method,
      headers: { 'x-planroom-actor': actor, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly error?: Failed; readonly ack?: unknown };
    if (!answer.error) return { ok: true, value: answer.ack ?? answer };
    const { code } = answer.error;
    if (isErrorCode(code)) expect(response.status).toBe(errorKinds[code].httpStatus);
    return failed(answer.error);
  },
});
