import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nanoid } from 'nanoid';
import { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from '../../server/endpoints/mcp/endpoint.ts';
import type { Outcome } from '../../server/room/outcome.ts';
import { RoomRegistry } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import { TickScheduler } from '../../server/tick.ts';
import type { Dialect, Files, Tool } from '../../shared/dialects/dialect.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { err } from '../../shared/plan/result.ts';

type McpServerOptions = Partial<McpEndpointOptions>;

/** The MCP endpoint alone on a free port, with a fixture dialect in place of the real ones. */
export class McpServer {
  readonly rooms: RoomRegistry;
  readonly endpoint: McpEndpoint;
  /** Names of the tools that were called. */
  readonly calls: string[] = [];
  /** Faults of ours; a test that ends with some has found a bug. */
  readonly faults: unknown[] = [];
  /** What the tool `wait` waits for. */
  release: () => void = () => undefined;
  private readonly http: Server;

  private constructor(options: McpServerOptions) {
    const { atEndOfTick } = new TickScheduler();
    const now = (): string => new Date().toISOString();
    const newId = (): string => nanoid();
    const onFault = (error: unknown): void => void this.faults.push(error);
    this.rooms = new RoomRegistry({ store: openMemoryStore(), now, newUid: newId, atEndOfTick, onFault });
    this.endpoint = createMcpEndpoint({
      ...{ rooms: this.rooms, newId, atEndOfTick, version: '1.2.3', onFault },
      ...{
        files,
        dialects: [
          this.fixture(),
          { ...this.fixture(), name: 'other', tools: [oddTool('other', async () => undefined)] },
        ],
        defaultDialect: 'fixture',
      },
      ...options,
    });
    this.http = createServer((request, response) => void this.endpoint.handle(request, response));
  }

  static async start(options: McpServerOptions = {}): Promise<McpServer> {
    const server = new McpServer(options);
    await new Promise<void>((resolve) => server.http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  url(query = ''): URL {
    return new URL(`http://127.0.0.1:${this.port}/mcp${query}`);
  }

  submit(room: string, mutation: Mutation, actor = 'ann'): Promise<Outcome> {
    return this.rooms.submit(room, { mutationId: nanoid(), mutation, actor });
  }

  private fixture(): Dialect {
    const waits = oddTool(
      'wait',
      () =>
        new Promise<void>((resolve) => {
          this.release = resolve;
        }),
    );
    const breaks = oddTool('break', async () => {
      throw new Error('a tool broke');
    });
    const seen = (tool: Tool): Tool => ({
      ...tool,
      run: (args, call) => {
        this.calls.push(tool.name);
        return tool.run(args, call);
      },
    });
    return {
      ...{ name: 'fixture', title: 'Fixture', instructions: 'Say before you add.' },
      tools: [say, add, waits, breaks].map(seen),
      view: () => ({}),
      render: () => null,
    };
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    await this.endpoint.close();
    this.http.closeAllConnections();
    await closed;
  }
}

const files: Files = {
  read: async () => err({ code: 'invalid', message: 'No files here.' }),
  write: async () => err({ code: 'invalid', message: 'No files here.' }),
};

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const textOf = (args: unknown): string => (args as { readonly text: string }).text;

const say: Tool = {
  name: 'say',
  title: 'Say',
  description: 'Says how long a text is, and who sent it.',
  input: { ...text, additionalProperties: false },
  output: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
  hints: { readOnly: true },
  run: async (args, { actor, room }) => {
    const { length } = textOf(args);
    return { isError: false, text: `${actor} in ${room}: ${length}`, structured: { length } };
  },
};

const add: Tool = {
  name: 'add',
  title: 'Add',
  description: 'Adds a task.',
  input: text,
  hints: { readOnly: false, idempotent: true },
  run: async (args, call) => {
    if (textOf(args) === '') return { isError: true, text: 'Say what is to be done.' };
    const added = await call.submit({ type: 'task.add', description: textOf(args) });
    return added.ok ? { isError: false, text: 'Added.' } : { isError: true, text: added.error.message };
  },
};

/** A tool that does what only a test wants. */
function oddTool(name: string, run: () => Promise<void>): Tool {
  return {
    ...{ name, title: name, description: name, input: { type: 'object' } },
    hints: { readOnly: false, destructive: true },
    run: async () => {
      await run();
      return { isError: false, text: 'Done.' };
    },
  };
}
