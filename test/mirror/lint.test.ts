import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { mirrorLimits } from '../../shared/mirror/limits.ts';
import { type LintOptions, lint, type Verdict } from '../../shared/mirror/lint.ts';
import { Random, runs, testSeed } from '../support/random.ts';
import { MirrorRoom } from './harness.ts';
import { any, behind, deleted, first, gc, type RawDeletes, type RawRun, rawUpdate, skip, str } from './raw-update.ts';

const options: LintOptions = { bytesMax: mirrorLimits.syncBytesMax };
const eve = 77;

function begin() {
  const room = new MirrorRoom().with('A', 'one', 'two', 'three');
  return { room, doc: room.mirror.doc, ann: room.client('ann') };
}

/** The lint must say so, for this reason, and the doc must not have been touched. */
function expectRefused(
  doc: Y.Doc,
  update: Uint8Array,
  verdict: 'gap' | 'fault',
  reason: RegExp,
  more = options,
): Verdict {
  const before = Y.encodeStateAsUpdate(doc);
  const result = lint(doc, update, more);
  expect(result).toMatchObject({ verdict, reason: expect.stringMatching(reason) });
  if (result.verdict !== 'ok') expect(new TextEncoder().encode(result.reason).length).toBeLessThanOrEqual(123);
  expect(Y.encodeStateAsUpdate(doc)).toEqual(before);
  return result;
}

/** Update of a doc of its own, made by Yjs. */
function madeBy(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = eve;
  change(doc);
  return Y.encodeStateAsUpdate(doc);
}

