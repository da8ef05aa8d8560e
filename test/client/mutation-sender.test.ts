import { describe, expect, it } from 'vitest';
import { failure } from '../../client/sdk/failure.ts';
import { MutationSender } from '../../client/sdk/mutation-sender.ts';
import {
  type MutationResult,
  type MutationSource,
  type PendingMutation,
  PendingMutations,
} from '../../client/sdk/pending-mutations.ts';
import { err, ok } from '../../shared/plan/result.ts';
import { endOfTick, HandTimers } from './support/hand-timers.ts';

const frameBytesMax = 1_000;
const ack = (room = 'main'): MutationResult =>
  ok({ room, epoch: 'e1', revision: 1, nags: [], created: [], repeated: false });
const refusal = (code: 'overloaded' | 'unanswered' | 'busy'): MutationResult => err(failure(code, 'No.'));

/** A room that sends whatever is asked of it. */
class Source implements MutationSource {
  readonly room: string;
  readonly settled: string[] = [];
  private readonly pending = new PendingMutations();

  constructor(room: string) {
    this.room = room;
  }

  ask(id: string, sequence: number, content: string): void {
    const mutation = { type: 'document.write', content } as const;
    const settle = (): void => undefined;
    this.pending.add({ id, sequence, room: this.room, mutation, refusals: 0, unanswered: 0, settle });
  }

  nextMutation(): PendingMutation | undefined {
    return this.pending.takeUnsent();
  }

  putBack(again: readonly PendingMutation[]): void {
    this.pending.putBack(again);
  }

  settle({ id }: PendingMutation, result: MutationResult): void {
    this.pending.remove(id);
    this.settled.push(`${id} ${result.ok ? 'ack' : result.error.code}`);
  }
}

/** A sender between rooms and a server that a test plays. */
class Wires {
  readonly timers = new HandTimers();
  readonly sources: Source[] = [];
  /** What went, in order: `m1`, and `m1 http`. */
  readonly sent: string[] = [];
  isOpen = true;
  private readonly answers = new Map<string, (result: MutationResult) => void>();
  private sequence = 0;
  readonly sender = new MutationSender({
    sources: () => this.sources,
    isOpen: () => this.isOpen,
    sendText: (text) => this.sent.push(JSON.parse(text).id),
    sendOverHttp: ({ id }) => {
      this.sent.push(`${id} http`);
      return new Promise((resolve) => this.answers.set(id, resolve));
    },
    environment: this.timers.environment,
  });

  constructor(...rooms: readonly string[]) {
    for (const room of rooms) this.sources.push(new Source(room));
    this.connect();
  }

  connect(): void {
    this.isOpen = true;
    this.sender.connected({ frameBytesMax, mutationsInFlightPerSessionMax: 10 });
  }

  lose(): void {
    this.isOpen = false;
    this.sender.connectionLost();
  }

  async ask(source: Source, id: string, characters = 1): Promise<void> {
    this.sequence += 1;
    source.ask(id, this.sequence, 'x'.repeat(characters));
    this.sender.wake();
    await endOfTick();
  }

  async answer(id: string, result: MutationResult = ack()): Promise<void> {
    const overHttp = this.answers.get(id);
    if (overHttp) overHttp(result);
    else this.sender.answer(id, result);
    await endOfTick();
  }
}

const large = 2 * frameBytesMax;

function wires(...rooms: readonly string[]): { wires: Wires; main: Source; other: Source } {
  const made = new Wires('main', ...rooms);
  const [main, other = main] = made.sources;
  if (!main || !other) throw new Error('no source');
  return { wires: made, main, other };
}

describe('a mutation too large for a frame', () => {
  it('goes over HTTP, and later ones of its room wait until it is answered', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1', large);
    await all.ask(main, 'm2');
    await all.ask(main, 'm3');
    expect(all.sent).toEqual(['m1 http']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1 http', 'm2', 'm3']);
  });

  it('waits itself until those before it are answered', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1');
    await all.ask(main, 'm2');
    await all.ask(main, 'm3', large);
    await all.ask(main, 'm4', large);
    await all.ask(main, 'm5');
    await all.answer('m2');
    expect(all.sent).toEqual(['m1', 'm2']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1', 'm2', 'm3 http']);
    await all.answer('m3');
    expect(all.sent).toEqual(['m1', 'm2', 'm3 http', 'm4 http']);
    await all.answer('m4', refusal('busy'));
    expect(all.sent).toEqual(['m1', 'm2', 'm3 http', 'm4 http', 'm5']);
    expect(main.settled).toEqual(['m2 ack', 'm1 ack', 'm3 ack', 'm4 busy']);
  });

  it('holds up no other room', async () => {
    const { wires: all, main, other } = wires('other');
    await all.ask(main, 'm1', large);
    await all.ask(other, 'o1');
    await all.ask(other, 'o2', large);
    expect(all.sent).toEqual(['m1 http', 'o1']);
    await all.answer('o1', ack('other'));
    expect(all.sent).toEqual(['m1 http', 'o1', 'o2 http']);
  });

  it('keeps its place when the connection goes while it is under way', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1', large);
    await all.ask(main, 'm2');
    all.lose();
    all.connect();
    await endOfTick();
    expect(all.sent).toEqual(['m1 http']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1 http', 'm2']);
  });

  it('keeps its place when the connection goes with those before it', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1');
    await all.ask(main, 'm2', large);
    await all.ask(main, 'm3');
    all.lose();
    all.connect();
    await endOfTick();
    await all.answer('m1');
    await all.answer('m2');
    expect(all.sent).toEqual(['m1', 'm1', 'm2 http', 'm3']);
  });

  it.each(['overloaded', 'unanswered'] as const)('goes again before later ones after %s', async (code) => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1', large);
    await all.ask(main, 'm2');
    await all.answer('m1', refusal(code));
    expect(all.sent).toEqual(['m1 http']);
    all.timers.fire();
    await endOfTick();
    expect(all.sent).toEqual(['m1 http', 'm1 http']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1 http', 'm1 http', 'm2']);
  });

  it('lets one before it, that the server was too busy for, go first', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1');
    await all.ask(main, 'm2', large);
    await all.answer('m1', refusal('overloaded'));
    all.timers.fire();
    await endOfTick();
    expect(all.sent).toEqual(['m1', 'm1']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1', 'm1', 'm2 http']);
  });

  it('keeps the next view of the room waiting after its own was left', async () => {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1', large);
    const next = new Source('main');
    all.sources.splice(0, 1, next);
    await all.ask(next, 'm2');
    expect(all.sent).toEqual(['m1 http']);
    await all.answer('m1');
    expect(all.sent).toEqual(['m1 http', 'm2']);
  });
});

describe('a mutation that is given up after many tries', () => {
  async function tries(codes: (attempt: number) => 'overloaded' | 'unanswered'): Promise<readonly string[]> {
    const { wires: all, main } = wires();
    await all.ask(main, 'm1', large);
    for (let attempt = 0; main.settled.length === 0; attempt += 1) {
      await all.answer('m1', refusal(codes(attempt)));
      all.timers.fire();
      await endOfTick();
    }
    return main.settled;
  }

  it('is told with what the server said each time', async () => {
    expect(await tries(() => 'overloaded')).toEqual(['m1 overloaded']);
  });

  it('is told as unanswered when one of the tries had no answer', async () => {
    expect(await tries(() => 'unanswered')).toEqual(['m1 unanswered']);
    expect(await tries((attempt) => (attempt === 3 ? 'unanswered' : 'overloaded'))).toEqual(['m1 unanswered']);
  });
});
