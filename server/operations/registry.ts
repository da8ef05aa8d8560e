import { z } from 'zod';
import { defaultDialect, dialects } from '../../shared/dialects/registry.ts';
import { limits } from '../../shared/plan/limits.ts';
import { mutationSchema } from '../../shared/plan/mutation.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { explainIssues, faultCode } from '../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../shared/protocol/error-code.ts';
import {
  epochSchema,
  mutationIdSchema,
  operationIdSchema,
  revisionSchema,
  roomNameSchema,
} from '../../shared/protocol/names.ts';
import type { Room } from '../room/room.ts';
import { outcomeResult, storeErrorBody } from './errors.ts';
import { defineOperation, type Operation, type OperationContext } from './operation.ts';
import { requireDialect, runTool, toolResult } from './tools.ts';

const dialectName = z.string().max(64).optional();

const listRooms = defineOperation({
  name: 'rooms.list',
  kind: 'read',
  doc: 'Every room with its revision, title, status and task counts; rooms that cannot be read are warnings.',
  input: z.strictObject({}),
  run: async (_input, { rooms }) => {
    const listed = await rooms.list();
    return listed.ok ? listed : err(storeErrorBody(listed.error));
  },
});

const readSnapshot = defineOperation({
  name: 'room.snapshot',
  kind: 'read',
  doc: 'The whole plan of a room at its present revision, document body included.',
  input: z.strictObject({ room: roomNameSchema }),
  run: async ({ room }, context) => {
    const found = await existingRoom(room, context);
    return found.ok ? ok(found.value.snapshot()) : found;
  },
});

const readChanges = defineOperation({
  name: 'room.changes',
  kind: 'read',
  doc: 'Changes after a revision, oldest first; `more` says that there are further ones to ask for.',
  input: z.strictObject({
    room: roomNameSchema,
    since: revisionSchema,
    limit: z.number().int().min(1).max(limits.changesPerReadMax).optional(),
  }),
  run: async ({ room, since, limit = limits.changesPerReadMax }, context) => {
    const found = await existingRoom(room, context);
    if (!found.ok) return found;
    const { epoch, revision } = found.value.position;
    if (since > revision) {
      const message = `Revision ${since} has not been yet; the room is at ${revision}. Re-read the plan.`;
      return err({ code: 'unknown_revision' as const, message, facts: { expected: since, current: revision } });
    }
    const read = await context.rooms.readHistory(found.value, since + 1, Math.min(since + limit, revision));
    if (!read)
      return err({ code: 'rate_limited' as const, message: 'Too many reads of Changes wait. Try again later.' });
    if (!read.ok) return err(storeErrorBody(read.error));
    const changes = read.value.map((record) => record.change);
    return ok({ room, epoch, revision, changes, more: since + changes.length < revision });
  },
});

const mutate = defineOperation({
  name: 'room.mutate',
  kind: 'call',
  doc: 'Changes the plan by one mutation; the answer comes when it is on disk. The room is made if it is not there.',
  input: z.strictObject({
    room: roomNameSchema,
    mutationId: mutationIdSchema.optional(),
    epoch: epochSchema.optional(),
    mutation: mutationSchema,
  }),
  run: async ({ room, mutationId, epoch, mutation }, { rooms, actor, newId }) =>
    outcomeResult(await rooms.submit(room, { mutationId: mutationId ?? newId(), mutation, actor, epoch })),
});

const deleteRoom = defineOperation({
  name: 'room.delete',
  kind: 'call',
  doc: 'Deletes a room with its history, if given only at that revision; without one also a room that cannot be read.',
  input: z.strictObject({ room: roomNameSchema, revision: revisionSchema.optional() }),
  run: async ({ room, revision }, { rooms }) => {
    const removed = await rooms.delete(room, revision);
    if (!removed.ok) return err(storeErrorBody(removed.error));
    const outcome = removed.value;
    if (outcome.type === 'absent') return err(roomNotFound(room));
    if (outcome.type === 'removed') return ok({ deleted: room, ...outcome.position });
    const { current } = outcome;
    const message = `Room '${room}' is at revision ${current.revision}, not at ${revision}. Re-read it and retry.`;
    return err({ code: 'conflict' as const, message, facts: { expected: revision, current: current.revision } });
  },
});

