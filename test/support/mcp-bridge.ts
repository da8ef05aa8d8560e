import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Revision, revisions } from './mcp-client.ts';
import { cliPath } from './server-process.ts';

export interface BridgeSettings {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

/** A client of the SDK that starts `planroom mcp` and speaks just this revision, or finds out which, as agents do. */
export class BridgeClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly updated: string[] = [];
  /** What was on stdout besides messages. */
  readonly strays: string[] = [];
  stderr = '';
  private wake: () => void = () => undefined;

  private constructor(revision: Revision | 'auto', { args = [], env = {} }: BridgeSettings) {
    const mode = revision === 'auto' ? 'auto' : ({ pin: revision } as const);
    const isOlder = revision !== 'auto' && revision !== revisions[0];
    this.client = new Client(
      { name: 'test', version: '0' },
      isOlder ? { supportedProtocolVersions: [revision] } : { versionNegotiation: { mode } },
    );
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [cliPath, 'mcp', ...args],
      env,
      stderr: 'pipe',
    });
    this.transport.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString('utf8');
    });
    this.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      this.updated.push(params.uri);
      this.wake();
    });
    this.client.onerror = (error) => void this.strays.push(error.message);
  }

  static async connect(revision: Revision | 'auto', settings: BridgeSettings): Promise<BridgeClient> {
    const bridge = new BridgeClient(revision, settings);
    await bridge.client.connect(bridge.transport);
    return bridge;
  }

  /** Follows a resource in the way of the revision. */
  async follow(uri: string): Promise<void> {
    if (this.client.getProtocolEra() === 'modern') await this.client.listen({ resourceSubscriptions: [uri] });
    else await this.client.subscribeResource({ uri });
  }

  /** Waits until the resource was said to have changed, so many times in all. */
  async untilUpdated(uri: string, times = 1): Promise<void> {
    while (this.updated.filter((each) => each === uri).length < times) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Writes the whole list of tasks, in the vocabulary `cosh`. */
  async write(...descriptions: string[]): Promise<{ readonly isError: boolean; readonly text: string }> {
    const todos = descriptions.map((description) => ({ description }));
    const { isError = false, content } = await this.client.callTool({ name: 'plan_todo_write', arguments: { todos } });
    const [first] = content;
    return { isError, text: first?.type === 'text' ? first.text : '' };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** A folder for the data of a server that a bridge starts, which is stopped in the end. */
export class BackgroundHome {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<BackgroundHome> {
    return new BackgroundHome(await mkdtemp(join(tmpdir(), 'planroom-bridge-')));
  }

  /** Any free port instead of the usual one. */
  get env(): Record<string, string> {
    return { PLANROOM_DATA: this.folder, PLANROOM_PORT: '0' };
  }

  async server(): Promise<{ readonly pid: number; readonly url: string }> {
    return JSON.parse(await readFile(join(this.folder, 'server.json'), 'utf8'));
  }

  async log(): Promise<string> {
    return readFile(join(this.folder, 'server.log'), 'utf8');
  }

  async dispose(): Promise<void> {
    const server = await this.server().catch(() => undefined);
    if (server) process.kill(server.pid, 'SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A Change over HTTP, by somebody else. */
export async function addTask(url: string, room: string, description: string, mutationId: string): Promise<void> {
  const response = await fetch(`${url}/api/rooms/${room}/mutations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ actor: 'bob', mutationId, mutation: { type: 'task.add', description } }),
  });
  if (!response.ok) throw new Error(await response.text());
}

export async function tasksOf(
  url: string,
  room: string,
): Promise<readonly { readonly description: string; readonly createdBy: string }[]> {
  const response = await fetch(`${url}/api/rooms/${room}`);
  if (response.status === 404) return [];
  const { tasks } = (await response.json()) as { readonly tasks: never };
  return tasks;
}
