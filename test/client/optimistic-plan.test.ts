import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptimisticPlan } from '../../client/sdk/optimistic-plan.ts';
import type { Change } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { PlainRoom } from './support/plain-room.ts';
import { randomMutation, seededRandom } from './support/random-mutation.ts';

function viewOf(room: PlainRoom): OptimisticPlan {
  let uids = 0;
  return new OptimisticPlan(room.plan.toSnapshot(), () => `client-uid-${++uids}`);
}

function guess(mutationId: string, mutation: Mutation, actor = 'ann') {
  return { mutationId, mutation, actor, at: '2030-01-01T00:00:00.000Z' };
}

const texts = (view: OptimisticPlan): string[] => [...view.plan.tasks()].map((task) => task.description);

function accept(room: PlainRoom, mutationId: string, mutation: Mutation, actor?: string): Change {
  const change = room.submit(mutationId, mutation, actor);
  if (!change) throw new Error(`${mutation.type} had no effect`);
  return change;
}

const add = (description: string, uid: string): Mutation => ({ type: 'task.add', description, uid });

describe('the optimistic plan', () => {
  it('shows a mutation at once and keeps the confirmed position', () => {
    const view = viewOf(new PlainRoom());
    view.add(guess('m1', add('one', 'uid-0001')));
    expect(texts(view)).toEqual(['one']);
    expect(view.confirmed.revision).toBe(0);
  });

  it('shows the same row, by uid and id, before and after it is confirmed', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    view.add(guess('m1', add('one', 'uid-0001')));
    const before = view.plan.task('uid-0001');
    view.confirm('epoch-1', [accept(room, 'm1', add('one', 'uid-0001'))]);
    expect(view.plan.task('uid-0001')).toMatchObject({ number: before?.number, description: 'one' });
    expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
  });

  it('puts pending mutations on top of what others did meanwhile', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    view.add(guess('m1', add('mine', 'uid-mine')));
    view.confirm('epoch-1', [accept(room, 'x1', add('theirs', 'uid-theirs'), 'bob')]);
    expect(texts(view)).toEqual(['theirs', 'mine']);
    expect(view.plan.task('uid-mine')?.number).toBe(2);
  });

  it('keeps the plan object over confirmed Changes, and makes a new one for a snapshot', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    const first = view.plan;
    view.confirm('epoch-1', [accept(room, 'x1', add('theirs', 'uid-theirs'))]);
    expect(view.plan).toBe(first);
    view.reset(room.plan.toSnapshot());
    expect(view.plan).not.toBe(first);
  });

  it('hides what the rules refuse, and shows it once they let it through', () => {
    const room = new PlainRoom();
    accept(room, 'x1', add('one', 'uid-0001'));
    accept(room, 'x2', { type: 'task.start', task: 'uid-0001' }, 'bob');
    const view = viewOf(room);
    view.add(guess('m1', { type: 'task.start', task: 'uid-0001' }));
    expect(view.plan.task('uid-0001')?.startedBy).toBe('bob');
    view.confirm('epoch-1', [accept(room, 'x3', { type: 'task.reopen', task: 'uid-0001' }, 'bob')]);
    expect(view.plan.task('uid-0001')?.startedBy).toBe('ann');
  });

  it('takes back a refused mutation and decides the later ones anew', () => {
    const view = viewOf(new PlainRoom());
    view.add(guess('m1', add('one', 'uid-0001')));
    view.add(guess('m2', { type: 'task.complete', task: 'uid-0001' }));
    view.add(guess('m3', add('two', 'uid-0002')));
    expect(view.drop(['m1'])).toBe(true);
    expect(texts(view)).toEqual(['two']);
    expect(view.plan.task('uid-0002')?.number).toBe(1);
    expect(view.drop(['m1'])).toBe(false);
  });

  it('leaves out Changes it knows, and refuses a gap and another epoch without touching anything', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => accept(room, name, add(name, `uid-000${name}`))) as [
      Change,
      Change,
      Change,
    ];
    expect(view.confirm('epoch-1', [b])).toEqual({ ok: false, error: 'gap' });
    expect(view.confirm('epoch-2', [a])).toEqual({ ok: false, error: 'gap' });
    expect(texts(view)).toEqual([]);
    expect(view.confirm('epoch-1', [a, b])).toMatchObject({ ok: true });
    expect(view.confirm('epoch-1', [a, b, c])).toEqual({ ok: true, value: [c] });
    expect(view.confirm('epoch-1', [a, c])).toEqual({ ok: true, value: [] });
    expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
  });

  it('does not guess at a mutation that needs history', () => {
    const room = new PlainRoom();
    accept(room, 'x1', add('one', 'uid-0001'));
    const view = viewOf(room);
    view.add(guess('m1', { type: 'plan.revert', revision: 1 }));
    expect(texts(view)).toEqual(['one']);
  });

  it('keeps a mutation on top when its Ack comes before its Change', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    view.add(guess('m1', add('one', 'uid-0001')));
    const change = accept(room, 'm1', add('one', 'uid-0001'));
    expect(view.acknowledge('m1', { epoch: 'epoch-1', revision: 1 })).toBe(false);
    expect(texts(view)).toEqual(['one']);
    view.confirm('epoch-1', [change]);
    expect(texts(view)).toEqual(['one']);
    expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
  });

  it('keeps one that is acknowledged over a snapshot that is not as far yet', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    const before = room.plan.toSnapshot();
    view.add(guess('m1', add('one', 'uid-0001')));
    const change = accept(room, 'm1', add('one', 'uid-0001'));
    view.acknowledge('m1', { epoch: 'epoch-1', revision: 1 });
    view.reset(before);
    expect(texts(view)).toEqual(['one']);
    view.confirm('epoch-1', [change]);
    expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
  });

  it('lets go of what was acknowledged in a history that is not this one, whatever the revisions say', () => {
    const view = viewOf(new PlainRoom());
    view.add(guess('m1', { type: 'document.write', content: 'of the old room' }));
    view.acknowledge('m1', { epoch: 'epoch-1', revision: 50 });
    const anew = new PlainRoom('room', 'epoch-2');
    accept(anew, 'x1', add('new', 'uid-0001'), 'bob');
    view.reset(anew.plan.toSnapshot());
    expect(view.plan.toSnapshot()).toEqual(anew.plan.toSnapshot());
    // An answer of the old room that was still on its way, such as one over HTTP.
    view.add(guess('m2', add('of the old room', 'uid-0002')));
    expect(view.acknowledge('m2', { epoch: 'epoch-1', revision: 51 })).toBe(true);
    expect(view.plan.toSnapshot()).toEqual(anew.plan.toSnapshot());
  });

  it('lets go of a mutation that changed nothing when its Ack comes', () => {
    const room = new PlainRoom();
    accept(room, 'x1', add('one', 'uid-0001'));
    const view = viewOf(room);
    view.add(guess('m1', { type: 'task.edit', task: 'uid-0001', description: 'one' }));
    expect(view.acknowledge('m1', { epoch: 'epoch-1', revision: 1 })).toBe(true);
    expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
  });

  it('gives rows the same uids each time a mutation is decided again', () => {
    const room = new PlainRoom();
    const view = viewOf(room);
    view.add(guess('m1', { type: 'task.add', description: 'one', group: 'New', uid: 'uid-0001' }));
    const group = view.plan.findGroup('New')?.uid;
    view.confirm('epoch-1', [accept(room, 'x1', add('theirs', 'uid-theirs'))]);
    expect(view.plan.findGroup('New')?.uid).toBe(group);
  });

  it('brings back the size of a body it does not have when a document write is refused', () => {
    const room = new PlainRoom();
    accept(room, 'x1', { type: 'document.write', content: 'large', title: 'T' });
    const snapshot = room.plan.toSnapshot();
    const document = { ...snapshot.document, content: '', contentBytes: 100_000 };
    const view = new OptimisticPlan({ ...snapshot, document }, () => 'uid');
    view.add(guess('m1', { type: 'document.write', content: 'mine' }));
    expect(view.plan.document).toMatchObject({ content: 'mine' });
    expect(view.plan.document.contentBytes).toBeUndefined();
    view.drop(['m1']);
    expect(view.plan.document).toEqual(document);
  });
});

