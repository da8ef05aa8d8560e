import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { mutationSchema } from '../plan/mutation.ts';
import { actorSchema, epochSchema, mutationIdSchema, revisionSchema, roomNameSchema } from './names.ts';

/** What a client sends. A frame holds one message, or an array of them that is handled in order. */

export const helloSchema = z.strictObject({
  type: z.literal('hello'),
  protocol: z.number().int(),
  actor: actorSchema.optional(),
  /** Name and version of the client program, for the log. */
  client: z.string().max(200).optional(),
});

/** Where a client stands in the history of a room. */
export const positionSchema = z.strictObject({ epoch: epochSchema, revision: revisionSchema });

export const joinSchema = z.strictObject({
  type: z.literal('join'),
  room: roomNameSchema,
  /** `delta` brings Changes, `notice` only tells that there are some. Default `delta`. */
  mode: z.enum(['delta', 'notice']).optional(),
  since: positionSchema.optional(),
  /** Also be told who else is here. Default false. */
  presence: z.boolean().optional(),
});

export const leaveSchema = z.strictObject({ type: z.literal('leave'), room: roomNameSchema });

export const mutateSchema = z.strictObject({
  type: z.literal('mutate'),
  room: roomNameSchema,
  /** The mutationId: sent again, the mutation has effect once and gets the first answer. */
  id: mutationIdSchema,
  epoch: epochSchema.optional(),
  mutation: mutationSchema,
});

export const presenceUpdateSchema = z.strictObject({
  type: z.literal('presence'),
  room: roomNameSchema,
  /** What this session is at, such as a task id; `null` for nothing in particular. */
  on: z.string().max(limits.dependencyIdBytesMax).nullable(),
});

/** Be told of every room that appears, changes or goes. */
export const watchSchema = z.strictObject({ type: z.literal('watch') });
export const unwatchSchema = z.strictObject({ type: z.literal('unwatch') });

const operationInput = z.record(z.string().max(64), z.unknown()).optional();

/** Runs an operation of the registry that only reads. */
export const readSchema = z.strictObject({
  type: z.literal('read'),
  id: mutationIdSchema,
  operation: z.string().max(64),
  input: operationInput,
});

/** Runs an operation of the registry that has an effect. */
export const callSchema = z.strictObject({
  type: z.literal('call'),
  id: mutationIdSchema,
  operation: z.string().max(64),
  input: operationInput,
});

/** Asks for a `pong`; for clients that cannot see WebSocket pings. */
export const pingSchema = z.strictObject({ type: z.literal('ping') });

export const clientMessageSchema = z.discriminatedUnion('type', [
  helloSchema,
  joinSchema,
  leaveSchema,
  mutateSchema,
  presenceUpdateSchema,
  watchSchema,
  unwatchSchema,
  readSchema,
  callSchema,
  pingSchema,
]);

export type ClientMessage = z.infer<typeof clientMessageSchema>;
export type ClientMessageOf<Type extends ClientMessage['type']> = Extract<ClientMessage, { type: Type }>;
