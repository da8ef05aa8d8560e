import type {
  Call,
  ChangeRun,
  DeleteOptions,
  Failure,
  Files,
  Look,
  LookBack,
  RoomListing,
  Shown,
  SubmitOptions,
  Submitted,
} from '../../shared/dialects/dialect.ts';
import type { BaseRows } from '../../shared/plan/base-rows.ts';
import { sameValue } from '../../shared/plan/draft.ts';
import { limits } from '../../shared/plan/limits.ts';
import { type Mutation, mutationSchema } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import { explainIssues } from '../../shared/protocol/codec.ts';
import type { Room } from '../room/room.ts';
import { changeLine } from './change-lines.ts';
import { outcomeResult, storeErrorBody } from './errors.ts';
import type { OperationContext } from './operation.ts';
import { deleteOnce, listRooms } from './room-calls.ts';
import type { ToolCall } from './tool-call.ts';
import { waitForChange } from './waiting.ts';

/** One call of a tool, over the rooms of this server. */
export class RoomCall implements Call {
  readonly actor: string;
  readonly room: string;
  readonly files: Files;
  private readonly call: ToolCall;
  private readonly context: OperationContext;
  /** What is stored of the actor's sight of `room`, as far as this call knows. */
  private stored: Shown | undefined;
  /** What a write of this call told of what its actor has seen, with its own words. */
  private own: Omit<Shown, 'revision'> | undefined;
  /** Tasks that the actor had seen, and taken up, before this call; empty as well when it had seen all. */
  private before: readonly string[] = [];
  /** The actor's sight as this call found it. */
  private first: { readonly epoch: string; readonly sight: Sight | undefined } | undefined;
  /** Of the room that was shown: what was seen of one that was deleted says nothing of the next. */
  private epoch: string | undefined;
  private submissions = 0;
  /** Whether a mutation of this call made a Change, and so told what was seen. */
  private hasSeen = false;

  constructor(call: ToolCall, context: OperationContext) {
    this.call = call;
    this.context = context;
    this.actor = context.actor;
    this.room = call.room;
    this.files = context.files;
  }

  async look(name: string = this.room): Promise<Result<Look, Failure>> {
    const found = await this.find(name);
    return found.ok ? ok({ plan: found.value.room.plan, sight: found.value.sight }) : found;
  }

  async lookBack(name: string = this.room): Promise<Result<LookBack, Failure>> {
    const found = await this.find(name);
    if (!found.ok) return found;
    const { room, sight } = found.value;
    if (!sight) return ok({ plan: room.plan, sight, base: undefined });
    const base = await baseOf(room, sight.revision);
    return base.ok ? ok({ plan: room.plan, sight, base: base.value }) : base;
  }

  async submit(
    mutation: Mutation,
    { room: name = this.room, sees, operationId = this.call.operationId }: SubmitOptions = {},
  ): Promise<Result<Submitted, Failure>> {
    const parsed = mutationSchema.safeParse(mutation);
    if (!parsed.success) return err({ code: 'invalid', message: explainIssues(parsed.error) });
    const { rooms } = this.context;
    const { actor, call } = this;
    const outcome = await rooms.submit(name, {
      mutationId: this.nextMutationId(operationId),
      mutation: parsed.data,
      actor,
      ...(sees && { sight: { dialect: call.dialect, sees: (plan: Plan) => this.seen(plan, sees(plan)) } }),
    });
    const result = outcomeResult(outcome);
    if (!result.ok) return result;
    const opened = await rooms.open(name);
    if (!opened.ok) return err(storeErrorBody(opened.error));
    const { epoch, revision, nags, created, repeated } = result.value;
    // A list that changed nothing was a list all the same.
    if (sees && !this.hasSeen) this.own = sees(opened.value.plan);
    if (name === this.room) this.epoch = epoch;
    return ok({ plan: opened.value.plan, revision, nags, created, repeated });
  }

  listRooms(): Promise<Result<RoomListing, Failure>> {
    return listRooms(this.context.rooms);
  }

  deleteRoom(room: string, options: DeleteOptions): Promise<Result<void, Failure>> {
    const { operationId } = this.call;
    return deleteOnce(this.context.rooms, room, options, operationId && `${this.actor} ${operationId}`);
  }

