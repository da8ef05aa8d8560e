import { describe, expect, test } from 'vitest';
import { PlanHarness } from '../support/plan-harness.ts';

const written = (): PlanHarness => {
  const room = new PlanHarness();
  room.accept({ type: 'document.write', content: 'one', title: 'T', author: 'ann', status: 'draft' });
  return room;
};

describe('document.write', () => {
  test('[S3 1, 31] the first write makes the document with its labels, at the revision of the Change', () => {
    const { document } = written().plan;
    expect(document).toMatchObject({ content: 'one', title: 'T', author: 'ann', status: 'draft', revision: 1 });
    expect(document.updatedAt).toBe('2030-01-01T00:00:01.000Z');
  });

  test('[S3 2] empty content is refused, before anything else is looked at; white space is content', () => {
    const room = new PlanHarness();
    expect(room.refuse('blank_text', { type: 'document.write', content: '', base: 99 }).message).toMatch(/empty/);
    room.accept({ type: 'document.write', content: ' \n' });
    expect(room.plan.document.content).toBe(' \n');
  });

  test('[S3 9, 10, 32] labels that are not given are kept, given ones replaced', () => {
    const room = written();
    room.accept({ type: 'document.write', content: 'two', author: 'bob' });
    expect(room.plan.document).toMatchObject({
      content: 'two',
      title: 'T',
      author: 'bob',
      status: 'draft',
      revision: 2,
    });
  });

  test('[S3 85] an empty label clears it', () => {
    const room = written();
    room.accept({ type: 'document.write', title: '', status: '' });
    expect(JSON.parse(JSON.stringify(room.plan.document))).toEqual({
      content: 'one',
      author: 'ann',
      revision: 2,
      updatedAt: '2030-01-01T00:00:02.000Z',
    });
  });

  test('[S3 88] labels alone do not make a document', () => {
    new PlanHarness().refuse('document_not_found', { type: 'document.write', title: 'T' });
  });

  test('[S3 25, 29] must-exist and must-not-exist: refused with the revision that is there', () => {
    const room = new PlanHarness();
    room.refuse('document_not_found', { type: 'document.write', content: 'a', mode: 'update' });
    room.accept({ type: 'document.write', content: 'a', mode: 'create' });
    const clash = room.refuse('conflict', { type: 'document.write', content: 'b', mode: 'create' });
    expect(clash.facts).toEqual({ expected: 0, current: 1 });
    expect(clash.message).not.toMatch(/force/);
    room.accept({ type: 'document.write', content: 'b', mode: 'update' });
  });

  test('[S3 46, 48] a stale guard is refused, names both revisions, and says to re-read', () => {
    const room = written();
    room.accept({ type: 'document.write', content: 'two', base: 1 }, 'bob');
    const stale = room.refuse('conflict', { type: 'document.write', content: 'three', base: 1 });
    expect(stale.facts).toEqual({ expected: 1, current: 2 });
    expect(stale.message).toMatch(/2.*1.*[Rr]e-read/);
    expect(room.plan.document.content).toBe('two');
  });

  test('[S3 47] base 0 means «there is none»: it creates, and conflicts when repeated', () => {
    const room = new PlanHarness();
    room.accept({ type: 'document.write', content: 'a', base: 0 });
    expect(room.refuse('conflict', { type: 'document.write', content: 'a', base: 0 }).facts).toEqual({
      expected: 0,
      current: 1,
    });
  });

  test('[S3 49] of eight writers from one revision exactly one wins', () => {
    const room = written();
    const outcomes = Array.from({ length: 8 }, (_, writer) =>
      room.submit({ type: 'document.write', content: `by ${writer}`, base: 1 }),
    );
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
    expect(room.plan.document).toMatchObject({ content: 'by 0', revision: 2 });
  });

  test('without a guard the last writer wins', () => {
    const room = written();
    room.accept({ type: 'document.write', content: 'two' }, 'bob');
    room.accept({ type: 'document.write', content: 'three' }, 'cy');
    expect(room.plan.document.content).toBe('three');
  });

  test('the guard looks at the document alone: tasks that changed since do no harm', () => {
    const room = written().with('A', 'task', 'another');
    room.accept({ type: 'document.write', content: 'two', base: 1 });
    expect(room.plan.document.revision).toBe(4);
  });

  test('a base that has not been yet is refused', () => {
    written().refuse('unknown_revision', { type: 'document.write', content: 'two', base: 2 });
  });

  test('a write that changes no text counts all the same', () => {
    const room = written();
    room.accept({ type: 'document.write', content: 'one' });
    expect(room.plan.document.revision).toBe(2);
  });
});

describe('document.status', () => {
  test('[S3 33, 90] sets the free label alone, and moves the revision', () => {
    const room = written();
    room.accept({ type: 'document.status', status: 'ready 🚀' });
    expect(room.plan.document).toMatchObject({
      content: 'one',
      title: 'T',
      author: 'ann',
      status: 'ready 🚀',
      revision: 2,
    });
  });

  test('[S3 35] an empty status is refused, and so is one without a document', () => {
    written().refuse('blank_text', { type: 'document.status', status: '' });
    new PlanHarness().refuse('document_not_found', { type: 'document.status', status: 'a' });
    new PlanHarness().refuse('blank_text', { type: 'document.status', status: '', base: 9 });
  });

  test('[S3 48] a stale status conflicts, and the label stays', () => {
    const room = written();
    room.accept({ type: 'document.status', status: 'a', base: 1 });
    expect(room.refuse('conflict', { type: 'document.status', status: 'b', base: 1 }).facts).toEqual({
      expected: 1,
      current: 2,
    });
  });
});