describe('what a hostile client sends is refused before it is merged', () => {
  test('an update cut at every byte, and one with bytes behind', () => {
    const { doc, ann } = begin();
    ann.set('doc', { content: 'x', title: 'ü' }).set('some-uid1', { description: 'a', pos: 1.5, verified: false });
    ann.root.delete('doc:title');
    const update = Y.encodeStateAsUpdate(ann.doc, Y.encodeStateVector(doc));
    expect(lint(doc, update, options).verdict).toBe('ok');
    for (let length = 0; length < update.length; length += 1) {
      expectRefused(doc, update.subarray(0, length), 'fault', /cut off/);
    }
    expectRefused(doc, Uint8Array.from([...update, 0, 0, 0, 0]), 'fault', /after the end/);
  });

  test('one that is too large', () => {
    const { doc } = begin();
    const update = madeBy((doc) => doc.getMap('plan').set('doc:content', 'x'.repeat(1_000)));
    expectRefused(doc, update, 'fault', /more than 1000 bytes/, { bytesMax: 1_000 });
    expect(lint(doc, update, { bytesMax: update.length }).verdict).toBe('ok');
  });

  test('a missing earlier update is a gap, among structs, origins and deletes', () => {
    const { doc, ann } = begin();
    ann.set('doc', { title: 'first' });
    const between = Y.encodeStateVector(ann.doc);
    ann.set('doc', { title: 'second' });
    expectRefused(doc, Y.encodeStateAsUpdate(ann.doc, between), 'gap', /known up to 0/);
    const bob = new Y.Doc();
    Y.applyUpdate(bob, Y.encodeStateAsUpdate(ann.doc));
    bob.getMap('plan').set('doc:title', 'third');
    expectRefused(doc, Y.encodeStateAsUpdate(bob, Y.encodeStateVector(ann.doc)), 'gap', /not known|up to/);
    expectRefused(doc, rawUpdate([], [{ client: eve, ranges: [[0, 1]] }]), 'gap', /deletes client/);
    const { clientID } = doc;
    const known = Y.getState(doc.store, clientID);
    expect(lint(doc, rawUpdate([], [{ client: clientID, ranges: [[0, known]] }]), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate([], [{ client: clientID, ranges: [[0, known + 1]] }]), 'gap', /deletes client/);
  });

  const value = any(str('x'));
  const one = (struct: readonly number[]): RawRun[] => [{ client: eve, clock: 0, structs: [struct] }];
  test.each<[string, RawRun[], 'gap' | 'fault', RegExp]>([
    ['a struct without content', one(gc(1)), 'fault', /without content/],
    ['clock poisoning by such a struct', one(gc(2 ** 53 - 1)), 'fault', /without content/],
    ['clock poisoning by a deleted struct', one(first('doc:title', deleted(2 ** 31))), 'fault', /clock/],
    ['a long deleted struct', one(first('doc:title', deleted(20_001))), 'fault', /too many operations/],
    ['a deleted struct of nothing', one(first('doc:title', deleted(0))), 'fault', /malformed/],
    ['a hole', one(skip(1)), 'gap', /hole/],
    [
      'more structs than it has',
      [{ client: eve, clock: 0, structs: [], count: 1_000_000 }],
      'fault',
      /too many structs/,
    ],
    ['an empty run', [{ client: eve, clock: 0, structs: [] }], 'fault', /empty/],
    [
      'a client id of 33 bits',
      [{ client: 2 ** 32, clock: 0, structs: [first('doc:title', value)] }],
      'fault',
      /32 bits/,
    ],
    [
      'the same client twice',
      [...one(first('doc:title', value)), ...one(first('doc:status', value))],
      'fault',
      /repeated/,
    ],
    ['a foreign root', one(first('doc:title', value, 'other')), 'fault', /root/],
    ['a root called __proto__', one(first('doc:title', value, '__proto__')), 'fault', /root/],
    ['a key called __proto__', one(first('__proto__', value)), 'fault', /key/],
    ['a key without a field', one(first('doc:', value)), 'fault', /key/],
    ['a long key', one(first(`${'a'.repeat(65)}:title`, value)), 'fault', /key/],
    ['a key with blanks', one(first('doc:ti tle', value)), 'fault', /key/],
    ['no value', one(first('doc:title', any())), 'fault', /malformed/],
    ['null', one(first('doc:title', any([126]))), 'fault', /neither/],
    ['undefined', one(first('doc:title', any([127]))), 'fault', /neither/],
    ['a big integer', one(first('doc:title', any([122, 0, 0, 0, 0, 0, 0, 0, 1]))), 'fault', /neither/],
    ['bytes', one(first('doc:title', any([116, 1, 0]))), 'fault', /neither/],
    ['not a number', one(first('doc:title', any([124, 0x7f, 0xc0, 0, 0]))), 'fault', /finite/],
    ['infinity', one(first('doc:title', any([123, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0]))), 'fault', /finite/],
    ['a type of value that there is not', one(first('doc:title', any([5]))), 'fault', /neither/],
    ['ill-formed UTF-8', one(first('doc:title', any([119, 2, 0xc3, 0x28]))), 'fault', /malformed/],
    ['an array ten thousand deep', one(first('doc:title', any(Array(20_000).fill(117)))), 'fault', /neither/],
    ['an object with a foreign prototype', one(first('doc:title', any([118, 1]))), 'fault', /neither/],
    ['list content in a map', one([0x60 | 8, eve, 0, ...value.bytes]), 'fault', /list/],
    ['content without a key', one([8, 1, 4, 0x70, 0x6c, 0x61, 0x6e, ...value.bytes]), 'fault', /without a key/],
    ['a parent that is a struct', one([0x28, 0, eve, 0, ...value.bytes]), 'fault', /type inside/],
    ['a struct after itself', one(behind(eve, 0, value)), 'fault', /after itself/],
    ['a struct after a later one', one(behind(eve, 5, value)), 'fault', /after itself/],
  ])('%s', (_, raw, verdict, reason) => {
    expectRefused(begin().doc, rawUpdate(raw), verdict, reason);
  });

  test.each<[string, (doc: Y.Doc) => void]>([
    [
      'deep content',
      (doc) => doc.getMap('plan').set('doc:title', JSON.parse(`${'['.repeat(6_000)}${']'.repeat(6_000)}`)),
    ],
    ['an object', (doc) => doc.getMap('plan').set('doc:title', { isAdmin: true })],
    ['a nested map', (doc) => doc.getMap('plan').set('doc:title', new Y.Map())],
    ['a nested text', (doc) => doc.getMap('plan').set('doc:title', new Y.Text('x'))],
    ['a subdocument', (doc) => doc.getMap('plan').set('doc:title', new Y.Doc())],
    ['binary', (doc) => doc.getMap('plan').set('doc:title', new Uint8Array(3))],
    ['another root', (doc) => doc.getMap('other').set('a:b', 1)],
    ['an array as root', (doc) => doc.getArray('plan').push(['x'])],
    ['a text as root', (doc) => doc.getText('plan').insert(0, 'x', { bold: true })],
    ['XML', (doc) => doc.getXmlFragment('plan').insert(0, [new Y.XmlElement('p')])],
  ])('%s, made by Yjs', (_, change) => {
    expectRefused(begin().doc, madeBy(change), 'fault', /./);
  });

  test('version 2, in which 23 bytes become a million structs', () => {
    const { doc, ann } = begin();
    ann.set('doc', { title: 'x' });
    const update = Y.encodeStateAsUpdateV2(ann.doc, Y.encodeStateVector(doc));
    expect(lint(doc, update, options).verdict).not.toBe('ok');
  });

  test('structs that wait for each other', () => {
    const structs = (other: number): number[][] => [behind(other, 0, value)];
    const ring = [
      { client: 5, clock: 0, structs: structs(6) },
      { client: 6, clock: 0, structs: structs(5) },
    ];
    expectRefused(begin().doc, rawUpdate(ring), 'fault', /ring/);
  });

  test('deletes that are empty, out of order, overlap, or name a client twice', () => {
    const { doc } = begin();
    const client = doc.clientID;
    const bad: RawDeletes[][] = [
      [{ client, ranges: [[0, 0]] }],
      [
        {
          client,
          ranges: [
            [4, 2],
            [0, 1],
          ],
        },
      ],
      [
        {
          client,
          ranges: [
            [0, 5],
            [4, 5],
          ],
        },
      ],
      [{ client, ranges: [] }],
      [
        { client, ranges: [[0, 1]] },
        { client, ranges: [[1, 1]] },
      ],
    ];
    for (const deletes of bad) expectRefused(doc, rawUpdate([], deletes), 'fault', /deletes/);
    expect(
      lint(
        doc,
        rawUpdate(
          [],
          [
            {
              client,
              ranges: [
                [0, 1],
                [1, 1],
              ],
            },
          ],
        ),
        options,
      ).verdict,
    ).toBe('ok');
  });
});

describe('limits, at the limit and above', () => {
  const value = any(str(''));
  const chain = (count: number, clock = 0): number[][] =>
    Array.from({ length: count }, (_, index) =>
      clock + index === 0 ? first('doc:title', value) : behind(eve, clock + index - 1, value),
    );

  test('structs and operations', () => {
    const { doc } = begin();
    const { structsPerUpdateMax: max } = mirrorLimits;
    expect(lint(doc, rawUpdate([{ client: eve, clock: 0, structs: chain(max) }]), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate([{ client: eve, clock: 0, structs: chain(max + 1) }]), 'fault', /too many structs/);
  });

  test('new client ids', () => {
    const { doc } = begin();
    const ids = (count: number): RawRun[] =>
      Array.from({ length: count }, (_, index) => ({
        client: 1_000 + index,
        clock: 0,
        structs: [first(`row-${1_000_000 + index}:title`, value)],
      }));
    expect(lint(doc, rawUpdate(ids(64)), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate(ids(65)), 'fault', /new client ids/);
  });

  test('keys', () => {
    const { doc } = begin();
    const { keysPerUpdateMax: max } = mirrorLimits;
    const keys = Array.from({ length: max + 1 }, (_, index) => first(`row-${1_000_000 + index}:title`, value));
    expect(lint(doc, rawUpdate([{ client: eve, clock: 0, structs: keys.slice(1) }]), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate([{ client: eve, clock: 0, structs: keys }]), 'fault', /too many keys/);
  });

  test('writes beside the values of a key with a long past', () => {
    const { doc } = begin();
    const { structsPerUpdateMax: max, forkStepsPerUpdateMax } = mirrorLimits;
    // Two keys in turn, so that Yjs cannot join the values of one.
    const turn = (clock: number): number[] =>
      clock < 2 ? first(`doc:${clock === 0 ? 'title' : 'status'}`, value) : behind(eve, clock - 2, value);
    for (let clock = 0; clock < 5 * max; clock += max) {
      const structs = Array.from({ length: max }, (_, index) => turn(clock + index));
      Y.applyUpdate(doc, rawUpdate([{ client: eve, clock, structs }]));
    }
    const beside = (count: number): RawRun[] =>
      Array.from({ length: count }, (_, index) => ({
        client: 9 + index,
        clock: 0,
        structs: [first('doc:title', value)],
      }));
    const allowed = Math.floor(forkStepsPerUpdateMax / (2.5 * max));
    expect(lint(doc, rawUpdate(beside(allowed)), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate(beside(allowed + 1)), 'fault', /beside each other/);
  });

  test('writes beside each other', () => {
    const { doc } = begin();
    const beside = (count: number): RawRun[] =>
      Array.from({ length: count }, (_, index) => ({
        client: 9 + index,
        clock: 0,
        structs: [first('doc:title', value)],
      }));
    expect(lint(doc, rawUpdate(beside(mirrorLimits.forksPerKeyMax + 1)), options).verdict).toBe('ok');
    expectRefused(doc, rawUpdate(beside(mirrorLimits.forksPerKeyMax + 2)), 'fault', /beside each other/);
    const oneClient = [first('doc:title', value), ...Array.from({ length: 9 }, () => first('doc:title', value))];
    expectRefused(doc, rawUpdate([{ client: eve, clock: 0, structs: oneClient }]), 'fault', /beside/);
    const fan = [first('doc:title', value), ...Array.from({ length: 10 }, () => behind(eve, 0, value))];
    expectRefused(doc, rawUpdate([{ client: eve, clock: 0, structs: fan }]), 'fault', /beside/);
    Y.applyUpdate(doc, rawUpdate([{ client: eve, clock: 0, structs: chain(100) }]));
    const inside = Array.from({ length: 9 }, (_, index) => behind(eve, 10 * index, value));
    expectRefused(doc, rawUpdate([{ client: 8, clock: 0, structs: inside }]), 'fault', /beside/);
  });

  test('deletes of what is there; what was deleted before does not count', () => {
    const room = new MirrorRoom();
    const { doc } = room.mirror;
    const { deletesPerUpdateMax: max } = mirrorLimits;
    const root = doc.getMap('plan');
    doc.transact(() => {
      for (let index = 0; index <= max; index += 1) root.set(`row-${1_000_000 + index}:title`, index);
    });
    const whole: RawDeletes[] = [{ client: doc.clientID, ranges: [[0, Y.getState(doc.store, doc.clientID)]] }];
    expectRefused(doc, rawUpdate([], whole), 'fault', /too many deletes/);
    doc.transact(() => {
      for (let index = 0; index < 100; index += 1) root.delete(`row-${1_000_000 + index}:title`);
    });
    expect(lint(doc, rawUpdate([], whole), options).verdict).toBe('ok');
  });
});

describe('client ids', () => {
  test('nobody adds to what the server, or another actor, wrote; what is known already may be repeated', () => {
    const { room, doc, ann } = begin();
    const known = Y.getState(doc.store, doc.clientID);
    const forged = rawUpdate([
      { client: doc.clientID, clock: known, structs: [first('aaaaaaaa:title', any(str('x')))] },
    ]);
    expect(expectRefused(doc, forged, 'fault', /belongs/)).toMatchObject({ forbidden: true });
    const bob = room.client('bob');
    bob.set('doc', { content: 'by bob' }).sync();
    const mayAppend = (client: number): boolean => client !== bob.doc.clientID;
    ann.pull();
    ann.set('doc', { content: 'by ann' });
    const whole = lint(doc, Y.encodeStateAsUpdate(ann.doc), { ...options, mayAppend });
    expect(whole).toMatchObject({ verdict: 'ok', clients: [ann.doc.clientID] });
    bob.set('doc', { content: 'more' });
    const carried = Y.encodeStateAsUpdate(bob.doc);
    expect(lint(doc, carried, { ...options, mayAppend })).toMatchObject({ verdict: 'fault', forbidden: true });
  });

  test.each(['value', 'key', 'place'])('two copies that write with one id are found by their %s', (what) => {
    const { room, doc, ann } = begin();
    const twin = room.client('ann');
    twin.doc.clientID = ann.doc.clientID;
    ann.set('doc', { content: 'one' }).sync();
    if (what === 'value') twin.set('doc', { content: 'two' });
    else if (what === 'key') twin.set('doc', { title: 'one' });
    else twin.set(room.uid('task-1'), { description: 'one' });
    expectRefused(doc, Y.encodeStateAsUpdate(twin.doc), 'fault', /used twice/);
    twin.set('doc', { author: 'x' });
    expectRefused(doc, Y.encodeStateAsUpdate(twin.doc), 'fault', /used twice/);
  });
});

/** Everything an honest client may do to its doc, with and without an undo manager and garbage collection. */
function playHonestly(random: Random, doc: Y.Doc, undo: Y.UndoManager | undefined): void {
  const root = doc.getMap('plan');
  const key = `${random.pick(['doc', 'aaaaaaaa', 'bbbbbbbb'])}:${random.pick(['title', 'pos', 'status'])}`;
  doc.transact(() => {
    for (let count = random.between(1, 4); count > 0; count -= 1) {
      if (random.next() < 0.2) root.delete(key);
      else
        root.set(key, random.pick<string | number | boolean>(['', 'x', 'ü😀', 0, -7, 1.5, 2 ** 40, -0.1, true, false]));
    }
  }, 'user');
  if (random.next() < 0.2) undo?.undo();
  if (random.next() < 0.1) undo?.redo();
  if (random.next() < 0.05) undo?.clear();
}

test(
  'whatever honest clients send passes, says what Yjs says, and merges completely',
  () => {
    const seed = testSeed('honest updates');
    let longest = 0;
    for (let run = 0; run < runs(80, 3_000); run += 1) {
      const random = new Random(seed + run);
      const server = new Y.Doc();
      server.getMap('plan').set('meta:schema', 1);
      const made = () => {
        const doc = new Y.Doc({ gc: random.next() < 0.7 });
        doc.getMap('plan');
        const undo = random.next() < 0.6 ? new Y.UndoManager(doc.getMap('plan'), { captureTimeout: 0 }) : undefined;
        const sent: Uint8Array[] = [];
        doc.on('update', (update: Uint8Array, origin: unknown) => {
          if (origin !== 'server') sent.push(update);
        });
        return { doc, undo, sent };
      };
      let clients = [made(), made(), made()];
      const take = (update: Uint8Array): void => {
        const verdict = lint(server, update, options);
        expect(verdict, `seed ${seed + run}: ${JSON.stringify(verdict)}`).toMatchObject({ verdict: 'ok' });
        for (const struct of Y.decodeUpdate(update).structs) longest = Math.max(longest, struct.length);
        Y.applyUpdate(server, update);
        expect(server.store.pendingStructs).toBeNull();
        expect(server.store.pendingDs).toBeNull();
      };
      for (let step = 0; step < 80; step += 1) {
        const client = random.pick(clients);
        const choice = random.next();
        if (choice < 0.6) playHonestly(random, client.doc, client.undo);
        else if (choice < 0.7) Y.applyUpdate(client.doc, Y.encodeStateAsUpdate(server), 'server');
        else if (choice < 0.75) Y.applyUpdate(client.doc, Y.encodeStateAsUpdate(random.pick(clients).doc), 'peer');
        else if (choice < 0.8) take(Y.encodeStateAsUpdate(client.doc, Y.encodeStateVector(server)));
        else if (choice < 0.83) take(Y.encodeStateAsUpdate(client.doc));
        else if (choice < 0.86) take(Y.diffUpdate(Y.encodeStateAsUpdate(client.doc), Y.encodeStateVector(server)));
        else if (choice < 0.92 && client.sent.length > 0) {
          const all = client.sent.splice(0);
          // What came from a peer may rest on what the server has not seen.
          const merged = Y.mergeUpdates(all);
          if (lint(server, merged, options).verdict !== 'gap') take(merged);
        } else if (choice < 0.95) server.getMap('plan').set('doc:title', step);
        else {
          // A page load: a new doc over what was kept, with a new client id.
          const next = made();
          Y.applyUpdate(next.doc, Y.encodeStateAsUpdate(client.doc));
          clients = clients.map((each) => (each === client ? next : each));
        }
      }
      for (const { doc } of clients) take(Y.encodeStateAsUpdate(doc));
    }
    expect(longest, 'joined structs were among them').toBeGreaterThan(1);
  },
  runs(60_000, 900_000),
);

test(
  'of updates with random bytes changed, what passes merges completely and leaves scalars in one root',
  () => {
    const seed = testSeed('bytes of updates');
    const random = new Random(seed);
    const room = new MirrorRoom().with('A', 'one', 'two');
    const state = Y.encodeStateAsUpdate(room.mirror.doc);
    const ann = room.client();
    ann
      .set('doc', { content: 'x', title: 'ü', number: 1.5 })
      .addTask('some-task', room.group('A'), 'new')
      .remove(room.uid('task-1'));
    ann.set('doc', { title: 'again' });
    ann.root.delete('doc:content');
    const honest = Y.encodeStateAsUpdate(ann.doc, Y.encodeStateVector(room.mirror.doc));
    let passed = 0;
    for (let run = 0; run < runs(20_000, 500_000); run += 1) {
      const update = Uint8Array.from(honest);
      for (let count = random.between(1, 3); count > 0; count -= 1) {
        update[random.between(0, update.length - 1)] =
          random.next() < 0.5 ? random.between(0, 255) : random.between(0, 3);
      }
      if (lint(room.mirror.doc, update, options).verdict !== 'ok') continue;
      passed += 1;
      const doc = new Y.Doc();
      const root = doc.getMap('plan');
      Y.applyUpdate(doc, state);
      Y.applyUpdate(doc, update);
      expect([doc.store.pendingStructs, doc.store.pendingDs, [...doc.share.keys()]]).toEqual([null, null, ['plan']]);
      expect(root._start).toBeNull();
      for (const value of root.values()) expect(['string', 'number', 'boolean']).toContain(typeof value);
      for (const structs of doc.store.clients.values()) for (const each of structs) expect(each).toBeInstanceOf(Y.Item);
    }
    expect(passed).toBeGreaterThan(100);
  },
  runs(60_000, 900_000),
);