describe('random histories', () => {
  it('end at the plan of the server, whatever is pending, refused or lost on the way', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => runHistory(seed)),
      { numRuns: 150 },
    );
  });
});

/** Two writers, answers in batches, now and then a snapshot. */
function runHistory(seed: number): void {
  const random = seededRandom(seed);
  const room = new PlainRoom();
  const view = viewOf(room);
  const pending: { id: string; mutation: Mutation }[] = [];
  let unsent: Change[] = [];
  for (let step = 0; step < 60; step += 1) {
    const dice = random();
    if (dice < 0.4) {
      const entry = { id: `m${step}`, mutation: randomMutation(view.plan, random) };
      pending.push(entry);
      view.add(guess(entry.id, entry.mutation));
    } else if (dice < 0.6) {
      const change = room.submit(`x${step}`, randomMutation(room.plan, random), 'bob');
      if (change) unsent.push(change);
    } else if (dice < 0.95) {
      unsent = answer(room, view, pending.splice(0, 1 + Math.floor(random() * 3)), unsent);
    } else {
      view.reset(room.plan.toSnapshot());
      unsent = [];
    }
    expectPendingOnConfirmed(view, room, pending);
  }
  answer(room, view, pending.splice(0), unsent);
  expect(view.plan.toSnapshot()).toEqual(room.plan.toSnapshot());
}

function answer(
  room: PlainRoom,
  view: OptimisticPlan,
  entries: readonly { id: string; mutation: Mutation }[],
  unsent: Change[],
): Change[] {
  const results = entries.map(({ id, mutation }) => ({ id, change: room.submit(id, mutation) }));
  const changes = [...unsent, ...results.flatMap(({ change }) => change ?? [])];
  expect(view.confirm(room.plan.epoch, changes).ok).toBe(true);
  for (const { id, change } of results) {
    if (change) view.acknowledge(id, { epoch: room.plan.epoch, revision: change.revision });
    else view.drop([id]);
  }
  return [];
}

/** What is shown is the confirmed plan with the pending mutations decided on it, one after the other, from scratch. */
function expectPendingOnConfirmed(
  view: OptimisticPlan,
  room: PlainRoom,
  pending: readonly { id: string; mutation: Mutation }[],
): void {
  const fresh = new OptimisticPlan(new Plan('room', 'epoch-1').toSnapshot(), () => 'none');
  fresh.confirm(room.plan.epoch, room.changes.slice(0, view.confirmed.revision));
  const confirmed = fresh.plan.toSnapshot();
  let uids = 0;
  const rebuilt = new OptimisticPlan(confirmed, () => `rebuilt-uid-${++uids}`);
  for (const { id, mutation } of pending) rebuilt.add(guess(id, mutation));
  expect(read(view.plan)).toEqual(read(rebuilt.plan));
}

/** A plan without the uids that whoever decided made up. */
function read(plan: Plan): unknown {
  const groups = plan.groups().map(({ title, testsVerified, evidence, revision, uid }) => {
    const tasks = plan.tasksOf(uid).map(({ group: _group, ...task }) => task);
    return { title, testsVerified, evidence, revision, tasks };
  });
  const { revision, document, policy } = plan;
  return { revision, document, policy, groups, counts: { ...plan.countByStatus() } };
}
