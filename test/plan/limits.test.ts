import { describe, expect, test } from 'vitest';
import { fitsBytes, limits, utf8Bytes } from '../../shared/plan/limits.ts';
import { exportHeader } from '../../shared/plan/markdown-format.ts';
import { type Mutation, mutationSchema } from '../../shared/plan/mutation.ts';
import { PlanHarness } from '../support/plan-harness.ts';

/** `bytes` bytes of three-byte characters, so that characters and bytes cannot be mixed up. */
function wide(bytes: number): string {
  return '語'.repeat(Math.floor(bytes / 3)) + 'a'.repeat(bytes % 3);
}

const start = (): PlanHarness => {
  const room = new PlanHarness().with('A', 'one');
  room.accept({ type: 'document.write', content: 'a' });
  return room;
};

describe('texts at their limit in UTF-8 bytes, and one past it', () => {
  test.each<[keyof typeof limits, (text: string) => Mutation]>([
    ['descriptionBytesMax', (description) => ({ type: 'task.add', description })],
    ['descriptionBytesMax', (description) => ({ type: 'task.edit', task: 'task-1', description })],
    ['descriptionBytesMax', (description) => ({ type: 'tasks.replace', items: [{ description }] })],
    ['descriptionBytesMax', (text) => ({ type: 'plan.load', markdown: `## A\n- [ ] ${text}` })],
    ['groupTitleBytesMax', (title) => ({ type: 'group.add', title })],
    ['groupTitleBytesMax', (title) => ({ type: 'group.edit', group: 'A', title })],
    ['groupTitleBytesMax', (group) => ({ type: 'task.add', description: 'a', group })],
    ['groupTitleBytesMax', (group) => ({ type: 'tasks.replace', items: [{ description: 'a', group }] })],
    ['groupTitleBytesMax', (title) => ({ type: 'plan.load', markdown: `## ${title}` })],
    ['evidenceBytesMax', (evidence) => ({ type: 'group.verify', group: 'A', evidence })],
    [
      'evidenceBytesMax',
      (text) => ({ type: 'plan.load', markdown: `${exportHeader}\n## A\n* tests verified: ${text}` }),
    ],
    ['documentLabelBytesMax', (title) => ({ type: 'document.write', title })],
    ['documentLabelBytesMax', (status) => ({ type: 'document.status', status })],
    ['documentLabelBytesMax', (text) => ({ type: 'plan.load', markdown: `${exportHeader}\n* author: ${text}\n> a` })],
    ['contentBytesMax', (content) => ({ type: 'document.write', content })],
    ['contentBytesMax', (content) => ({ type: 'plan.load', markdown: `${exportHeader}\n> ${content}` })],
    ['dependencyIdBytesMax', (id) => ({ type: 'task.add', description: 'a', dependsOn: [id] })],
    ['dependencyIdBytesMax', (id) => ({ type: 'tasks.replace', items: [{ description: 'a', dependsOn: [id] }] })],
    ['dependencyIdBytesMax', (id) => ({ type: 'plan.load', markdown: `## A\n- [ ] a\n- depends: ${id}` })],
    ['labelBytesMax', (label) => ({ type: 'task.edit', task: 'task-1', labels: [label] })],
    [
      'labelBytesMax',
      (label) => ({ type: 'plan.load', markdown: `${exportHeader}\n## A\n- [ ] a\n- labels: ${label}` }),
    ],
    ['priorityBytesMax', (priority) => ({ type: 'task.edit', task: 'task-1', priority })],
    [
      'priorityBytesMax',
      (text) => ({ type: 'plan.load', markdown: `${exportHeader}\n## A\n- [ ] a\n- priority: ${text}` }),
    ],
    [
      'actorNameBytesMax',
      (actor) => ({
        type: 'plan.load',
        markdown: `${exportHeader}\n## A\n- [ ] a\n- status: in_progress\n- started by: ${actor}`,
      }),
    ],
  ])('%s: %o', (name, mutation) => {
    const max = limits[name];
    start().accept(mutation(wide(max)));
    const { facts, message } = start().refuse('too_long', mutation(wide(max + 1)));
    expect(facts).toMatchObject({ bytes: max + 1, bytesMax: max });
    expect(message).toContain(String(max));
  });

  test('a body of the limit in one-byte characters fits, and one more byte does not', () => {
    start().accept({ type: 'document.write', content: 'a'.repeat(limits.contentBytesMax) });
    start().refuse('too_long', { type: 'document.write', content: 'a'.repeat(limits.contentBytesMax + 1) });
  });
});

