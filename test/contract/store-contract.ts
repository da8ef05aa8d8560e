import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { limits } from '../../shared/plan/limits.ts';
import { append, at, epoch, record, sight, snapshot, stored, storedRun, summary } from '../support/appends.ts';

/** One store under test and its disk. */
export interface StoreHarness {
  readonly store: Store;
  /** Closes the store and opens its data again, as the next process does. */
  restart(): Promise<Store>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

/** Holds a store to the promises of `server/store/store.ts`. */
export function describeStore(name: string, open: () => Promise<StoreHarness>): void {
  describe(name, () => {
    let harness: StoreHarness;
    let store: Store;
    beforeEach(async () => {
      harness = await open();
      store = harness.store;
    });
    afterEach(() => harness.dispose());

    const value = async <T>(result: Promise<{ ok: true; value: T } | { ok: false; error: unknown }>): Promise<T> => {
      const settled = await result;
      if (!settled.ok) throw new Error(`expected a value: ${JSON.stringify(settled.error)}`);
      return settled.value;
    };
    const appended = async (...args: Parameters<typeof append>) => {
      expect(await store.append(append(...args))).toEqual({ type: 'appended' });
    };

    describe('append', () => {
      test('a room that was never appended to is undefined', async () => {
        expect(await value(store.load('plan'))).toBeUndefined();
        expect(await value(store.history('plan', epoch, 1, 10))).toEqual([]);
        expect(await value(store.findMutation('plan', epoch, 'm-1'))).toBeUndefined();
        expect(await value(store.list())).toEqual({ rooms: [], warnings: [] });
      });

      test('what was appended is read back whole, also by the next process', async () => {
        const records = [
          record(1, { nags: [{ code: 'cleaned', message: '3 tasks' }], undo: { document: { title: null } } }),
          record(2, { patch: { document: { content: 'nul \u0000, lone \ud800, emoji 🌍, quote " and \u2028' } } }),
          record(3, { patch: { tasks: [{ uid: 'u1', removed: true }] }, undo: { policy: { strictTerminal: true } } }),
        ];
        await appended('plan', 0, 3, { records });
        const expected = { epoch, revision: 3, snapshot: undefined, tail: records.map(stored) };
        expect(await value(store.load('plan'))).toEqual(expected);
        store = await harness.restart();
        expect(await value(store.load('plan'))).toEqual(expected);
      });

      test('a body of 10 MiB is stored and read back', async () => {
        const records = [record(1, { patch: { document: { content: 'é'.repeat(5 * 1024 * 1024) } } })];
        await appended('plan', 0, 1, { records });
        expect(await value(store.history('plan', epoch, 1, 1))).toEqual(records.map(stored));
      });

      test('only revision 0 makes a room', async () => {
        expect(await store.append(append('plan', 1))).toEqual({ type: 'conflict', current: undefined });
        expect(await value(store.load('plan'))).toBeUndefined();
        await appended('plan', 0);
      });

      test('an append before or past the room stands in conflict and stores nothing', async () => {
        await appended('plan', 0, 3);
        for (const expected of [0, 2, 4]) {
          const other = append('plan', expected, 1, { records: [record(expected + 1, { mutationId: 'other' })] });
          expect(await store.append(other)).toEqual({ type: 'conflict', current: { epoch, revision: 3 } });
        }
        expect((await value(store.load('plan')))?.tail).toEqual(storedRun(1, 3));
        await appended('plan', 3);
      });

      test('an append of another epoch stands in conflict, at any revision', async () => {
        await appended('plan', 0, 3);
        for (const expected of [0, 3]) {
          const other = append('plan', expected, 1, { epoch: 'epoch-2' });
          expect(await store.append(other)).toEqual({ type: 'conflict', current: { epoch, revision: 3 } });
        }
      });

      test('appends that do not wait for each other are stored in order', async () => {
        const outcomes = [];
        for (let revision = 0; revision < 300; revision += 3) outcomes.push(store.append(append('plan', revision, 3)));
        expect(new Set((await Promise.all(outcomes)).map((outcome) => outcome.type))).toEqual(new Set(['appended']));
        expect((await value(store.load('plan')))?.tail).toEqual(storedRun(1, 300));
      });

      test('many rooms append at once; conflicts and duplicates stay with their own room', async () => {
        const names = Array.from({ length: 200 }, (_, index) => `room-${index}`);
        await Promise.all(names.map((name) => appended(name, 0, 2)));
        const outcomes = await Promise.all(
          names.map((name, index) => {
            if (index % 10 === 0)
              return store.append(append(name, 1, 1, { records: [record(2, { mutationId: 'x' })] }));
            if (index % 10 === 1)
              return store.append(append(name, 2, 2, { records: [record(3), record(4, { mutationId: 'm-1' })] }));
            return store.append(append(name, 2));
          }),
        );
        for (const [index, outcome] of outcomes.entries()) {
          const type = index % 10 === 0 ? 'conflict' : index % 10 === 1 ? 'duplicate' : 'appended';
          expect(outcome.type).toBe(type);
          const room = await value(store.load(`room-${index}`));
          expect(room?.tail).toEqual(storedRun(1, type === 'appended' ? 3 : 2));
        }
      });

      test('of writers that race for one revision exactly one wins', async () => {
        await appended('plan', 0);
        const racing = Array.from({ length: 50 }, (_, index) =>
          store.append(append('plan', 1, 1, { records: [record(2, { mutationId: `writer-${index}` })] })),
        );
        const types = (await Promise.all(racing)).map((outcome) => outcome.type);
        expect(types.filter((type) => type === 'appended')).toHaveLength(1);
        expect(types.filter((type) => type === 'conflict')).toHaveLength(49);
        expect(await value(store.history('plan', epoch, 1, 9))).toHaveLength(2);
      });

      test('later changes to what was handed over or read do not reach the store', async () => {
        const patch = { document: { title: 'before' } };
        const undo = { document: { title: 'undo before' } };
        const pending = store.append(append('plan', 0, 1, { records: [record(1, { patch, undo })] }));
        patch.document.title = 'after';
        undo.document.title = 'undo after';
        await pending;
        const [read] = await value(store.history('plan', epoch, 1, 1));
        expect(read).toMatchObject({
          change: { patch: { document: { title: 'before' } } },
          undo: { document: { title: 'undo before' } },
        });
        Object.assign(read?.undo ?? {}, { document: null });
        expect((await value(store.history('plan', epoch, 1, 1)))[0]?.undo).toEqual({
          document: { title: 'undo before' },
        });
      });
    });

    describe('exactly once', () => {
      test('a stored mutationId is a duplicate at the right revision and at a stale one; nothing is stored', async () => {
        await appended('plan', 0, 2);
        for (const expected of [0, 1, 2, 3]) {
          const again = append('plan', expected, 1, { records: [record(expected + 1, { mutationId: 'm-2' })] });
          expect(await store.append(again)).toEqual({ type: 'duplicate', mutationId: 'm-2' });
        }
        expect((await value(store.load('plan')))?.revision).toBe(2);
        await appended('plan', 2);
      });

      test.each([1, 7, 8, 9, 40])(
        'a duplicate at the end of %i records takes the whole append with it',
        async (count) => {
          await appended('plan', 0);
          const records = Array.from({ length: count }, (_, index) => record(index + 2));
          records[count - 1] = record(count + 1, { mutationId: 'm-1' });
          expect(await store.append(append('plan', 1, count, { records }))).toEqual({
            type: 'duplicate',
            mutationId: 'm-1',
          });
          expect((await value(store.load('plan')))?.tail).toEqual(storedRun(1, 1));
          expect(await value(store.findMutation('plan', epoch, 'm-2'))).toBeUndefined();
          await appended('plan', 1, count);
        },
      );

      test.each([2, 8, 20])(
        'the same mutationId twice in one append of %i is a duplicate, and makes no room',
        async (count) => {
          const records = Array.from({ length: count }, (_, index) => record(index + 1));
          records[count - 1] = record(count, { mutationId: 'm-1' });
          expect(await store.append(append('plan', 0, count, { records }))).toEqual({
            type: 'duplicate',
            mutationId: 'm-1',
          });
          expect(await value(store.load('plan'))).toBeUndefined();
          expect((await value(store.list())).rooms).toEqual([]);
          await appended('plan', 0, count);
        },
      );

      test('two appends of the same turn with one mutationId: the second is the duplicate', async () => {
        const [first, second] = await Promise.all([
          store.append(append('plan', 0, 1, { records: [record(1, { mutationId: 'same' })] })),
          store.append(append('plan', 1, 1, { records: [record(2, { mutationId: 'same' })] })),
        ]);
        expect(first).toEqual({ type: 'appended' });
        expect(second).toEqual({ type: 'duplicate', mutationId: 'same' });
      });

      test('another room may use the same mutationId', async () => {
        await appended('plan', 0);
        await appended('plan-2', 0);
      });

      test('findMutation gives the Change of its room and epoch only, also after a restart', async () => {
        await appended('plan', 0, 3);
        store = await harness.restart();
        expect(await value(store.findMutation('plan', epoch, 'm-2'))).toEqual(stored(record(2)));
        expect(await value(store.findMutation('plan', epoch, 'm-4'))).toBeUndefined();
        expect(await value(store.findMutation('plan', 'epoch-2', 'm-2'))).toBeUndefined();
        expect(await value(store.findMutation('other', epoch, 'm-2'))).toBeUndefined();
      });
    });

    describe('history', () => {
      test('a range is inclusive and cut to what there is', async () => {
        await appended('plan', 0, 5);
        const range = (from: number, to: number) => value(store.history('plan', epoch, from, to));
        expect(await range(1, 5)).toEqual(storedRun(1, 5));
        expect(await range(2, 4)).toEqual(storedRun(2, 4));
        expect(await range(5, 6)).toEqual(storedRun(5, 5));
        expect(await range(0, 1)).toEqual(storedRun(1, 1));
        expect(await range(6, 9)).toEqual([]);
        expect(await range(4, 3)).toEqual([]);
      });

      test('another epoch or room has none', async () => {
        await appended('plan', 0, 5);
        expect(await value(store.history('plan', 'epoch-2', 1, 5))).toEqual([]);
        expect(await value(store.history('other', epoch, 1, 5))).toEqual([]);
      });

      test('a long history comes whole and in order', async () => {
        await appended('plan', 0, 2_500);
        expect(await value(store.history('plan', epoch, 1, 2_500))).toEqual(storedRun(1, 2_500));
        expect((await value(store.load('plan')))?.tail).toHaveLength(2_500);
      });

      test('a bounded read gives what fits, from either end, and one record that does not', async () => {
        const content = 'x'.repeat(10_000);
        const large = Array.from({ length: 8 }, (_, index) => record(index + 1, { patch: { document: { content } } }));
        await appended('plan', 0, 8, { records: large });
        await appended('plan', 8, 2_000);
        const revisions = async (from: number, to: number, charactersMax: number, newest?: boolean) => {
          const bound = newest === undefined ? { charactersMax } : { charactersMax, newest };
          return (await value(store.history('plan', epoch, from, to, bound))).map(({ change }) => change.revision);
        };
        expect(await revisions(2, 8, 35_000)).toEqual([2, 3, 4]);
        expect(await revisions(2, 7, 35_000, true)).toEqual([5, 6, 7]);
        expect(await revisions(2, 7, 35_000, false)).toEqual([2, 3, 4]);
        expect(await revisions(3, 8, 1)).toEqual([3]);
        expect(await revisions(3, 8, 1, true)).toEqual([8]);
        expect(await revisions(6, 9_999, 1_000_000)).toEqual(Array.from({ length: 2_003 }, (_, index) => index + 6));
        expect(await revisions(1, 9_999, 1_000_000, true)).toEqual(
          Array.from({ length: 2_008 }, (_, index) => index + 1),
        );
        expect(await revisions(3_000, 9_999, 1_000, true)).toEqual([]);
        const bound = { charactersMax: 1_000_000, newest: true };
        expect(await value(store.history('plan', epoch, 9, 2_008, bound))).toEqual(storedRun(9, 2_008));
      });
    });

    describe('snapshots', () => {
      test('a load is the newest snapshot and what came after it; the history stays', async () => {
        await appended('plan', 0, 5);
        await value(store.saveSnapshot(snapshot('plan', 2)));
        await value(store.saveSnapshot(snapshot('plan', 4)));
        store = await harness.restart();
        const tail = storedRun(5, 5);
        expect(await value(store.load('plan'))).toEqual({ epoch, revision: 5, snapshot: snapshot('plan', 4), tail });
        expect(await value(store.history('plan', epoch, 1, 5))).toEqual(storedRun(1, 5));
      });

      test('a snapshot of the present revision leaves no tail', async () => {
        await appended('plan', 0, 5);
        await value(store.saveSnapshot(snapshot('plan', 5)));
        expect(await value(store.load('plan'))).toMatchObject({ revision: 5, snapshot: snapshot('plan', 5), tail: [] });
      });

      test('an older snapshot that comes late does not hide the newer one', async () => {
        await appended('plan', 0, 5);
        await value(store.saveSnapshot(snapshot('plan', 4)));
        await value(store.saveSnapshot(snapshot('plan', 3)));
        expect((await value(store.load('plan')))?.snapshot?.revision).toBe(4);
      });

      test('a snapshot of another epoch, of no room or of the future is ignored', async () => {
        await value(store.saveSnapshot(snapshot('plan', 1)));
        await appended('plan', 0, 2);
        await value(store.saveSnapshot(snapshot('plan', 1, { epoch: 'epoch-2' })));
        await value(store.saveSnapshot(snapshot('plan', 3)));
        expect(await value(store.load('plan'))).toEqual({
          epoch,
          revision: 2,
          snapshot: undefined,
          tail: storedRun(1, 2),
        });
      });

      test('a snapshot of a full room comes back as it was', async () => {
        await appended('plan', 0);
        const groups = [{ uid: 'g', title: 'G', order: 'a0', testsVerified: false, revision: 1 }];
        const tasks = Array.from({ length: 2_001 }, (_, index) => ({
          uid: `t${index}`,
          number: index + 1,
          group: 'g',
          order: `a${index}`,
          description: `Task ${index} ✓`,
          status: 'pending' as const,
          dependsOn: [],
          createdBy: 'ada',
          createdRevision: 1,
          updatedBy: 'ada',
          updatedAt: at,
          revision: 1,
        }));
        for (const count of [0, 1, 1_000, 1_001, 2_001]) {
          const full = snapshot('plan', 1, { groups, tasks: tasks.slice(0, count) });
          await value(store.remove('plan'));
          await appended('plan', 0);
          await value(store.saveSnapshot(full));
          expect((await value(store.load('plan')))?.snapshot).toEqual(full);
        }
      });
    });

    describe('sights', () => {
      const seen = (actor: string, more: { room?: string; epoch?: string; dialect?: string } = {}) =>
        value(store.readSight(more.room ?? 'plan', more.epoch ?? epoch, actor, more.dialect ?? 'todo'));
      const saved = (...args: Parameters<Store['saveSight']>) => value(store.saveSight(...args));

      test('of a room that is not there, or of nobody, there is none, and none is kept', async () => {
        expect(await seen('ada')).toBeUndefined();
        await saved('plan', epoch, sight('ada', 1));
        expect(await value(store.load('plan'))).toBeUndefined();
        await appended('plan', 0);
        expect(await seen('ada')).toBeUndefined();
      });

      test('those of an append are there with its Changes, whole, also for the next process', async () => {
        const ada = sight('ada 🌍 "', 2, { shown: ['u1', 'u2'], names: { u1: '1', u2: 'lone \ud800 and nul \u0000' } });
        const bob = sight('bob', 1, { shown: null });
        await appended('plan', 0, 2, { sights: [ada, bob] });
        for (let pass = 0; pass < 2; pass += 1) {
          expect(await seen(ada.actor)).toEqual(ada);
          expect(await seen('bob')).toEqual(bob);
          expect(await seen('cy')).toBeUndefined();
          store = await harness.restart();
        }
        expect((await value(store.load('plan')))?.tail).toEqual(storedRun(1, 2));
      });

      test('one that is saved outlives the process too', async () => {
        await appended('plan', 0, 2);
        await saved('plan', epoch, sight('ada', 2));
        store = await harness.restart();
        expect(await seen('ada')).toEqual(sight('ada', 2));
      });

      test('each actor, dialect and room has its own; the one that came last counts', async () => {
        await appended('other', 0, 1, { sights: [sight('ada', 1, { shown: ['other'] })] });
        await appended('plan', 0, 2, { sights: [sight('ada', 1), sight('ada', 2), sight('bob', 2)] });
        expect(await seen('ada')).toEqual(sight('ada', 2));
        const [another, newer] = [sight('ada', 1, { dialect: 'tasks' }), sight('ada', 3)];
        await saved('plan', epoch, another);
        await appended('plan', 2, 1, { sights: [newer] });
        await saved('plan', epoch, sight('bob', 1));
        store = await harness.restart();
        expect(await seen('ada')).toEqual(newer);
        expect(await seen('ada', { dialect: 'tasks' })).toEqual(another);
        expect(await seen('ada', { room: 'other' })).toEqual(sight('ada', 1, { shown: ['other'] }));
        expect(await seen('bob')).toEqual(sight('bob', 1));
      });

      test('what is saved and appended without waiting is kept in order', async () => {
        await Promise.all([
          appended('plan', 0, 1, { sights: [sight('ada', 1)] }),
          saved('plan', epoch, sight('bob', 1)),
          saved('plan', epoch, sight('ada', 1, { shown: null })),
          appended('plan', 1, 1, { sights: [sight('bob', 2)] }),
        ]);
        expect(await seen('ada')).toEqual(sight('ada', 1, { shown: null }));
        expect(await seen('bob')).toEqual(sight('bob', 2));
        expect((await value(store.load('plan')))?.tail).toEqual(storedRun(1, 2));
      });

      test('an append that is not stored stores none, and leaves those of others in the same commit alone', async () => {
        await appended('plan', 0, 2, { sights: [sight('ada', 2)] });
        const sights = [sight('ada', 3, { shown: null }), sight('bob', 3)];
        const again = [record(3), record(4, { mutationId: 'm-1' })];
        const twice = [record(1), record(2, { mutationId: 'm-1' })];
        const outcomes = await Promise.all([
          store.append(append('plan', 5, 1, { sights })),
          store.append(append('plan', 2, 1, { sights, epoch: 'epoch-2' })),
          store.append(append('plan', 2, 2, { sights, records: again })),
          store.append(append('new', 0, 2, { sights, records: twice })),
          store.append(append('absent', 1, 1, { sights })),
          store.append(append('other', 0, 1, { sights: [sight('bob', 1)] })),
        ]);
        expect(outcomes.map(({ type }) => type)).toEqual([
          'conflict',
          'conflict',
          'duplicate',
          'duplicate',
          'conflict',
          'appended',
        ]);
        store = await harness.restart();
        expect(await seen('ada')).toEqual(sight('ada', 2));
        expect(await seen('bob')).toBeUndefined();
        expect(await seen('bob', { epoch: 'epoch-2' })).toBeUndefined();
        expect(await seen('bob', { room: 'other' })).toEqual(sight('bob', 1));
        await appended('new', 0);
        expect(await seen('bob', { room: 'new' })).toBeUndefined();
      });

      test('another epoch sees none and keeps none', async () => {
        await appended('plan', 0, 1, { sights: [sight('ada', 1)] });
        await saved('plan', 'epoch-2', sight('ada', 2));
        await saved('plan', 'epoch-2', sight('bob', 2));
        expect(await seen('ada', { epoch: 'epoch-2' })).toBeUndefined();
        expect(await seen('ada')).toEqual(sight('ada', 1));
        expect(await seen('bob')).toBeUndefined();
      });

      test('they go with their room, and the one made again has none of them', async () => {
        await appended('plan', 0, 3, { sights: [sight('ada', 3)] });
        await appended('other', 0, 1, { sights: [sight('ada', 1)] });
        await value(store.remove('plan'));
        expect(await seen('ada')).toBeUndefined();
        await saved('plan', epoch, sight('ada', 3));
        await appended('plan', 0, 1, { epoch: 'epoch-2', sights: [sight('bob', 1)] });
        await saved('plan', epoch, sight('ada', 3));
        store = await harness.restart();
        for (const room of [epoch, 'epoch-2']) expect(await seen('ada', { epoch: room })).toBeUndefined();
        expect(await seen('bob', { epoch: 'epoch-2' })).toEqual(sight('bob', 1));
        expect(await seen('ada', { room: 'other' })).toEqual(sight('ada', 1));
      });

      test('past the bound those with the lowest revision go, whenever they came, and only of that room', async () => {
        const max = limits.sightsPerRoomMax;
        const many = Array.from({ length: max }, (_, index) => sight(`actor-${index}`, index + 10));
        await appended('other', 0, 1, { sights: [sight('ada', 1)] });
        await appended('plan', 0, 1, { sights: many });
        await saved('plan', epoch, sight('actor-0', 5_000));
        expect(await seen('actor-1')).toEqual(many[1]);
        await appended('plan', 1, 1, { sights: [sight('new-1', 5_000), sight('new-2', 5_000)] });
        await saved('plan', epoch, sight('too-old', 1));
        expect(await seen('too-old')).toBeUndefined();
        expect(await seen('actor-1')).toBeUndefined();
        expect(await seen('actor-2')).toBeUndefined();
        for (const actor of ['new-1', 'new-2', 'actor-0']) expect(await seen(actor)).toEqual(sight(actor, 5_000));
        expect(await seen('actor-3')).toEqual(many[3]);
        expect(await seen('ada', { room: 'other' })).toEqual(sight('ada', 1));
      });

      test('of equally old ones past the bound the new one stays', async () => {
        const many = Array.from({ length: limits.sightsPerRoomMax }, (_, index) => sight(`a-${index}`, 1));
        await appended('plan', 0, 1, { sights: many });
        for (const actor of ['0-first', 'z-last']) {
          await saved('plan', epoch, sight(actor, 1));
          expect(await seen(actor)).toEqual(sight(actor, 1));
        }
      });

      test('later changes to what was handed over or read do not reach the store', async () => {
        const names = { u1: 'before' };
        const pending = store.append(append('plan', 0, 1, { sights: [sight('ada', 1, { names })] }));
        names.u1 = 'after';
        await pending;
        for (let pass = 0; pass < 2; pass += 1) {
          const read = await seen('ada');
          expect(read).toEqual(sight('ada', 1, { names: { u1: 'before' } }));
          Object.assign(read ?? {}, { shown: null });
        }
      });
    });

    describe('remove', () => {
      test('a removed room is gone with all that belonged to it', async () => {
        await appended('plan', 0, 3);
        await appended('other', 0, 1);
        await value(store.saveSnapshot(snapshot('plan', 3)));
        expect(await value(store.remove('plan'))).toEqual({ type: 'removed', position: { epoch, revision: 3 } });
        for (let pass = 0; pass < 2; pass += 1) {
          expect(await value(store.load('plan'))).toBeUndefined();
          expect(await value(store.history('plan', epoch, 1, 3))).toEqual([]);
          expect(await value(store.findMutation('plan', epoch, 'm-1'))).toBeUndefined();
          expect((await value(store.list())).rooms.map(({ room }) => room)).toEqual(['other']);
          store = await harness.restart();
        }
      });

      test('an absent room answers so', async () => {
        expect(await value(store.remove('plan'))).toEqual({ type: 'absent' });
        expect(await value(store.remove('plan', { epoch, revision: 1 }))).toEqual({ type: 'absent' });
      });

      test('with a position the room goes only if it stands there', async () => {
        await appended('plan', 0, 3);
        const conflict = { type: 'conflict', current: { epoch, revision: 3 } };
        expect(await value(store.remove('plan', { epoch, revision: 2 }))).toEqual(conflict);
        expect(await value(store.remove('plan', { epoch, revision: 4 }))).toEqual(conflict);
        expect(await value(store.remove('plan', { epoch: 'epoch-2', revision: 3 }))).toEqual(conflict);
        expect((await value(store.load('plan')))?.revision).toBe(3);
        const removed = { type: 'removed', position: { epoch, revision: 3 } };
        expect(await value(store.remove('plan', { epoch, revision: 3 }))).toEqual(removed);
      });

      test('a room made again begins at 1 in its new epoch, with nothing of the old one', async () => {
        await appended('plan', 0, 3);
        await value(store.saveSnapshot(snapshot('plan', 3)));
        await value(store.remove('plan'));
        expect(await store.append(append('plan', 3))).toEqual({ type: 'conflict', current: undefined });
        await appended('plan', 0, 2, { epoch: 'epoch-2' });
        await value(store.saveSnapshot(snapshot('plan', 1)));
        store = await harness.restart();
        const tail = storedRun(1, 2);
        expect(await value(store.load('plan'))).toEqual({ epoch: 'epoch-2', revision: 2, snapshot: undefined, tail });
        expect(await value(store.history('plan', epoch, 1, 3))).toEqual([]);
      });
    });

    describe('list', () => {
      test('rooms come sorted, with their last summary and position', async () => {
        const title = 'nul \u0000, lone \ud800 and 🌍';
        await appended('b', 0, 1);
        await appended('a-2', 0, 2, { summary: { ...summary, title: 'Old' } });
        await appended('a', 0, 1);
        await appended('a-2', 2, 1, { summary: { ...summary, title, author: 'ada', status: 'draft', taskCount: 7 } });
        store = await harness.restart();
        expect(await value(store.list())).toEqual({
          rooms: [
            { ...summary, room: 'a', epoch, revision: 1 },
            { ...summary, room: 'a-2', epoch, revision: 3, title, author: 'ada', status: 'draft', taskCount: 7 },
            { ...summary, room: 'b', epoch, revision: 1 },
          ],
          warnings: [],
        });
      });
    });

    describe('close', () => {
      test('what was appended before is stored, what comes after is refused', async () => {
        const before = [
          store.append(append('plan', 0)),
          store.append(append('plan', 1)),
          store.append(append('other', 0)),
        ];
        const saving = store.saveSight('plan', epoch, sight('ada', 2));
        const closing = store.close();
        const after = store.append(append('plan', 2));
        expect((await Promise.all(before)).map(({ type }) => type)).toEqual(['appended', 'appended', 'appended']);
        const closed = { ok: false, error: { code: 'store_closed', retryable: true } };
        expect(await saving).toEqual({ ok: true, value: undefined });
        expect(await after).toMatchObject({ type: 'failed', error: closed.error });
        await closing;
        await store.close();
        expect(await store.list()).toMatchObject(closed);
        expect(await store.load('plan')).toMatchObject(closed);
        expect(await store.history('plan', epoch, 1, 1)).toMatchObject(closed);
        expect(await store.findMutation('plan', epoch, 'm-1')).toMatchObject(closed);
        expect(await store.saveSnapshot(snapshot('plan', 1))).toMatchObject(closed);
        expect(await store.readSight('plan', epoch, 'ada', 'todo')).toMatchObject(closed);
        expect(await store.saveSight('plan', epoch, sight('ada', 1))).toMatchObject(closed);
        expect(await store.remove('plan')).toMatchObject(closed);
      });
    });
  });
}
