import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/registry.ts';
import { answer } from './answer.ts';
import { readBody } from './body.ts';
import { actorOf } from './request.ts';

type Environment = { Bindings: HttpBindings };

const toolArguments = z.record(z.string(), z.unknown());

/** Tools of the dialects for clients without MCP: chosen by `?tools=` and `?as=`, or the headers of the same meaning. */
export function addTools(app: Hono<Environment>, callerAs: (actor: string) => OperationContext): void {
  app.get('/api/dialects', async () => answer(await runOperation('dialects.list', 'read', {}, callerAs('guest'))));
  app.get('/api/rooms/:room/dialects/:dialect', async (context) => {
    const { room, dialect } = context.req.param();
    return answer(await runOperation('room.dialect', 'read', { room, dialect }, callerAs('guest')));
  });
  app.post('/api/rooms/:room/tools/:tool', async (context) => {
    const body = await readBody(context.env.incoming, toolArguments);
    if (!body.ok) return body.error;
    const actor = actorOf(context);
    if (!actor.ok) return answer(actor);
    const { room, tool } = context.req.param();
    const dialect = context.req.query('tools') ?? context.req.header('x-planroom-tools');
    const operationId = context.req.header('idempotency-key');
    const input = { room, tool, dialect, operationId, arguments: body.value };
    return answer(await runOperation('room.tool', 'call', input, callerAs(actor.value)));
  });
}