describe('lists at their limit, and one past it', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `x${index}`);

  test.each<[keyof typeof limits, (count: number) => Mutation]>([
    ['dependenciesPerTaskMax', (n) => ({ type: 'task.add', description: 'a', dependsOn: many(n) })],
    ['dependenciesPerTaskMax', (n) => ({ type: 'plan.load', markdown: `## A\n- [ ] a\n- depends: ${many(n)}` })],
    ['labelsPerTaskMax', (n) => ({ type: 'task.add', description: 'a', labels: many(n) })],
    [
      'labelsPerTaskMax',
      (n) => ({ type: 'plan.load', markdown: `${exportHeader}\n## A\n- [ ] a\n- labels: ${many(n)}` }),
    ],
  ])('%s: %o', (name, mutation) => {
    start().accept(mutation(limits[name]));
    start().refuse('too_long', mutation(limits[name] + 1));
  });

  test('mutationsPerBatchMax', () => {
    const batch = (count: number) => ({
      type: 'batch',
      mutations: Array.from({ length: count }, () => ({ type: 'group.add', title: 'a' })),
    });
    expect(mutationSchema.safeParse(batch(limits.mutationsPerBatchMax)).success).toBe(true);
    expect(mutationSchema.safeParse(batch(limits.mutationsPerBatchMax + 1)).success).toBe(false);
    expect(mutationSchema.safeParse(batch(0)).success).toBe(false);
  });

  test('tasksPerRoomMax: by adding, by a full list, and by loading', () => {
    const max = limits.tasksPerRoomMax;
    const list = (count: number) => many(count).map((description) => ({ description }));
    const room = new PlanHarness();
    room.accept({ type: 'tasks.replace', items: list(max) });
    room.refuse('limit_reached', { type: 'task.add', description: 'one more' });
    room.refuse('limit_reached', { type: 'tasks.replace', items: [{ description: 'one more' }] });
    room.accept({ type: 'tasks.replace', items: [...list(max - 1), { description: 'another' }], base: 1 });
    expect(room.plan.taskCount).toBe(max);
    const file = (count: number): string => `## A\n${'- [ ] a\n'.repeat(count)}`;
    room.accept({ type: 'plan.load', markdown: file(max) });
    expect(room.refuse('limit_reached', { type: 'plan.load', markdown: file(max + 1) }).message).toContain(
      '10000 tasks',
    );
  });

  test('groupsPerRoomMax: by adding, on the way, by a full list, and by loading', () => {
    const max = limits.groupsPerRoomMax;
    const room = new PlanHarness();
    room.accept({ type: 'plan.load', markdown: '## a\n'.repeat(max) });
    room.refuse('limit_reached', { type: 'group.add', title: 'b' });
    room.refuse('limit_reached', { type: 'task.add', description: 'x', group: 'b' });
    room.accept({ type: 'task.add', description: 'x', group: 'a' });
    room.refuse('limit_reached', { type: 'task.edit', task: 'task-1', group: 'b' });
    room.refuse('limit_reached', { type: 'task.move', task: 'task-1', group: 'b' });
    room.refuse('limit_reached', { type: 'tasks.replace', items: [{ description: 'y', group: 'b' }] });
    room.refuse('limit_reached', { type: 'plan.load', markdown: '## a\n'.repeat(max + 1) });
  });

  test('mergeNagsPerWriteMax: more kept rows than that are counted instead of told', () => {
    const max = limits.mergeNagsPerWriteMax;
    const room = new PlanHarness();
    const items = many(max + 2).map((description) => ({ description }));
    room.accept({ type: 'tasks.replace', items });
    room.accept({ type: 'tasks.replace', items: items.map((item) => ({ ...item, status: 'completed' })), base: 1 });
    const { nags } = room.accept({ type: 'tasks.replace', items: [], base: 1 }, 'bob');
    expect(nags).toHaveLength(max + 1);
    expect(nags.at(-1)?.message).toMatch(/^2 more rows/);
  });
});

