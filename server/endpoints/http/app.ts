import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { mutationSchema } from '../../../shared/plan/mutation.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { explainIssues } from '../../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { actorSchema, epochSchema, mutationIdSchema } from '../../../shared/protocol/names.ts';
import { storeErrorBody } from '../../operations/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { runOperation } from '../../operations/registry.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import { answer, failure, json } from './answer.ts';
import { readBody } from './body.ts';

export interface HttpOptions {
  readonly rooms: RoomRegistry;
  readonly newId: () => string;
  /** Whether the server takes new work: false once it shuts down. */
  readonly isOpen: () => boolean;
  /** Faults of ours that a request brought to light. */
  readonly onFault: (error: unknown) => void;
}

type Environment = { Bindings: HttpBindings };

/** Body of `POST /api/rooms/<room>/mutations`. */
const mutationBody = z.strictObject({
  /** Made by the caller so that a retry has effect once; without one each request counts. */
  mutationId: mutationIdSchema.optional(),
  actor: actorSchema.optional(),
  epoch: epochSchema.optional(),
  mutation: mutationSchema,
});

/** The HTTP endpoint: the operations of the registry as JSON under `/api`, and the probes. */
export function createHttpApp(options: HttpOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  addProbes(app, options);
  addRooms(app, options);
  for (const [path, methods] of methodsByPath) app.all(path, () => notAllowed(methods));
  app.notFound((context) => failure({ code: 'unknown_operation', message: notFoundMessage(context.req.path) }));
  app.onError((error) => {
    options.onFault(error);
    return failure({ code: 'internal', message: 'A fault of the server; it is logged there.' });
  });
  return app;
}

const methodsByPath: ReadonlyMap<string, string> = new Map([
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/api/rooms', 'GET, HEAD'],
  ['/api/rooms/:room', 'GET, HEAD, DELETE'],
  ['/api/rooms/:room/changes', 'GET, HEAD'],
  ['/api/rooms/:room/mutations', 'POST'],
]);

function notAllowed(allow: string): Response {
  return failure({ code: 'method_not_allowed', message: `This path takes ${allow}.` }, { allow });
}

function addProbes(app: Hono<Environment>, { rooms, isOpen }: HttpOptions): void {
  app.get('/healthz', () => json(200, { ok: true }));
  app.get('/readyz', async () => {
    if (!isOpen()) return failure({ code: 'shutting_down', message: 'The server is shutting down.' });
    // Any question that has to go to the disk and back will do.
    const answered = await rooms.store.findMutation('readyz', '-', '-');
    return answered.ok ? json(200, { ok: true }) : failure(storeErrorBody(answered.error));
  });
}

function addRooms(app: Hono<Environment>, options: HttpOptions): void {
  const run = async (context: Context<Environment>, name: string, kind: Operation['kind'], input: object) => {
    const actor = actorOf(context);
    if (!actor.ok) return actor;
    return runOperation(name, kind, input, { rooms: options.rooms, newId: options.newId, actor: actor.value });
  };
  app.get('/api/rooms', async (context) => answer(await run(context, 'rooms.list', 'read', {})));
  app.get('/api/rooms/:room', async (context) =>
    answer(await run(context, 'room.snapshot', 'read', { room: context.req.param('room') })),
  );
  app.get('/api/rooms/:room/changes', async (context) => {
    const numbers = queryNumbers(context, ['since', 'limit']);
    if (!numbers.ok) return answer(numbers);
    const input = { room: context.req.param('room'), since: 0, ...numbers.value };
    return answer(await run(context, 'room.changes', 'read', input));
  });
  app.post('/api/rooms/:room/mutations', async (context) => {
    const body = await readBody(context.env.incoming, mutationBody);
    // What is left of a body that is too large is not waited for.
    if (!body.ok) return failure(body.error, body.error.code === 'too_large' ? { connection: 'close' } : {});
    const { actor: stated, ...input } = body.value;
    const actor = stated === undefined ? actorOf(context) : ok(stated);
    if (!actor.ok) return answer(actor);
    const caller = { rooms: options.rooms, newId: options.newId, actor: actor.value };
    const result = await runOperation('room.mutate', 'call', { room: context.req.param('room'), ...input }, caller);
    return answer(result.ok ? ok({ ok: true, ack: result.value }) : result);
  });
  app.delete('/api/rooms/:room', async (context) => {
    const numbers = queryNumbers(context, ['revision']);
    if (!numbers.ok) return answer(numbers);
    return answer(await run(context, 'room.delete', 'call', { room: context.req.param('room'), ...numbers.value }));
  });
}

/** Who asks: the header `X-Planroom-Actor`, else `guest`. */
function actorOf(context: Context<Environment>): Result<string, ErrorBody> {
  const header = context.req.header('x-planroom-actor');
  if (header === undefined) return ok('guest');
  const parsed = actorSchema.safeParse(header);
  if (parsed.success) return ok(parsed.data);
  return err({
    code: 'bad_message',
    message: `The header X-Planroom-Actor is not understood. ${explainIssues(parsed.error)}`,
  });
}

function queryNumbers(
  context: Context<Environment>,
  names: readonly string[],
): Result<Record<string, number>, ErrorBody> {
  const numbers: Record<string, number> = {};
  for (const name of names) {
    const text = context.req.query(name);
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text)) {
      return err({
        code: 'bad_message',
        message: `The query parameter ${name} must be a whole number, not '${text.slice(0, 40)}'.`,
      });
    }
    numbers[name] = Number(text);
  }
  return ok(numbers);
}

function notFoundMessage(path: string): string {
  return `There is nothing at ${path.slice(0, 200)}. There are /api/rooms, /api/rooms/<room>, /api/rooms/<room>/changes, /api/rooms/<room>/mutations, /healthz, /readyz, and WebSocket at /ws.`;
}