  async changesSince(revision: number): Promise<Result<ChangeRun | undefined, Failure>> {
    const { rooms } = this.context;
    const opened = await rooms.open(this.room);
    if (!opened.ok) return err(storeErrorBody(opened.error));
    const room = opened.value;
    const last = room.plan.revision;
    if (revision > last) return ok(undefined);
    if (revision === last) return ok({ lines: [], to: last, isAll: true });
    const read = await rooms.readHistory(room, revision + 1, Math.min(last, revision + limits.changesPerReadMax));
    if (!read) return err({ code: 'rate_limited', message: 'Too many read history just now; try again.' });
    if (!read.ok) return err(storeErrorBody(read.error));
    const to = revision + read.value.length;
    return ok({ lines: read.value.map(changeLine), to, isAll: to === last });
  }

  waitForChange(revision: number, timeoutMs: number): Promise<Result<number, Failure>> {
    return waitForChange(this.context.rooms, this.room, revision, timeoutMs);
  }

  /** Remembers what the reply showed, unless it is known already. */
  async saveSight(shown: Shown): Promise<Result<void, Failure>> {
    const full = { ...shown, ...this.ownWordsFor(shown) };
    if (this.stored && isSame(this.stored, full)) return ok(undefined);
    if (this.epoch === undefined) return ok(undefined);
    const sight = { actor: this.actor, dialect: this.call.dialect, ...full };
    const saved = await this.context.rooms.saveSight(this.room, this.epoch, sight);
    return saved.ok ? saved : err(storeErrorBody(saved.error));
  }

  private async find(name: string): Promise<Result<{ room: Room; sight: Sight | undefined }, Failure>> {
    for (;;) {
      const opened = await this.context.rooms.open(name);
      if (!opened.ok) return err(storeErrorBody(opened.error));
      const room = opened.value;
      // It is read once: what this call itself shows is no base of its own.
      if (name === this.room && this.first?.epoch === room.position.epoch) return ok({ room, sight: this.first.sight });
      const sight = await room.readSight(this.actor, this.call.dialect);
      if (!sight.ok) return err(storeErrorBody(sight.error));
      if (room.state !== 'open') continue;
      if (name === this.room) {
        this.epoch = room.position.epoch;
        this.first = { epoch: this.epoch, sight: sight.value };
        this.stored = sight.value && shownOf(sight.value);
        if (this.submissions === 0) this.before = sight.value ? takenUp(sight.value) : [];
      }
      return ok({ room, sight: sight.value });
    }
  }

  private seen(plan: Plan, shown: Omit<Shown, 'revision'>): Omit<Shown, 'revision'> {
    this.hasSeen = true;
    this.own = shown;
    this.stored = { revision: plan.revision, ...shown };
    return shown;
  }

  /** What an answer to a write shows beyond what the write knew is not the actor's own either. */
  private ownWordsFor({ shown, unlisted, sent }: Shown): Pick<Shown, 'unlisted' | 'sent'> {
    const { own } = this;
    if (!own) return { ...(unlisted && { unlisted }), ...(sent && { sent }) };
    const knew = own.shown && new Set([...own.shown, ...this.before]);
    const more = knew ? (shown ?? []).filter((uid) => !knew.has(uid)) : [];
    const all = [...(own.unlisted ?? []), ...more];
    return { ...(all.length > 0 && { unlisted: all }), ...(own.sent && { sent: own.sent }) };
  }

  private nextMutationId(operationId: string | undefined): string {
    this.submissions += 1;
    if (operationId === undefined) return this.context.newId();
    return this.submissions === 1 ? operationId : `${operationId}.${this.submissions}`;
  }
}

function takenUp({ shown, unlisted }: Sight): readonly string[] {
  const not = new Set(unlisted);
  return (shown ?? []).filter((uid) => !not.has(uid));
}

function shownOf({ actor: _actor, dialect: _dialect, ...shown }: Sight): Shown {
  return shown;
}

/** Lists of uids are compared as such; names, which few dialects have, as text. */
function isSame(a: Shown, b: Shown): boolean {
  const same = a.revision === b.revision && sameValue(a.shown, b.shown);
  const rest = ({ names = {}, unlisted = [], sent = {} }: Shown): string => JSON.stringify([names, unlisted, sent]);
  return same && rest(a) === rest(b);
}

/** The rows at a revision; undefined when history does not reach back, or not within what is read for it. */
async function baseOf(room: Room, revision: number): Promise<Result<BaseRows | undefined, Failure>> {
  const rows = await room.rowsAt(revision);
  return rows.ok ? rows : err(storeErrorBody(rows.error));
}