describe('answers stay within what a connection carries', () => {
  const waiting = (count: number): PlanHarness => {
    const first = { description: 'first', key: 'k' };
    const others = Array.from({ length: count }, (_, index) => ({ description: `t${index}`, dependsOn: ['k'] }));
    const room = new PlanHarness();
    room.accept({ type: 'tasks.replace', items: [first, ...others] });
    return room;
  };

  test('nagsPerMutationMax: that many notes are given, and one past it a single entry says that there is more', () => {
    const max = limits.nagsPerMutationMax;
    const notes = (count: number) => waiting(count).accept({ type: 'task.complete', task: 'task-1' }).nags;
    expect(notes(max).at(-1)?.message).toContain(`'task-${max + 1}'`);
    expect(notes(max)).toHaveLength(max);
    for (const count of [max + 1, max + 9]) {
      expect(notes(count)).toHaveLength(max + 1);
      expect(notes(count).at(-1)).toMatchObject({
        code: 'dependents',
        message: expect.stringMatching(/more.*Re-read/),
      });
    }
  });

  test('nagsPerMutationMax: every dependency a task may have gets its note; a batch and a full list share the bound', () => {
    const max = limits.nagsPerMutationMax;
    const dependsOn = Array.from({ length: limits.dependenciesPerTaskMax }, (_, index) => `x${index}`);
    const add = { type: 'task.add', description: 'a', dependsOn } as const;
    expect(new PlanHarness().accept(add).nags).toHaveLength(limits.dependenciesPerTaskMax);
    expect(new PlanHarness().accept({ type: 'batch', mutations: [add, add, add] }).nags).toHaveLength(max + 1);
    const items = [1, 2, 3].map((number) => ({ description: `${number}`, dependsOn }));
    expect(new PlanHarness().accept({ type: 'tasks.replace', items }).nags).toHaveLength(max + 1);
  });

  test('namesPerMessageMax: one message names that many tasks, and counts those past it', () => {
    const max = limits.namesPerMessageMax;
    const gone = (count: number): string =>
      waiting(count).accept({ type: 'task.remove', task: 'task-1' }).nags[0]?.message ?? '';
    expect(gone(max)).toContain(`, and 'task-${max + 1}' still`);
    expect(gone(max + 7)).toContain(`'task-${max + 1}', and 7 more still`);
    const room = waiting(max + 1);
    room.accept({ type: 'plan.policy', inProgress: 'any' });
    for (let number = 2; number <= max + 2; number += 1) room.accept({ type: 'task.start', task: `task-${number}` });
    room.accept({ type: 'plan.policy', inProgress: 'one-per-plan' });
    const { message, facts } = room.refuse('busy', { type: 'task.start', task: 'task-1' });
    expect(message).toContain('and 1 more are');
    expect(facts?.busy).toHaveLength(max);
  });
});

describe('counting bytes', () => {
  test('the quick check and the count agree', () => {
    for (const text of ['', 'a', 'é', '語', '😀', 'aé語😀']) {
      const bytes = Buffer.byteLength(text);
      expect(utf8Bytes(text)).toBe(bytes);
      expect(fitsBytes(text, bytes)).toBe(true);
      expect(fitsBytes(text, bytes - 1)).toBe(false);
    }
  });
});

describe('dependencies of all tasks together', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `x${index}`);
  const items = (count: number, each: number) =>
    Array.from({ length: count }, (_, index) => ({ description: `t${index}`, dependsOn: names(each) }));

  test('dependenciesPerMutationMax: a list and a batch state as many, not one more', () => {
    const { dependenciesPerMutationMax: max, dependenciesPerTaskMax: perTask } = limits;
    const full = items(Math.floor(max / perTask), perTask);
    const rest = max - full.length * perTask;
    const list = [...full, { description: 'rest', dependsOn: names(rest) }];
    new PlanHarness().accept({ type: 'tasks.replace', items: list });
    const over = [...list, { description: 'one more', dependsOn: names(1) }];
    const refused = new PlanHarness().refuse('too_long', { type: 'tasks.replace', items: over });
    expect(refused.facts).toEqual({ dependencies: max + 1, dependenciesPerMutationMax: max });
    const adds = over.map((item) => ({ type: 'task.add', ...item }) as const);
    new PlanHarness().refuse('too_long', { type: 'batch', mutations: adds });
  });

  test('dependenciesPerRoomMax: past it nothing is added, and what takes some away goes through', () => {
    const { dependenciesPerRoomMax: max, dependenciesPerMutationMax: perMutation } = limits;
    const room = new PlanHarness();
    for (let left = max; left > 0; left -= perMutation) {
      const list = items(Math.floor(perMutation / 250), 250);
      room.accept({ type: 'batch', mutations: list.map((item) => ({ type: 'task.add', ...item }) as const) });
    }
    expect(room.plan.dependencyCount).toBe(max);
    room.refuse('limit_reached', { type: 'task.add', description: 'a', dependsOn: ['task-1'] });
    room.accept({ type: 'task.edit', task: 'task-1', dependsOn: [] });
    room.accept({ type: 'task.add', description: 'a', dependsOn: ['task-1'] });
    room.accept({ type: 'task.remove', task: 'task-2' });
    expect(room.plan.dependencyCount).toBe(max - 499);
  });
});
