import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { operations } from '../../server/operations/registry.ts';
import { limits } from '../../shared/plan/limits.ts';
import { mutationSchema } from '../../shared/plan/mutation.ts';
import { clientMessageSchema } from '../../shared/protocol/client-message.ts';
import { closeCodes, shouldReconnect } from '../../shared/protocol/close-code.ts';
import { errorKinds } from '../../shared/protocol/error-code.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient } from '../support/protocol-client.ts';
import { difference, examples, fillIn, tableOf } from './protocol-document.ts';
import { serverMessageTypes } from './server-message-samples.ts';

describe('examples of PROTOCOL.md', () => {
  test('there are some', () => {
    expect(examples().length).toBeGreaterThanOrEqual(5);
  });

  test.each(examples())('$name', async ({ steps }) => {
    const server = await LocalServer.start();
    const client = await ProtocolClient.connect(server.url);
    const names = new Map<string, unknown>();
    for (const { from, value } of steps) {
      if (from === 'client') {
        client.sendText(fillIn(value, names));
        continue;
      }
      const message = await client.take(() => true);
      const found = difference(value, message, names);
      expect(found && `${found} of ${JSON.stringify(message)} is not as in ${JSON.stringify(value)}`).toBeUndefined();
    }
    await client.settle();
    expect(client.rest()).toEqual([]);
    await client.close();
    await server.close();
  });

  test('every message of the protocol stands in one of them', () => {
    const used = { client: new Set<string>(), server: new Set<string>() };
    for (const { from, value } of examples().flatMap(({ steps }) => steps)) {
      for (const message of [value].flat()) used[from].add((message as { type: string }).type);
    }
    expect([...used.client].sort()).toEqual(clientMessageTypes);
    expect([...used.server].sort()).toEqual(serverMessageTypes);
  });
});

const clientMessageTypes = clientMessageSchema.options.map(({ shape }) => shape.type.value).sort();

type ObjectSchema = z.ZodObject<{ type: z.ZodLiteral<string> } & Record<string, z.ZodType>>;

/** The first column has the types, the second their fields, with `?` where one may be left out. */
function expectFields(heading: string, schemas: readonly ObjectSchema[]): void {
  const stated = tableOf(heading).map(([type = '', fields = '']) => [
    type,
    fields.split(';').flatMap((part) => part.trim().split(':')[0] || []),
  ]);
  const expected = schemas.map(({ shape }) => [
    shape.type.value,
    Object.entries(shape).flatMap(([name, schema]) =>
      name === 'type' ? [] : [schema.safeParse(undefined).success ? `${name}?` : name],
    ),
  ]);
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(expected));
}

describe('tables of PROTOCOL.md say what the source says', () => {
  test('messages of the client, with their fields', () => {
    expectFields('What a client sends', clientMessageSchema.options);
  });

  test('mutations, with their fields', () => {
    expectFields('Mutations', mutationSchema.options);
  });

  test('messages of the server', () => {
    expect(
      tableOf('What the server sends')
        .map(([type]) => type)
        .sort(),
    ).toEqual(serverMessageTypes);
  });

  test('limits', () => {
    const rows = tableOf('Limits');
    expect(rows.length).toBeGreaterThan(20);
    const stated = rows.map(([name, value]) => [name, Number(value)]);
    expect(stated).toEqual(rows.map(([name]) => [name, limits[name as keyof typeof limits]]));
  });

  test('error codes', () => {
    const expected = Object.entries(errorKinds).map(([code, { when, httpStatus, retryable }]) => [
      code,
      when,
      String(httpStatus),
      retryable ? 'yes' : 'no',
    ]);
    expect(tableOf('Error codes')).toEqual(expected);
  });

  test('close codes', () => {
    const expected = Object.entries(closeCodes).map(([name, code]) => [
      String(code),
      name,
      shouldReconnect(code) ? 'yes' : 'no',
    ]);
    expect(tableOf('Close codes').map(([code, name, _why, reconnect]) => [code, name, reconnect])).toEqual(expected);
  });

  test('operations', () => {
    const rows = tableOf('Operations').map(([name, kind, _input, doc]) => [name, kind, doc]);
    expect(rows).toEqual(operations.map(({ name, kind, doc }) => [name, kind, doc.replaceAll('`', '')]));
    const routed = tableOf('HTTP').flatMap(([, name]) => name || []);
    expect(routed).toEqual(operations.map(({ name }) => name));
  });
});
