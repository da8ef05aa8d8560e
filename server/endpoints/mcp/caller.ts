import type { IncomingMessage } from 'node:http';
import type { Dialect } from '../../../shared/dialects/dialect.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { explainIssues } from '../../../shared/protocol/codec.ts';
import type { ErrorBody, ErrorCode } from '../../../shared/protocol/error-code.ts';
import { actorSchema, roomNameSchema } from '../../../shared/protocol/names.ts';

/** Who asks, through which vocabulary, about which room: stated by each request anew, never kept with a connection. */
export interface Caller {
  readonly room: string;
  readonly dialect: Dialect;
  readonly actor: string;
}

export interface DialectChoice {
  readonly dialects: readonly Dialect[];
  /** Name of the one for a caller that names none. */
  readonly defaultDialect: string;
}

/** The name of whoever states none. */
export const guest = 'guest';

/** Reads `?room=&tools=&as=`, or the headers for clients that cannot change the address; the query goes first. */
export function callerOf(request: IncomingMessage, choice: DialectChoice): Result<Caller, ErrorBody> {
  const query = queryOf(request);
  const unknown = [...query.keys()].find((name) => !Object.hasOwn(headerNames, name));
  if (unknown !== undefined) return err(unknownParameter(unknown));
  const room = readName(request, query, 'room', 'main', roomNameSchema, 'bad_room_name');
  if (!room.ok) return room;
  const actor = readName(request, query, 'as', guest, actorSchema, 'bad_message');
  if (!actor.ok) return actor;
  const name = stated(request, query, 'tools')?.value ?? choice.defaultDialect;
  const dialect = choice.dialects.find((each) => each.name === name);
  if (!dialect || dialect.tools.length === 0) return err(noTools(name, dialect, choice));
  return ok({ room: room.value, dialect, actor: actor.value });
}

const headerNames = { room: 'x-planroom-room', tools: 'x-planroom-tools', as: 'x-planroom-actor' } as const;
type Parameter = keyof typeof headerNames;

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

function stated(
  request: IncomingMessage,
  query: URLSearchParams,
  parameter: Parameter,
): { readonly value: string; readonly where: string } | undefined {
  const asked = query.get(parameter);
  if (asked !== null) return { value: asked, where: `query parameter ${parameter}` };
  const name = headerNames[parameter];
  const header = request.headers[name];
  return typeof header === 'string' ? { value: header, where: `header ${name}` } : undefined;
}

function readName(
  request: IncomingMessage,
  query: URLSearchParams,
  parameter: Parameter,
  otherwise: string,
  schema: typeof roomNameSchema | typeof actorSchema,
  code: ErrorCode,
): Result<string, ErrorBody> {
  const found = stated(request, query, parameter);
  if (!found) return ok(otherwise);
  const parsed = schema.safeParse(found.value);
  if (parsed.success) return ok(parsed.data);
  return err({ code, message: `The ${found.where} is not understood. ${explainIssues(parsed.error)}` });
}

/** A slip in a name would lead into another room, under another name. */
function unknownParameter(name: string): ErrorBody {
  const message = `There is no query parameter '${name.slice(0, 100)}'. There are: ${Object.keys(headerNames).join(', ')}.`;
  return { code: 'bad_message', message, facts: { parameters: Object.keys(headerNames) } };
}

function noTools(name: string, view: Dialect | undefined, { dialects }: DialectChoice): ErrorBody {
  const names = dialects.filter(({ tools }) => tools.length > 0).map((dialect) => dialect.name);
  const fault = view
    ? `'${view.name}' is a view only and has no tools.`
    : `There is no tool set '${name.slice(0, 100)}'.`;
  const message = `${fault} There are: ${names.join(', ')}.`;
  return { code: 'bad_message', message, facts: { tools: names } };
}
