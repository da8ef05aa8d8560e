import type { CallToolRequest, CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import type { Dialect, Tool } from '../../../shared/dialects/dialect.ts';
import { explainIssues } from '../../../shared/protocol/codec.ts';
import { operationIdSchema } from '../../../shared/protocol/names.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { runTool, toolResult } from '../../operations/tools.ts';
import { invalidParams } from './answers.ts';
import type { Caller } from './caller.ts';

/** Where a client that may have to send a call again puts an id of its own making, so that it has effect once. */
const operationIdKey = 'planroom/operationId';

const listings = new WeakMap<Dialect, ListToolsResult>();

/** The tools of the dialect in their fixed order, made once: the same bytes each time, which prompt caches live on. */
export function listTools(dialect: Dialect): ListToolsResult {
  let listing = listings.get(dialect);
  if (!listing) {
    listing = { tools: dialect.tools.map(describeTool) };
    listings.set(dialect, listing);
  }
  return listing;
}

function describeTool({ name, title, description, input, output, hints }: Tool): ListToolsResult['tools'][number] {
  return {
    name,
    title,
    description,
    inputSchema: input as ListToolsResult['tools'][number]['inputSchema'],
    ...(output && { outputSchema: output as ListToolsResult['tools'][number]['inputSchema'] }),
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      ...(!hints.readOnly && {
        destructiveHint: hints.destructive ?? false,
        idempotentHint: hints.idempotent ?? false,
      }),
      openWorldHint: false,
    },
  };
}

/** Calls the tool on behalf of the caller. What it refuses is a result that the model reads; only a wrong name is not. */
export async function callTool(
  params: CallToolRequest['params'],
  { room, dialect, actor }: Caller,
  context: Omit<OperationContext, 'actor'>,
): Promise<CallToolResult> {
  const { name, arguments: args = {} } = params;
  const operationId = operationIdOf(params._meta);
  const call = { room, dialect: dialect.name, tool: name, arguments: args, operationId };
  const result = await runTool(call, { ...context, actor }, () => dialect);
  if (result.ok) return { ...toolResult(result.value) } as CallToolResult;
  const { code, message } = result.error;
  if (code !== 'unknown_operation') return { content: [{ type: 'text', text: message }], isError: true };
  const names = dialect.tools.map((tool) => tool.name);
  throw invalidParams(`There is no tool '${name.slice(0, 100)}'. There are: ${names.join(', ')}.`);
}

function operationIdOf(meta: { readonly [key: string]: unknown } | undefined): string | undefined {
  const stated = meta?.[operationIdKey];
  if (stated === undefined) return undefined;
  const parsed = operationIdSchema.safeParse(stated);
  if (parsed.success) return parsed.data;
  throw invalidParams(`_meta['${operationIdKey}'] is not understood. ${explainIssues(parsed.error)}`);
}
