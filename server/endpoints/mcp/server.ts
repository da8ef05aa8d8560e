import { ProtocolError, Server, type ServerContext, type ServerOptions } from '@modelcontextprotocol/server';
import type { OperationContext } from '../../operations/operation.ts';
import { internalError, invalidParams } from './answers.ts';
import { type Caller, guest } from './caller.ts';
import { listResources, readResource, resourceTemplates } from './resources.ts';
import { callTool, listTools } from './tools.ts';

export interface ServerParts {
  readonly context: Omit<OperationContext, 'actor'>;
  readonly version: string;
  readonly onFault: (error: unknown) => void;
  /** Who made the request; kept beside it by whoever let it in. */
  readonly callerOf: (request: Request) => Caller;
}

/** What a session follows; clients of the newest revision have streams instead. */
export interface Subscriptions {
  readonly subscribe: (uri: string) => void;
  readonly unsubscribe: (uri: string) => void;
}

/** How long a client may keep an answer, where the revision has it say so. The tools of a URL stay the same. */
const cacheHints = {
  'tools/list': { ttlMs: 300_000, cacheScope: 'private' },
  'resources/templates/list': { ttlMs: 300_000, cacheScope: 'private' },
} as const satisfies ServerOptions['cacheHints'];

const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };

/** What an actor may do to a list, and what it is told, hangs on its name; so it should know it. */
function whoIsAsking({ actor, room }: Caller): string {
  const who = `You are '${actor}' in room '${room}'.`;
  return actor === guest ? `${who} Others may share this name: connect with ?as=<your own name>.` : who;
}

/**
 * What answers the requests of one session, or one request of the newest revision. The low-level server, because it takes
 * the JSON Schemas of a dialect as they are.
 */
export function createServer(caller: Caller, parts: ServerParts, subscriptions?: Subscriptions): Server {
  const { context, version, onFault } = parts;
  const instructions = `${caller.dialect.instructions}\n${whoIsAsking(caller)}`;
  const info = { name: 'planroom', version };
  const server = new PlanServer(info, { capabilities, instructions, cacheHints });
  const guard = <Params, Answer>(answer: (params: Params, caller: Caller) => Answer | Promise<Answer>) =>
    guarded(answer, parts.callerOf, onFault);
  server.setRequestHandler(
    'tools/list',
    guard((_request, { dialect }) => listTools(dialect)),
  );
  server.setRequestHandler(
    'tools/call',
    guard(({ params }, asking) => callTool(params, asking, context)),
  );
  server.setRequestHandler(
    'resources/list',
    guard(({ params }, { room }) => listResources(context.rooms, room, params?.cursor)),
  );
  server.setRequestHandler(
    'resources/templates/list',
    guard(() => resourceTemplates),
  );
  server.setRequestHandler(
    'resources/read',
    guard(({ params }) => readResource(context.rooms, params.uri)),
  );
  if (subscriptions) addSubscriptions(server, subscriptions);
  return server;
}

type Handler = Parameters<Server['_wrapHandler']>[1];

/** Says of a request without the shape of its method that it is the client's fault, where the SDK takes it for ours. */
class PlanServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        // What is thrown past the handlers, which throw nothing else, comes from the check before them.
        throw error instanceof ProtocolError ? error : invalidParams(`The params of ${method} are not understood.`);
      }
    };
  }
}

function addSubscriptions(server: Server, { subscribe, unsubscribe }: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribe(params.uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    unsubscribe(params.uri);
    return {};
  });
}

/** A bug of ours costs the request that brought it to light, and is told to whoever runs the server, not to the client. */
function guarded<Incoming, Answer>(
  answer: (request: Incoming, caller: Caller) => Answer | Promise<Answer>,
  callerOf: (request: Request) => Caller,
  onFault: (error: unknown) => void,
): (request: Incoming, context: ServerContext) => Promise<Answer> {
  return async (request, { http }) => {
    try {
      if (!http?.req) throw new Error('a message without its HTTP request');
      return await answer(request, callerOf(http.req));
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      onFault(error);
      throw internalError('A fault of the server; it is logged there.');
    }
  };
}
