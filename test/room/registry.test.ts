import { describe, expect, test } from 'vitest';
import type { RoomEvent } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Store } from '../../server/store/store.ts';
import { limits } from '../../shared/plan/limits.ts';
import { append, snapshot } from '../support/appends.ts';
import { HeldStore } from '../support/held-store.ts';
import { Random, testSeed } from '../support/random.ts';
import { add, brief, Mirror, openRooms, submission } from '../support/room-harness.ts';

describe('rooms', () => {
  test('many who ask for one room at once get the same one', async () => {
    const rooms = openRooms();
    const opened = await Promise.all(Array.from({ length: 50 }, () => rooms.open('r')));
    expect(new Set(opened.map((each) => each.ok && each.value)).size).toBe(1);
  });

  test('a room in use is not let go: subscribed to, or waiting for a commit', async () => {
    const store = new HeldStore(openMemoryStore());
    const rooms = openRooms(store);
    const mirror = new Mirror();
    await rooms.subscribe('watched', mirror, undefined);
    const waiting = rooms.submit('written', submission(add('one')));
    await store.arrived();
    await rooms.evictIdle(0);
    expect(rooms.liveCount).toBe(2);
    await store.letThrough();
    expect(brief(await waiting)).toBe('ack 1');
    mirror.leave();
    await rooms.evictIdle(0);
    expect(rooms.liveCount).toBe(0);
  });

  test('letting go, joining and writing at the same time lose nothing', async () => {
    const rooms = openRooms();
    const random = new Random(testSeed('evict'));
    const mirrors = [new Mirror(), new Mirror(), new Mirror()];
    let acks = 0;
    for (let round = 0; round < 400; round += 1) {
      const mirror = random.pick(mirrors);
      const work = [
        rooms.submit('r', submission(add(`round ${round}`))).then(() => {
          acks += 1;
        }),
        rooms.evictIdle(0),
        random.next() < 0.5 ? Promise.resolve(mirror.leave()) : Promise.resolve(),
      ];
      mirror.leave();
      work.push(rooms.subscribe('r', mirror, mirror.position).then(() => undefined));
      if (random.next() < 0.3) await Promise.all(work);
      else await work[work.length - 1];
      if (random.next() < 0.5) mirror.leave();
      await Promise.all(work);
    }
    const opened = await rooms.open('r');
    if (!opened.ok) throw new Error(opened.error.message);
    expect([acks, opened.value.position.revision]).toEqual([400, 400]);
    for (const mirror of mirrors) {
      mirror.leave();
      await rooms.subscribe('r', mirror, mirror.position);
      expect(mirror.plan?.toSnapshot()).toEqual(opened.value.snapshot());
    }
  });
});

describe('the list', () => {
  test('says at which revision and when the document last changed, and that there is none', async () => {
    const rooms = openRooms();
    await rooms.submit('r', submission(add('one')));
    const entry = async () => {
      const listed = await rooms.list();
      return listed.ok ? listed.value.rooms[0] : undefined;
    };
    expect(await entry()).toMatchObject({ revision: 1, documentRevision: 0 });
    expect(await entry()).not.toHaveProperty('documentUpdatedAt');
    await rooms.submit('r', submission({ type: 'document.write', content: 'text' }));
    const { updatedAt, ...written } = { ...(await entry()) };
    expect(written).toMatchObject({ documentRevision: 2, documentUpdatedAt: updatedAt });
    await rooms.submit('r', submission(add('two')));
    expect(await entry()).toMatchObject({ revision: 3, documentRevision: 2, documentUpdatedAt: updatedAt });
  });
});

