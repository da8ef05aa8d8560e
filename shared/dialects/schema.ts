import { z } from 'zod';
import type { ObjectSchema } from './dialect.ts';

/** The JSON Schema of a tool's arguments or result, without the `$schema` line that only costs tokens. */
export function jsonSchema(schema: z.ZodType): ObjectSchema {
  const { $schema: _dropped, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest as unknown as ObjectSchema;
}
