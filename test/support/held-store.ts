import type { Append, AppendOutcome, Store } from '../../server/store/store.ts';

/**
 * A real store behind a turnstile: appends wait until the test lets them through, so that a test can look at what a
 * room does while a commit is on its way. `fail` answers the waiting append as a full disk would, without storing it.
 */
export class HeldStore implements Store {
  readonly list: Store['list'];
  readonly load: Store['load'];
  readonly history: Store['history'];
  readonly findMutation: Store['findMutation'];
  readonly saveSnapshot: Store['saveSnapshot'];
  readonly readSight: Store['readSight'];
  readonly saveSight: Store['saveSight'];
  readonly remove: Store['remove'];
  readonly close: Store['close'];
  private readonly store: Store;
  private waiting: { readonly append: Append; readonly answer: (outcome: AppendOutcome) => void }[] = [];
  private arrivals: (() => void)[] = [];

  constructor(store: Store) {
    this.store = store;
    this.list = () => store.list();
    this.load = (room) => store.load(room);
    this.history = (...range) => store.history(...range);
    this.findMutation = (room, epoch, id) => store.findMutation(room, epoch, id);
    this.saveSnapshot = (snapshot) => store.saveSnapshot(snapshot);
    this.readSight = (room, epoch, actor, dialect) => store.readSight(room, epoch, actor, dialect);
    this.saveSight = (room, epoch, sight) => store.saveSight(room, epoch, sight);
    this.remove = (room, expected) => store.remove(room, expected);
    this.close = () => store.close();
  }

  append(append: Append): Promise<AppendOutcome> {
    return new Promise((answer) => {
      this.waiting.push({ append, answer });
      for (const arrival of this.arrivals.splice(0)) arrival();
    });
  }

  /** The append that waits; waits for one to come. */
  async arrived(): Promise<Append> {
    while (this.waiting.length === 0) await new Promise<void>((resolve) => this.arrivals.push(resolve));
    return (this.waiting[0] as { append: Append }).append;
  }

  /** Lets the oldest waiting append through. */
  async letThrough(): Promise<void> {
    await this.arrived();
    const first = this.waiting.shift();
    if (first) first.answer(await this.store.append(first.append));
  }

  /** Answers the oldest waiting append as a full disk does. */
  async fail(): Promise<void> {
    await this.arrived();
    const error = { code: 'store_full', message: 'The disk is full.', retryable: true } as const;
    this.waiting.shift()?.answer({ type: 'failed', error });
  }
}
