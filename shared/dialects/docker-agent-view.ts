import { z } from 'zod';
import { hasDocument } from '../plan/mutations/document.ts';
import type { Plan } from '../plan/plan.ts';
import { isRoomName, roomNameRule } from '../protocol/names.ts';
import type { Failure, RoomEntry, ToolReply } from './dialect.ts';
import { failure, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** Plans and refusals in the words of docker-agent [S3]. A plan is the document of the room of its name. */

const labels = { title: z.string().optional(), author: z.string().optional(), status: z.string().optional() };
const versioned = { revision: z.number().int(), updatedAt: z.string() };
const summary = z.object({ name: z.string(), ...labels, ...versioned });

export const outputs = {
  plan: jsonSchema(summary.extend({ content: z.string() })),
  list: jsonSchema(z.object({ plans: z.array(summary), warnings: z.array(z.string()).optional() })),
  deleted: jsonSchema(z.object({ deleted: z.string() })),
  status: jsonSchema(z.object({ name: z.string(), status: z.string(), revision: z.number().int() })),
  exported: jsonSchema(
    z.object({
      name: z.string(),
      path: z.string(),
      title: z.string().optional(),
      status: z.string().optional(),
      revision: z.number().int(),
      bytesWritten: z.number().int(),
    }),
  ),
};

/** The plan; null while the room has no document. Labels that are empty are left out. */
export function planOf(plan: Plan): { readonly [key: string]: unknown } | null {
  if (!hasDocument(plan)) return null;
  const { document, room: name } = plan;
  const { title, content, author, status, revision } = document;
  return {
    name,
    ...given({ title }),
    content,
    ...given({ author, status }),
    revision,
    updatedAt: inSeconds(document.updatedAt),
  };
}

export function summaryOf({ room, title, author, status, documentRevision, documentUpdatedAt }: RoomEntry): object {
  return {
    name: room,
    ...given({ title, author, status }),
    revision: documentRevision,
    updatedAt: inSeconds(documentUpdatedAt),
  };
}

/** The labels that say something. */
export function given(fields: { readonly [name: string]: string | undefined }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** RFC 3339 in whole seconds. */
function inSeconds(at: string): string {
  return at.replace(/\.\d+Z$/, 'Z');
}

export function refuseName(name: string): ToolReply | undefined {
  return isRoomName(name) ? undefined : refusal(`The plan name '${name.slice(0, 200)}' is invalid: ${nameRule}.`);
}

const nameRule = roomNameRule.replace('a room name', 'a plan name');

export function notFound(name: string): Failure {
  return { code: 'document_not_found', message: `Plan '${name}' not found. list_plans tells which there are.` };
}

/** The guard looks at the document alone; 0 stands for a plan that is not there. */
export function guardFailure(plan: Plan, name: string, expected: number | undefined): Failure | undefined {
  const { revision } = plan.document;
  return expected === undefined || expected === revision ? undefined : conflict(name, expected, revision);
}

export function conflict(name: string, expected: unknown, current: unknown): Failure {
  const now = current === 0 ? 'it does not exist (revision 0)' : `it is at revision ${current}`;
  const message = `Conflict: you expected plan '${name}' at revision ${expected}, but ${now}. Re-read it with read_plan and retry on what it says now.`;
  return { code: 'conflict', message, facts: { expected, current } };
}

/** What the room refused, told of the plan. */
export function refusedFor(name: string, expected: number | undefined, error: Failure): ToolReply {
  if (error.code === 'conflict') return failure(conflict(name, expected ?? 0, error.facts?.current));
  return failure(error.code === 'document_not_found' || error.code === 'room_not_found' ? notFound(name) : error);
}
