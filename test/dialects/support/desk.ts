import { runTool } from '../../../server/operations/tools.ts';
import type { RoomRegistry } from '../../../server/room/registry.ts';
import type { Files, ToolReply } from '../../../shared/dialects/dialect.ts';
import { err } from '../../../shared/plan/result.ts';

const noFiles: Files = {
  read: async () => err({ code: 'invalid', message: 'no files here' }),
  write: async () => err({ code: 'invalid', message: 'no files here' }),
};

export interface DeskOptions {
  readonly room?: string | undefined;
  /** Who calls, unless a call says otherwise. */
  readonly actor?: string | undefined;
  readonly files?: Files | undefined;
}

/** Calls tools without a server between: one dialect, one room, any actor. */
export class Desk {
  readonly rooms: RoomRegistry;
  private readonly dialect: string;
  private readonly room: string;
  private readonly files: Files;
  private readonly actor: string;
  private ids = 0;

  constructor(
    rooms: RoomRegistry,
    dialect: string,
    { room = 'room', actor = 'ann', files = noFiles }: DeskOptions = {},
  ) {
    this.actor = actor;
    this.rooms = rooms;
    this.dialect = dialect;
    this.room = room;
    this.files = files;
  }

  async call(tool: string, args: unknown, actor = this.actor, operationId?: string): Promise<ToolReply> {
    const { rooms, files, room, dialect } = this;
    const newId = (): string => `${dialect}-${actor}-${Date.now().toString(36)}-${++this.ids}`;
    const result = await runTool({ room, dialect, tool, arguments: args, operationId }, { rooms, files, newId, actor });
    if (!result.ok) throw new Error(result.error.message);
    return result.value;
  }

  /** The structured answer of a call that must be let through. */
  async ok(tool: string, args: unknown, actor?: string): Promise<Record<string, unknown>> {
    const reply = await this.call(tool, args, actor);
    if (reply.isError) throw new Error(`${tool} was refused: ${reply.text}`);
    return { ...reply.structured };
  }

  /** The words of a call that must be refused. */
  async refused(tool: string, args: unknown, actor?: string): Promise<string> {
    const reply = await this.call(tool, args, actor);
    if (!reply.isError) throw new Error(`${tool} was let through: ${reply.text}`);
    return reply.text;
  }
}
