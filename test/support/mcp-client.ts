import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type Revision = (typeof revisions)[number];

/** A client of the SDK that speaks just this revision, with what it was told, in order. */
export class McpClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  readonly updated: string[] = [];
  listChanges = 0;
  private wake: () => void = () => undefined;

  private constructor(url: URL, revision: Revision, headers: Record<string, string>) {
    const isModern = revision === '2026-07-28';
    this.client = new Client(
      { name: 'test', version: '0' },
      isModern ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] },
    );
    this.transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    this.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      this.updated.push(params.uri);
      this.wake();
    });
    this.client.setNotificationHandler('notifications/resources/list_changed', () => {
      this.listChanges += 1;
      this.wake();
    });
  }

  static async connect(url: URL, revision: Revision, headers: Record<string, string> = {}): Promise<McpClient> {
    const client = new McpClient(url, revision, headers);
    await client.client.connect(client.transport);
    return client;
  }

  /** Follows resources in the way of the revision. */
  async follow(...uris: string[]): Promise<void> {
    if (this.client.getProtocolEra() === 'modern') {
      await this.client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
    } else {
      for (const uri of uris) await this.client.subscribeResource({ uri });
    }
  }

  /** Waits until what was told looks so. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The error that a promise ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<{ code?: number; message: string; data?: unknown }> {
  return promise.then(
    () => ({ message: 'no error' }),
    (error) => error,
  );
}
