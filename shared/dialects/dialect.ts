import type { BaseRows } from '../plan/base-rows.ts';
import type { Nag } from '../plan/change.ts';
import type { Mutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import type { Result } from '../plan/result.ts';
import type { Sight } from '../plan/sight.ts';

/**
 * Another tool's vocabulary for the same plan. Stateless: a call is decoded into mutations, the plan is encoded into that
 * tool's results. Everything else (rooms, disk, time, what an actor saw) comes through the `Call`.
 */
export interface Dialect {
  /** As in `?tools=<name>`. */
  readonly name: string;
  /** What it behaves like, for people. */
  readonly title: string;
  /** Guidance for a model, with the rule first; under 2 KB. */
  readonly instructions: string;
  /** In the order in which every listing shows them. */
  readonly tools: readonly Tool[];
  /** The plan as this dialect sees it: plain JSON. */
  readonly view: (plan: Plan) => unknown;
  /** The block that keeps the plan before a model's eyes; null where the dialect shows none. */
  readonly render: (plan: Plan) => string | null;
}

/** JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  /** Of `structured`, where the tool gives one. */
  readonly output?: ObjectSchema;
  readonly hints: ToolHints;
  /** Checks the arguments itself: each dialect refuses in its own words. */
  readonly run: (args: unknown, call: Call) => Promise<ToolReply>;
}

export interface ToolHints {
  readonly readOnly: boolean;
  /** May take away what was there. Only said of tools that are not read-only. */
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
}

/** What a tool answers. A refusal is an answer too, with a message that a model can act on. */
export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  /** The dialect's own JSON. */
  readonly structured?: { readonly [key: string]: unknown };
  /** What the actor has seen now; saved before the answer goes out. Absent: nothing new was shown. */
  readonly sight?: Shown;
}

/** A Sight but for who and through what, which the server knows. */
export type Shown = Omit<Sight, 'actor' | 'dialect'>;

/** Why something could not be done: the code of an error or rejection, and words for the caller. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly facts?: { readonly [name: string]: unknown };
}

/** A room as the actor of a call finds it. `plan` is the live durable one: read it before the next `await`. */
export interface Look {
  readonly plan: Plan;
  readonly sight: Sight | undefined;
}

/** A Look with the rows as they were at the actor's sight; undefined when it never saw the room, or its history is gone. */
export interface LookBack extends Look {
  readonly base: BaseRows | undefined;
}

export interface Submitted {
  /** The live durable plan, at `revision` or later. */
  readonly plan: Plan;
  /** Revision of the Change; of the plan, when the mutation changed nothing. */
  readonly revision: number;
  readonly nags: readonly Nag[];
  readonly created: readonly { readonly uid: string; readonly id: string }[];
  /** The call had been made before, with the same operation id. */
  readonly repeated: boolean;
}

export interface RoomEntry {
  readonly room: string;
  readonly title?: string;
  readonly author?: string;
  readonly status?: string;
  /** Of the room. */
  readonly revision: number;
  /** Of the document; 0 where there is none. */
  readonly documentRevision: number;
  /** ISO 8601 UTC. */
  readonly documentUpdatedAt: string;
}

/** One call of a tool, and what it may ask of the server. Nothing of it throws for what a caller or a disk can cause. */
export interface Call {
  readonly actor: string;
  /** Where the call was made; a tool that takes a room's name may look elsewhere. */
  readonly room: string;
  look(room?: string): Promise<Result<Look, Failure>>;
  lookBack(room?: string): Promise<Result<LookBack, Failure>>;
  /**
   * Submits to the room. `sees` tells what the actor has seen once the mutation is let through; it is stored with the
   * Change, in one step. A call that submits more than once does so in a fixed order: its operation id counts each.
   */
  submit(mutation: Mutation, options?: SubmitOptions): Promise<Result<Submitted, Failure>>;
  listRooms(): Promise<Result<RoomListing, Failure>>;
  deleteRoom(room: string, options: DeleteOptions): Promise<Result<void, Failure>>;
  /** Changes after a revision, oldest first, as many as are read at once; undefined for a revision that has not been. */
  changesSince(revision: number): Promise<Result<ChangeRun | undefined, Failure>>;
  /** Settles at the next Change after `revision`, or when the time is over; gives the revision then. */
  waitForChange(revision: number, timeoutMs: number): Promise<Result<number, Failure>>;
  readonly files: Files;
}

export interface SubmitOptions {
  readonly room?: string;
  /** Given by the caller among the arguments; sent again, the mutation has effect once. */
  readonly operationId?: string | undefined;
  readonly sees?: (plan: Plan) => Omit<Shown, 'revision'>;
}

export interface DeleteOptions {
  /** Asked in one step with the deletion: no Failure lets it through. Without it a damaged room is deleted too. */
  readonly allows?: (plan: Plan) => Failure | undefined;
  /** What whoever watches plans is told as the revision: the caller's guard, 0 without one. */
  readonly guard: number;
}

export interface RoomListing {
  readonly rooms: readonly RoomEntry[];
  readonly warnings: readonly { readonly room: string; readonly message: string }[];
}

export interface ChangeRun {
  readonly lines: readonly ChangeLine[];
  /** Where the run ends: the revision of its last Change, or the one asked for. */
  readonly to: number;
  /** Whether the room stood there when it was read. */
  readonly isAll: boolean;
}

/** A Change as digests need it. */
export interface ChangeLine {
  readonly revision: number;
  readonly actor: string;
  readonly action: string;
  /** Tasks touched, and what was done to each. */
  readonly tasks: readonly { readonly uid: string; readonly deed: Deed }[];
  /** Whether the document changed. */
  readonly document: boolean;
}

export type Deed = 'added' | 'edited' | 'started' | 'completed' | 'cancelled' | 'reopened' | 'removed';

/** The folders that the server was given with `--files`; every path is resolved and must end up inside one. */
export interface Files {
  /** UTF-8 text of a regular file of at most `bytesMax`. */
  read(path: string, bytesMax: number): Promise<Result<string, Failure>>;
  /** Replaces the file in one step, makes missing parents, mode 0600. Gives the absolute path and the bytes written. */
  write(path: string, text: string): Promise<Result<{ readonly path: string; readonly bytes: number }, Failure>>;
}
