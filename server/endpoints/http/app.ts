import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Files } from '../../../shared/dialects/dialect.ts';
import { mutationSchema } from '../../../shared/plan/mutation.ts';
import { ok } from '../../../shared/plan/result.ts';
import { actorSchema, epochSchema, mutationIdSchema } from '../../../shared/protocol/names.ts';
import { storeErrorBody } from '../../operations/errors.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/registry.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import { answer, failure, json } from './answer.ts';
import { readBody, refusalOfMedia } from './body.ts';
import { actorOf, queryNumbers } from './request.ts';
import { addTools } from './tool-routes.ts';

export interface HttpOptions {
  readonly rooms: RoomRegistry;
  readonly files: Files;
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
  app.use('/api/*', async (context, next) => refusalOfMedia(context.env.incoming) ?? next());
  addProbes(app, options);
  const { rooms, newId, files } = options;
  const callerAs = (actor: string): OperationContext => ({ rooms, newId, files, actor });
  addRooms(app, callerAs);
  addTools(app, callerAs);
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
  ['/api/rooms/:room/tools/:tool', 'POST'],
  ['/api/rooms/:room/dialects/:dialect', 'GET, HEAD'],
  ['/api/dialects', 'GET, HEAD'],
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

function addRooms(app: Hono<Environment>, callerAs: (actor: string) => OperationContext): void {
  const run = async (context: Context<Environment>, name: string, kind: Operation['kind'], input: object) => {
    const actor = actorOf(context);
    return actor.ok ? runOperation(name, kind, input, callerAs(actor.value)) : actor;
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
    if (!body.ok) return body.error;
    const { actor: stated, ...input } = body.value;
    const actor = stated === undefined ? actorOf(context) : ok(stated);
    if (!actor.ok) return answer(actor);
    const mutation = { room: context.req.param('room'), ...input };
    const result = await runOperation('room.mutate', 'call', mutation, callerAs(actor.value));
    return answer(result.ok ? ok({ ok: true, ack: result.value }) : result);
  });
  app.delete('/api/rooms/:room', async (context) => {
    const numbers = queryNumbers(context, ['revision']);
    if (!numbers.ok) return answer(numbers);
    return answer(await run(context, 'room.delete', 'call', { room: context.req.param('room'), ...numbers.value }));
  });
}

function notFoundMessage(path: string): string {
  return `There is nothing at ${path.slice(0, 200)}. There are /api/rooms, /api/rooms/<room>, /api/rooms/<room>/changes, /api/rooms/<room>/mutations, /api/rooms/<room>/tools/<tool>, /api/rooms/<room>/dialects/<dialect>, /api/dialects, /healthz, /readyz, MCP at /mcp and WebSocket at /ws.`;
}