describe('reads that cost much', () => {
  test('lists that are asked for together are one; none is older than its asking', async () => {
    const store = openMemoryStore();
    let lists = 0;
    const counted: Store = Object.assign(Object.create(store) as Store, {
      list: () => {
        lists += 1;
        return store.list();
      },
    });
    const rooms = openRooms(counted);
    await rooms.submit('before', submission(add('one')));
    const names = async () => {
      const listed = await rooms.list();
      return listed.ok ? listed.value.rooms.map(({ room }) => room) : [];
    };
    const early = names();
    await counted.append(append('between', 0));
    const late = await Promise.all([early, ...Array.from({ length: 100 }, names)]);
    for (const each of late.slice(1)) expect(each).toEqual(['before', 'between']);
    // The early one, one for the first who asked after it, and one for all who came meanwhile.
    expect(lists).toBeLessThanOrEqual(3);
    await counted.append(append('later', 0));
    expect(await names()).toEqual(['before', 'between', 'later']);
  });

  test('history is read from disk a few at a time; what is in memory waits for nobody, and past the bound one is refused', async () => {
    const store = openMemoryStore();
    expect(await store.append(append('r', 0, 3))).toEqual({ type: 'appended' });
    expect(await store.saveSnapshot(snapshot('r', 3))).toMatchObject({ ok: true });
    const waiting: (() => void)[] = [];
    const bounds: unknown[] = [];
    const held: Store = Object.assign(Object.create(store) as Store, {
      history: async (...range: Parameters<Store['history']>) => {
        bounds.push(range[4]);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return store.history(...range);
      },
    });
    const rooms = openRooms(held);
    await rooms.submit('r', submission(add('four')));
    const opened = await rooms.open('r');
    if (!opened.ok) throw new Error(opened.error.message);
    const { historyReadsMax, historyReadsWaitingMax, historyReadCharactersMax: charactersMax } = limits;
    const reads = Array.from({ length: historyReadsMax + historyReadsWaitingMax }, () =>
      rooms.readHistory(opened.value, 1, 4),
    );
    expect(await rooms.readHistory(opened.value, 1, 4)).toBeUndefined();
    expect(await rooms.readHistory(opened.value, 4, 4)).toMatchObject({ value: [{ change: { revision: 4 } }] });
    expect(bounds).toEqual(Array.from({ length: historyReadsMax }, () => ({ charactersMax })));
    let answered = 0;
    for (const read of reads) void read.then(() => (answered += 1));
    while (answered < reads.length) {
      expect(waiting.length).toBeLessThanOrEqual(historyReadsMax);
      waiting.shift()?.();
      await Promise.resolve();
    }
    for (const read of await Promise.all(reads)) expect(read?.ok && read.value.length).toBe(4);
  });
});

describe('deleting a room', () => {
  test('tells its subscribers, ends its history, and what comes next is another room', async () => {
    const rooms = openRooms();
    const mirror = new Mirror();
    const events: RoomEvent[] = [];
    rooms.watch((event) => events.push(event));
    await rooms.subscribe('r', mirror, undefined);
    await rooms.submit('r', submission(add('one'), 'ann', 'same'));
    const before = mirror.position;
    expect(await rooms.delete('r', 7)).toMatchObject({
      ok: true,
      value: { type: 'conflict', current: { revision: 1 } },
    });
    expect(await rooms.delete('r', 1)).toMatchObject({ ok: true, value: { type: 'removed' } });
    expect(mirror.deletions).toEqual([before]);
    expect(events.map((event) => event.type)).toEqual(['changed', 'deleted']);
    expect(await rooms.delete('r', undefined)).toMatchObject({ ok: true, value: { type: 'absent' } });
    expect(brief(await rooms.submit('r', submission(add('two'), 'ann', 'same')))).toBe('ack 1');
    await rooms.subscribe('r', mirror, before);
    expect(mirror.catchUps).toEqual(['snapshot', 'snapshot']);
    expect(mirror.position?.epoch).not.toBe(before?.epoch);
  });

  test('a mutation meant for the deleted room is refused by its epoch', async () => {
    const rooms = openRooms();
    const first = await rooms.submit('r', submission(add('one')));
    await rooms.delete('r', undefined);
    await rooms.submit('r', submission(add('new')));
    const epoch = first.type === 'ack' ? first.ack.epoch : '';
    expect(brief(await rooms.submit('r', { ...submission(add('late')), epoch }))).toBe('reject epoch_changed');
  });

  test('waits for what is on its way to the disk', async () => {
    const store = new HeldStore(openMemoryStore());
    const rooms = openRooms(store);
    const ack = rooms.submit('r', submission(add('one')));
    await store.arrived();
    const deleted = rooms.delete('r', undefined);
    await store.letThrough();
    expect(brief(await ack)).toBe('ack 1');
    expect(await deleted).toMatchObject({ ok: true, value: { type: 'removed', position: { revision: 1 } } });
  });
});
