import { assertNever } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { AppendOutcome, EncodedRecord, Store, StoreError } from '../store/store.ts';
import { ackFor, failed, repeatedAnswer, summaryOf } from './answers.ts';
import type { Gate } from './gate.ts';
import type { Outcome, Submission } from './outcome.ts';
import type { Plans, Undurable } from './plans.ts';
import type { AtEndOfTick, TickTask } from './tick-task.ts';

/** A submission whose answer is still due. */
export interface Request {
  readonly submission: Submission;
  /** Only the first answer counts. */
  readonly answer: (outcome: Outcome) => void;
  readonly promise: Promise<Outcome>;
}

/**
 * A Change that waits for its commit, or an answer that waits for what it was decided on, and may itself still be looked
 * up.
 */
export type Entry = { readonly request: Request } & (
  | { readonly undurable: Undurable; readonly outcome?: never }
  | { readonly outcome: Outcome | Promise<Outcome>; readonly undurable?: never }
);

/** The store knows more of this room than the room itself. */
type Surprise = Extract<AppendOutcome, { type: 'duplicate' | 'conflict' }>;

/** What the queue asks of its room. */
export interface CommitHost {
  readonly name: string;
  readonly plans: Plans;
  readonly store: Store;
  /** Calls back at the end of the present tick, so that what comes in one tick is appended together. */
  readonly atEndOfTick: AtEndOfTick;
  /** The Changes are on disk and in the durable plan. */
  readonly publish: (records: readonly EncodedRecord[]) => void;
  /** Closed while the queue finds out where the room stands: nothing is decided beside that. */
  readonly gate: Gate;
  /** Reads what another server appended, or finds that the room is gone. */
  readonly catchUp: () => Promise<StoreError | undefined>;
  /** Decides requests anew, in order. */
  readonly decideAgain: (requests: readonly Request[]) => void;
  /** Told of a bug of ours. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The way from decided to durable. One append is on its way at a time; what is decided meanwhile waits for the next.
 * An append that fails takes everything that waits with it, and the room is back at its last durable plan. So does a bug
 * that shows on the way: the queue goes on, whatever happens.
 */
export class CommitQueue implements TickTask {
  private readonly host: CommitHost;
  private waiting: Entry[] = [];
  private inFlight: readonly Entry[] = [];
  private flushScheduled = false;
  private appending = false;
  private quietListeners: (() => void)[] = [];

  constructor(host: CommitHost) {
    this.host = host;
  }

  get isQuiet(): boolean {
    return !this.appending && this.waiting.length === 0;
  }

  /** Settles when nothing waits any more. */
  async quiet(): Promise<void> {
    while (!this.isQuiet) await new Promise<void>((resolve) => this.quietListeners.push(resolve));
  }

  /** The Changes that are not durable yet, ascending. */
  undurable(): readonly EncodedRecord[] {
    return [...this.inFlight, ...this.waiting].flatMap(({ undurable }) => undurable?.record ?? []);
  }

  /** Takes an entry in. An answer that hangs on nothing undurable is given at once. */
  push(entry: Entry): void {
    if (entry.outcome && this.isQuiet) {
      this.give(entry.request, entry.outcome);
      return;
    }
    this.waiting.push(entry);
    this.schedule();
  }

  private schedule(): void {
    if (this.flushScheduled || this.appending) return;
    this.flushScheduled = true;
    this.host.atEndOfTick(this);
  }

  /** Starts the next append. */
  endOfTick(): void {
    this.flushScheduled = false;
    void this.flush();
  }

  private async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    this.appending = true;
    this.inFlight = this.waiting;
    this.waiting = [];
    try {
      await this.appendInFlight();
    } catch (error) {
      this.fault(error, this.rollBack());
    } finally {
      this.appending = false;
      if (this.waiting.length > 0) this.schedule();
      else for (const listener of this.quietListeners.splice(0)) listener();
    }
  }

  private async appendInFlight(): Promise<void> {
    const records = this.inFlight.flatMap(({ undurable }) => undurable?.record ?? []);
    const outcome = records.length > 0 ? await this.append(records) : ({ type: 'appended' } as const);
    await this.settle(outcome, records);
  }

