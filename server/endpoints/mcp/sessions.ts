import { isInitializeRequest } from '@modelcontextprotocol/server';
import { failure, idOf, rpcFailure, serverErrorCode } from './answers.ts';
import type { Caller } from './caller.ts';
import { createServer, type ServerParts } from './server.ts';
import { Session, type WriteResponse } from './session.ts';

export interface SessionsOptions {
  readonly parts: ServerParts;
  readonly sessionsMax: number;
  readonly sessionIdleMs: number;
  readonly nowMs: () => number;
}

const sessionNotFoundCode = -32_001;

/** The sessions of clients of the older revisions, bounded in number and in silence. */
export class Sessions {
  private readonly options: SessionsOptions;
  /** Least recently used first. */
  private readonly byId = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.options = options;
  }

  get count(): number {
    return this.byId.size;
  }

  /** Serves a request of the older revisions: of the session it names, or the handshake that makes one. */
  async serve(request: Request, caller: Caller, message: unknown, write: WriteResponse): Promise<void> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.byId.get(id);
      if (!session) return write(rpcFailure(404, sessionNotFoundCode, 'There is no such session; initialize again.'));
      this.byId.delete(id);
      this.byId.set(id, session);
      return session.serve(request, message, write);
    }
    if (!isInitializeRequest(message)) {
      const what = 'The header Mcp-Session-Id is missing; a session begins with initialize.';
      return write(rpcFailure(400, serverErrorCode, what));
    }
    return this.begin(request, caller, message, write);
  }

  resourceUpdated(uri: string): void {
    for (const session of this.byId.values()) session.resourceUpdated(uri);
  }

  resourceListChanged(): void {
    for (const session of this.byId.values()) session.resourceListChanged();
  }

  /** Closes the sessions that were silent for too long. */
  sweep(): void {
    for (const session of [...this.byId.values()]) {
      if (session.isIdle(this.options.sessionIdleMs)) void session.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.byId.values()].map((session) => session.close()));
  }

  private async begin(request: Request, caller: Caller, message: unknown, write: WriteResponse): Promise<void> {
    const { parts, nowMs, sessionsMax } = this.options;
    if (this.byId.size >= sessionsMax && !this.closeOldestIdle()) {
      const busy = `The server has ${sessionsMax} sessions already, all in use.`;
      return write(failure({ code: 'too_many_sessions', message: busy }, {}, idOf(message)));
    }
    const session = new Session(parts.context.newId(), nowMs, (subscriptions) =>
      createServer(caller, parts, subscriptions),
    );
    this.byId.set(session.id, session);
    await session.open(() => this.byId.delete(session.id));
    await session.serve(request, message, write);
    if (!session.isInitialized) await session.close();
  }

  private closeOldestIdle(): boolean {
    for (const session of this.byId.values()) {
      if (!session.isIdle(0)) continue;
      this.byId.delete(session.id);
      void session.close();
      return true;
    }
    return false;
  }
}
