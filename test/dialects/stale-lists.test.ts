import { describe, expect, test } from 'vitest';
import { SharedRoom } from './support/shared-room.ts';

/** Callers that keep their own list and never take up what an answer showed them, again and again. */

type Send = (...entries: readonly (readonly [text: string, status?: string])[]) => Record<string, unknown>;

const senders: readonly (readonly [dialect: string, tool: string, send: Send])[] = [
  [
    'cosh',
    'plan_todo_write',
    (...all) => ({ todos: all.map(([description, status = 'pending']) => ({ description, status })) }),
  ],
  [
    'claude-code',
    'TodoWrite',
    (...all) => ({ todos: all.map(([content, status = 'pending']) => ({ content, status, activeForm: content })) }),
  ],
  ['codex', 'update_plan', (...all) => ({ plan: all.map(([step, status = 'pending']) => ({ step, status })) })],
  [
    'deepagents',
    'write_todos',
    (...all) => ({ todos: all.map(([content, status = 'pending']) => ({ content, status })) }),
  ],
  [
    'opencode',
    'todowrite',
    (...all) => ({ todos: all.map(([content, status = 'pending']) => ({ content, status, priority: 'medium' })) }),
  ],
  [
    'gemini',
    'write_todos',
    (...all) => ({ todos: all.map(([description, status = 'pending']) => ({ description, status })) }),
  ],
  [
    'cursor',
    'todo_write',
    (...all) => ({
      merge: false,
      todos: all.map(([content, status = 'pending']) => ({ id: content, content, status })),
    }),
  ],
];

describe.each(senders)('%s', (dialect, tool, send) => {
  test('a list sent again and again never drops the work of another, whatever its answers showed', async () => {
    const room = new SharedRoom();
    const [ann, bob] = [room.desk(dialect, 'ann'), room.desk(dialect, 'bob')];
    await ann.call(tool, send(['A1', 'in_progress']));
    await bob.call(tool, send(['B1', 'in_progress'], ['B2']));
    for (const desk of [ann, ann, bob, ann, bob, bob]) {
      await desk.call(tool, desk === ann ? send(['A1', 'in_progress']) : send(['B1', 'in_progress'], ['B2']));
      expect(await room.list()).toEqual(['in_progress A1', 'in_progress B1', 'pending B2']);
    }
    await ann.call(tool, send(['A1', 'completed']));
    await ann.call(tool, send());
    expect(await room.list()).toEqual(['in_progress B1', 'pending B2']);
  });

  test('what others renamed and started stays so, however often the old list comes', async () => {
    const room = new SharedRoom();
    const ann = room.desk(dialect, 'ann');
    await ann.call(tool, send(['A1'], ['A2']));
    const { uid } = await room.task('A2');
    await room.submit({ type: 'task.edit', task: uid, description: 'A2 better' });
    await room.submit({ type: 'task.start', task: uid });
    for (let turn = 0; turn < 3; turn += 1) {
      await ann.call(tool, send(['A1'], ['A2']));
      expect(await room.list()).toEqual(['pending A1', 'in_progress A2 better']);
    }
    await ann.call(tool, send(['A1'], ['A2', 'completed']));
    expect(await room.list()).toEqual(['pending A1', 'completed A2 better']);
  });
});

test('sagents: a list of resolved todos does not clear away what another has open', async () => {
  const room = new SharedRoom();
  const [amy, bob] = [room.desk('sagents', 'amy'), room.desk('sagents', 'bob')];
  await amy.call('write_todos', { merge: false, todos: [{ id: 1, content: 'A', status: 'pending' }] });
  await bob.call('write_todos', { merge: true, todos: [{ id: 9, content: 'B', status: 'in_progress' }] });
  const done = { merge: false, todos: [{ id: 1, content: 'A', status: 'completed' }] };
  for (let turn = 0; turn < 3; turn += 1) {
    const { text } = await amy.call('write_todos', done);
    expect(text).not.toContain('cleared');
    expect(await room.list()).toContain('in_progress B');
  }
});

describe.each(senders)('%s', (dialect, tool, send) => {
  test('a new text in the place of the running work of another is a task of its own', async () => {
    const room = new SharedRoom();
    const [ann, bob] = [room.desk(dialect, 'ann'), room.desk(dialect, 'bob')];
    await bob.call(tool, send(['the work of bob', 'in_progress']));
    await ann.call(tool, send(['the work of bob', 'in_progress']));
    await ann.call(tool, send(['something else of ann', 'pending']));
    expect((await room.list()).sort()).toEqual(['in_progress the work of bob', 'pending something else of ann']);
    expect(await room.task('the work of bob')).toMatchObject({ startedBy: 'bob' });
  });
});

test('sagents: an id that an agent chose keeps meaning its own todo, though the room gave it another', async () => {
  const room = new SharedRoom();
  const [ann, bob] = [room.desk('sagents', 'ann'), room.desk('sagents', 'bob')];
  const list = (name: string, first: string, second: string, merge = false) => ({
    merge,
    todos: [
      { id: 1, content: `${name}1`, status: first },
      { id: 2, content: `${name}2`, status: second },
    ],
  });
  await ann.call('write_todos', list('a', 'in_progress', 'pending'));
  await bob.call('write_todos', list('b', 'in_progress', 'pending'));
  await bob.call('write_todos', list('b', 'completed', 'in_progress'));
  await bob.call('write_todos', list('b', 'completed', 'in_progress', true));
  expect(await room.list()).toEqual(['in_progress a1', 'pending a2', 'completed b1', 'in_progress b2']);
  await ann.call('write_todos', list('a', 'completed', 'in_progress'));
  expect(await room.list()).toEqual(['completed a1', 'in_progress a2', 'completed b1', 'in_progress b2']);
});
