import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { clientMessageSchema } from '../../shared/protocol/client-message.ts';
import { closeCodes } from '../../shared/protocol/close-code.ts';
import { errorKinds } from '../../shared/protocol/error-code.ts';
import { protocolVersion } from '../../shared/protocol/version.ts';
import { samples } from './server-message-samples.ts';

const file = new URL('./wire.json', import.meta.url);

const advice = `The wire is not what test/protocol/wire.json says. If that is meant:
1. shared/protocol/version.ts: raise the number if an older client cannot live with the change, and add a line of history either way;
2. shared/protocol/PROTOCOL.md: grammar, tables, an example;
3. run this test with PLANROOM_UPDATE_WIRE=1, and commit all of it together.`;

test('the shape of the wire does not change unnoticed', () => {
  const wire = {
    protocolVersion,
    client: z.toJSONSchema(clientMessageSchema, { io: 'input' }),
    server: samples,
    errorCodes: Object.keys(errorKinds),
    closeCodes,
  };
  const text = `${JSON.stringify(wire, null, 1)}\n`;
  if (process.env.PLANROOM_UPDATE_WIRE === '1') writeFileSync(file, text);
  const pinned: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  expect(JSON.parse(text), advice).toEqual(pinned);
});

test('version.ts has a line of history for the present version', () => {
  const source = readFileSync(new URL('../../shared/protocol/version.ts', import.meta.url), 'utf8');
  expect(source).toMatch(new RegExp(`^ \\* ${protocolVersion} \\(\\d{4}-\\d{2}-\\d{2}\\): \\S`, 'm'));
});