  private append(records: readonly EncodedRecord[]): Promise<AppendOutcome> {
    const { name, plans, store } = this.host;
    const { epoch, revision } = plans.durable;
    const summary = summaryOf(plans.pending);
    const sights = lastSights(this.inFlight);
    return store.append({ room: name, epoch, expectedRevision: revision, records, summary, sights });
  }

  private async settle(outcome: AppendOutcome, records: readonly EncodedRecord[]): Promise<void> {
    switch (outcome.type) {
      case 'appended':
        this.commit(records);
        return;
      case 'failed': {
        const requests = this.rollBack();
        for (const request of requests) request.answer(failed(outcome.error));
        return;
      }
      case 'duplicate':
      case 'conflict': {
        const requests = this.rollBack();
        await this.host.gate.exclusive(() => this.reconcile(outcome, requests));
        return;
      }
      default:
        assertNever(outcome);
    }
  }

  /** What is on disk is answered as that, whatever else goes wrong, and is never rolled back. */
  private commit(records: readonly EncodedRecord[]): void {
    const entries = this.takeInFlight();
    try {
      this.host.plans.commit(records);
      this.host.publish(records);
    } finally {
      for (const entry of entries) this.give(entry.request, this.answerOf(entry));
    }
  }

  private answerOf(entry: Entry): Outcome | Promise<Outcome> {
    const { durable } = this.host.plans;
    return entry.outcome ?? ackFor(durable.room, durable.epoch, entry.undurable.record, false);
  }

  /** Something was stored that this room did not know of: learn it, then decide again what waited. */
  private async reconcile(outcome: Surprise, requests: readonly Request[]): Promise<void> {
    try {
      await this.learn(outcome, requests);
    } catch (error) {
      this.fault(error, requests);
    }
  }

  private async learn(outcome: Surprise, requests: readonly Request[]): Promise<void> {
    const error = outcome.type === 'conflict' ? await this.host.catchUp() : undefined;
    if (error) {
      for (const request of requests) request.answer(failed(error));
      return;
    }
    const rest = outcome.type === 'duplicate' ? await this.answerDuplicate(outcome.mutationId, requests) : requests;
    this.host.decideAgain(rest);
  }

  /** Gives the retry its first answer; what is left is to be decided again. */
  private async answerDuplicate(mutationId: string, requests: readonly Request[]): Promise<readonly Request[]> {
    const { name, plans, store } = this.host;
    const { epoch } = plans.durable;
    const found = await store.findMutation(name, epoch, mutationId);
    for (const request of requests) {
      if (request.submission.mutationId !== mutationId) continue;
      if (!found.ok) request.answer(failed(found.error));
      else if (found.value) request.answer(repeatedAnswer(name, epoch, found.value, request.submission));
      else return requests;
    }
    return requests.filter((request) => request.submission.mutationId !== mutationId);
  }

  /** A bug of ours: it is told, and costs these requests. */
  private fault(error: unknown, requests: readonly Request[]): void {
    for (const request of requests) request.answer({ type: 'fault' });
    this.host.onFault(error);
  }

  private give(request: Request, outcome: Outcome | Promise<Outcome>): void {
    if (outcome instanceof Promise) outcome.then(request.answer, (error: unknown) => this.fault(error, [request]));
    else request.answer(outcome);
  }

  private takeInFlight(): readonly Entry[] {
    const entries = this.inFlight;
    this.inFlight = [];
    return entries;
  }

  /** The pending plan is the durable one again; gives back everything that waited, in order. */
  private rollBack(): readonly Request[] {
    const entries = [...this.takeInFlight(), ...this.waiting.splice(0)];
    this.host.plans.rollBack(entries.flatMap(({ undurable }) => undurable ?? []));
    return entries.map(({ request }) => request);
  }
}

/** The sights of the Changes; of each actor and dialect the last, for the others would be replaced at once. */
function lastSights(entries: readonly Entry[]): readonly Sight[] {
  const last = new Map<string, Sight>();
  for (const { undurable } of entries) {
    const sight = undurable?.sight;
    if (sight) last.set(JSON.stringify([sight.actor, sight.dialect]), sight);
  }
  return [...last.values()];
}
