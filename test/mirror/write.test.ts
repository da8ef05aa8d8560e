import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { diff } from '../../shared/mirror/diff.ts';
import { mirrorLimits } from '../../shared/mirror/limits.ts';
import { readFlat, readSnapshot } from '../../shared/mirror/read.ts';
import { writePatch, writePlan } from '../../shared/mirror/write.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { intents, toMutation } from '../support/mutation-generator.ts';
import { runs, testSeed } from '../support/random.ts';
import { expectMirrors, MirrorRoom } from './harness.ts';

function expectNoDifference({ mirror, plan }: MirrorRoom): void {
  const flat = readFlat(mirror.doc);
  const found = diff({ plan, mark: mirror, view: flat, concurrent: new Set(), actor: 'ann' }, new Set(flat.keys()));
  expect(found).toEqual({ steps: [], refusals: [], claims: [] });
}

describe('a plan in a doc', () => {
  test('an empty plan comes back as it was, and so does one with every field', () => {
    const room = new MirrorRoom();
    room.expectSame();
    room.accept({ type: 'document.write', content: '# Plan\n', title: 'T', author: 'ann', status: 'draft' });
    room.accept({ type: 'task.add', group: 'A', description: 'one', priority: 'high', labels: ['x', 'y, "z"'] });
    room.accept({ type: 'task.add', group: 'B', description: 'two 😀', dependsOn: ['task-1', 'a\nb', ''] });
    room.accept({ type: 'task.start', task: 'task-2' }, 'bob with a blank');
    room.accept({ type: 'group.verify', group: 'A', evidence: 'all pass' });
    room.accept({ type: 'plan.policy', strictTerminal: true, inProgress: 'any', fullListWrites: 'replace' });
    room.expectSame();
    expectNoDifference(room);
    const other = { doc: new Y.Doc(), epoch: 'other' };
    writePlan(other, room.plan);
    expectMirrors(other, room.plan);
  });

  test('writing what is there already writes nothing', () => {
    const room = new MirrorRoom().with('A', 'one', 'two');
    const before = Y.encodeStateVector(room.mirror.doc);
    writePlan(room.mirror, room.plan);
    expect(Y.encodeStateVector(room.mirror.doc)).toEqual(before);
  });

  test('a doc that was left behind, or says something else, is brought to the plan', () => {
    const room = new MirrorRoom().with('A', 'one', 'two');
    room.harness.accept({ type: 'task.remove', task: 'task-1' });
    room.harness.accept({ type: 'task.add', description: 'three' });
    const root = room.mirror.doc.getMap('plan');
    root.set('nobodyknows:description', 'x');
    root.set('meta:schema', 7);
    root.set('refused:0', 'kept');
    writePlan(room.mirror, room.plan);
    room.expectSame();
    expect(root.get('refused:0')).toBe('kept');
  });

  test('a body over 256 KiB is mirrored as its size', () => {
    const room = new MirrorRoom();
    room.accept({ type: 'document.write', content: 'ü'.repeat(mirrorLimits.contentBytesMax / 2) });
    expect(readFlat(room.mirror.doc).get('doc:contentBytes')).toBeUndefined();
    room.expectSame();
    room.accept({ type: 'document.write', content: 'ü'.repeat(mirrorLimits.contentBytesMax / 2 + 1) });
    const flat = readFlat(room.mirror.doc);
    expect(flat.get('doc:content')).toBeUndefined();
    expect(flat.get('doc:contentBytes')).toBe(mirrorLimits.contentBytesMax + 2);
    expectNoDifference(room);
    expect(readSnapshot(flat, 'room', 'epoch').document).toMatchObject({ content: '', contentBytes: 262_146 });
  });

  test('a change of one task writes three keys', () => {
    const room = new MirrorRoom().with('A', 'one', 'two');
    const clock = () => Y.getState(room.mirror.doc.store, room.mirror.doc.clientID);
    const before = clock();
    room.accept({ type: 'task.complete', task: 'task-1' });
    expect(clock() - before).toBe(3);
  });

  test('a snapshot leaves out what is not whole and is not fooled by keys and kinds', () => {
    const doc = new Y.Doc();
    const root = doc.getMap('plan');
    const keys = { '__proto__:title': 'P', '__proto__:pos': 'a0', 'constructor:title': 'x', 'nopos000:title': 'x' };
    for (const [key, value] of Object.entries(keys)) root.set(key, value);
    root.set('tasktask:description', { deep: [1] });
    root.set('doc:updated', '[[[');
    root.set('doc:title', 7);
    const snapshot = readSnapshot(readFlat(doc), 'r', 'e');
    expect(snapshot.groups.map(({ uid, title }) => [uid, title])).toEqual([['__proto__', 'P']]);
    expect(snapshot.tasks).toEqual([]);
    expect(snapshot.document).toMatchObject({ content: '', revision: 0 });
    expect(({} as { title?: string }).title).toBeUndefined();
  });
});

test(
  'after any mutation the doc says what the plan says, and nothing differs',
  () => {
    const seed = testSeed('mirror of random mutations');
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(intents, { minLength: 1, maxLength: 30, size: 'max' }), (steps) => {
        const room = new MirrorRoom();
        const copy = new Y.Doc();
        for (const intent of steps) {
          const result = room.harness.submit(toMutation(intent, room.plan), intent.actor);
          if (!result.ok) continue;
          accepted += 1;
          writePatch(room.mirror, room.plan, result.value.change.patch);
          room.expectSame();
        }
        expectNoDifference(room);
        Y.applyUpdate(copy, Y.encodeStateAsUpdate(room.mirror.doc));
        expectMirrors({ doc: copy, epoch: room.mirror.epoch }, Plan.fromSnapshot(room.plan.toSnapshot()));
      }),
      { numRuns: runs(120, 3_000), seed },
    );
    expect(accepted).toBeGreaterThan(300);
  },
  runs(60_000, 900_000),
);