const listDialects = defineOperation({
  name: 'dialects.list',
  kind: 'read',
  doc: 'The dialects, and the tools of each with the schema of their arguments.',
  input: z.strictObject({}),
  run: async () =>
    ok({
      default: defaultDialect,
      dialects: dialects.map(({ name, title, tools }) => ({
        name,
        title,
        tools: tools.map((tool) => ({ name: tool.name, description: tool.description, input: tool.input })),
      })),
    }),
});

const viewDialect = defineOperation({
  name: 'room.dialect',
  kind: 'read',
  doc: 'The plan as a dialect sees it, and the block it keeps before a model: null where it shows none.',
  input: z.strictObject({ room: roomNameSchema, dialect: dialectName }),
  run: async ({ room, dialect }, { rooms }) => {
    const found = requireDialect(dialect);
    if (!found.ok) return found;
    const opened = await rooms.open(room);
    if (!opened.ok) return err(storeErrorBody(opened.error));
    const { plan } = opened.value;
    return ok({ result: found.value.view(plan), render: found.value.render(plan) });
  },
});

const callTool = defineOperation({
  name: 'room.tool',
  kind: 'call',
  doc: 'Calls a tool of a dialect; what the tool refuses is an answer with isError and a message for the model.',
  input: z.strictObject({
    room: roomNameSchema,
    dialect: dialectName,
    tool: z.string().max(64),
    arguments: z.unknown().optional(),
    operationId: operationIdSchema.optional(),
  }),
  run: async ({ room, dialect = defaultDialect, tool, arguments: args, operationId }, context) => {
    const reply = await runTool({ room, dialect, tool, arguments: args, operationId }, context);
    return reply.ok ? ok(toolResult(reply.value)) : reply;
  },
});

/** All operations, in the order in which documents list them. */
export const operations: readonly Operation[] = [
  listRooms,
  readSnapshot,
  readChanges,
  mutate,
  deleteRoom,
  listDialects,
  viewDialect,
  callTool,
];

const byName = new Map(operations.map((operation) => [operation.name, operation]));

/** Checks the input against the operation's schema and runs it. `kind` says what the place of the call allows. */
export async function runOperation(
  name: string,
  kind: Operation['kind'],
  input: unknown,
  context: OperationContext,
): Promise<Result<unknown, ErrorBody>> {
  const operation = byName.get(name);
  if (operation?.kind !== kind) {
    const names = operations.filter((each) => each.kind === kind).map((each) => each.name);
    const message = `There is no operation '${name}' to ${kind}. There are: ${names.join(', ')}.`;
    return err({ code: 'unknown_operation', message, facts: { operations: names } });
  }
  const parsed = operation.input.safeParse(input);
  if (parsed.success) return operation.run(parsed.data, context);
  const code = faultCode(parsed.error);
  return err({ code, message: `The input of ${name} is not understood. ${explainIssues(parsed.error)}` });
}

/** A room that something was ever written to: reading one that was never used makes nothing. */
async function existingRoom(name: string, { rooms }: OperationContext): Promise<Result<Room, ErrorBody>> {
  const opened = await rooms.open(name);
  if (!opened.ok) return err(storeErrorBody(opened.error));
  return opened.value.position.revision > 0 ? ok(opened.value) : err(roomNotFound(name));
}

function roomNotFound(room: string): ErrorBody {
  return {
    code: 'room_not_found',
    message: `Room '${room}' does not exist. List the rooms to see which there are.`,
    facts: { room },
  };
}
