import type { Dialect, Tool, ToolReply } from '../../shared/dialects/dialect.ts';
import { defaultDialect, dialects, findDialect } from '../../shared/dialects/registry.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { ErrorBody } from '../../shared/protocol/error-code.ts';
import type { OperationContext } from './operation.ts';
import { RoomCall } from './room-call.ts';
import type { ToolCall } from './tool-call.ts';

/** What a tool answered, in the shape that MCP gives it. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError: boolean;
}

/** Finds dialects by name; tests mount their own. */
export type FindDialect = (name: string) => Dialect | undefined;

/** Errors are those of the call itself (no such dialect or tool); what a tool refuses is in its reply. */
export async function runTool(
  call: ToolCall,
  context: OperationContext,
  find: FindDialect = findDialect,
): Promise<Result<ToolReply, ErrorBody>> {
  const dialect = requireDialect(call.dialect, find);
  if (!dialect.ok) return dialect;
  const tool = requireTool(dialect.value, call.tool);
  if (!tool.ok) return tool;
  const roomCall = new RoomCall(call, context);
  const reply = await tool.value.run(call.arguments, roomCall);
  const saved = reply.sight ? await roomCall.saveSight(reply.sight) : undefined;
  // The base of the next list would be an older one: what others did since would count as undone by this actor.
  return ok(saved && !saved.ok ? { isError: true, text: saved.error.message } : reply);
}

export function toolResult({ text, structured, isError }: ToolReply): ToolResult {
  return { content: [{ type: 'text', text }], ...(structured && { structuredContent: structured }), isError };
}

export function requireDialect(
  name: string = defaultDialect,
  find: FindDialect = findDialect,
): Result<Dialect, ErrorBody> {
  const dialect = find(name);
  if (dialect) return ok(dialect);
  const names = toolSets();
  const message = `There is no dialect '${name.slice(0, 100)}'. There are: ${names.join(', ')}.`;
  return err({ code: 'unknown_operation', message, facts: { dialects: names } });
}

/** Names of the dialects that have tools; the others are views alone. */
function toolSets(): readonly string[] {
  return dialects.filter(({ tools }) => tools.length > 0).map((each) => each.name);
}

function requireTool(dialect: Dialect, name: string): Result<Tool, ErrorBody> {
  if (dialect.tools.length === 0) {
    const sets = toolSets();
    const message = `The dialect ${dialect.name} is a view only and has no tools. With tools there are: ${sets.join(', ')}.`;
    return err({ code: 'unknown_operation', message, facts: { dialects: sets } });
  }
  const tool = dialect.tools.find((each) => each.name === name);
  if (tool) return ok(tool);
  const names = dialect.tools.map((each) => each.name);
  const message = `The dialect ${dialect.name} has no tool '${name.slice(0, 100)}'. It has: ${names.join(', ')}.`;
  return err({ code: 'unknown_operation', message, facts: { tools: names } });
}
