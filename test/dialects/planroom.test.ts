import { describe, expect, test } from 'vitest';
import { openRooms, submission } from '../support/room-harness.ts';
import { Desk } from './support/desk.ts';

let names = 0;

function open(): { readonly desk: Desk; readonly room: string } {
  const room = `room-${++names}`;
  return { desk: new Desk(openRooms(), 'planroom', { room }), room };
}

const ops = (...list: object[]) => ({ ops: list });

describe('plan_update', () => {
  test('does the ops in order as one Change; an add can be named by its key', async () => {
    const { desk, room } = open();
    const reply = await desk.call('plan_update', {
      ops: [
        { op: 'add', text: 'parser', group: 'Build', key: 'p' },
        { op: 'add', text: 'tests', group: 'Build', after: ['p'], priority: 'high' },
        { op: 'start', id: 'p' },
      ],
    });
    expect(reply.text).toContain('3 ops done; added task-1, task-2.');
    expect(reply.structured).toEqual({ room, revision: 1 });
    const { text } = await desk.call('plan_read', {});
    expect(text).toContain('## Build\ntask-1 [*] parser (by ann)\ntask-2 [ ] tests (high; waits for task-1)');
  });

  test('is all or nothing, and says which op was refused', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    const refused = await desk.refused('plan_update', ops({ op: 'done', id: 'task-1' }, { op: 'start', id: 'task-9' }));
    expect(refused).toMatch(/^Op 2 was refused, so none took effect.*task-9/);
    expect((await desk.call('plan_read', { view: 'all' })).text).toContain('task-1 [ ] one');
  });

  test.each([
    [{ op: 'add' }, 'needs text'],
    [{ op: 'start' }, 'needs id'],
    [{ op: 'verify' }, 'needs group'],
    [{ op: 'fly', id: 'task-1' }, 'op'],
    [{ op: 'start', id: 'task-1', nonsense: 1 }, "no field 'nonsense'. It takes op, id, text"],
    [{ op: 'start', id: 'task-1', text: 'x' }, 'does not take text; it takes id.'],
    [{ op: 'add', text: 'x', id: 'task-1' }, 'does not take id; it takes text'],
    [{ op: 'edit', id: 'task-1' }, 'has nothing to change; it takes text, group'],
  ])('%j is refused: %s', async (op, fact) => {
    const { desk } = open();
    expect(await desk.refused('plan_update', ops(op))).toContain(fact);
    expect((await desk.call('plan_read', {})).structured).toMatchObject({ revision: 0 });
  });

  test('once: the same call again has effect once and gives the first answer', async () => {
    const { desk } = open();
    const args = { ...ops({ op: 'add', text: 'only one' }), once: 'abc' };
    await desk.ok('plan_update', args);
    expect((await desk.call('plan_update', args)).text).toContain(
      'This call had been made before; nothing was done now. It had added task-1.',
    );
    expect((await desk.call('plan_read', {})).structured).toMatchObject({ revision: 1 });
  });

  test('ids are understood as they are written; a key of the call goes first', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }, { op: 'add', text: 'two', after: ['1'] }));
    await desk.ok('plan_update', ops({ op: 'move', id: 'TASK-2', before: 1 }, { op: 'start', id: '2' }));
    expect((await desk.call('plan_read', { view: 'all' })).text).toMatch(/task-2 \[\*\] two[^\n]*\ntask-1 \[ \] one/);
    expect((await desk.call('plan_read', { task: 2 })).text).toContain('after: task-1');
    await desk.ok('plan_update', ops({ op: 'add', text: 'keyed', key: '1' }, { op: 'cancel', id: '1' }));
    expect((await desk.call('plan_read', { task: 'Task-3' })).text).toContain('cancelled');
  });

  test('fields that say nothing do not matter', async () => {
    const { desk } = open();
    const reply = await desk.call('plan_update', ops({ op: 'add', text: 'one', evidence: '', key: 'k' }));
    expect(reply.text).toContain('1 op done; added task-1.');
    await desk.ok('plan_update', ops({ op: 'done', id: '1', text: '', after: [] }));
  });

  test('base refuses what changed since', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    await desk.ok('plan_update', ops({ op: 'edit', id: 'task-1', text: 'two' }), 'bob');
    expect(await desk.refused('plan_update', { ...ops({ op: 'done', id: 'task-1' }), base: 1 })).toContain('changed');
  });

  test('an id that was given anew since the actor looked is refused, not hit', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'mine' }));
    await desk.ok('plan_update', ops({ op: 'remove', id: 'task-1' }, { op: 'add', text: 'another' }), 'bob');
    expect(await desk.refused('plan_update', ops({ op: 'done', id: 'task-1' }))).toContain('another task now');
    await desk.call('plan_read', {});
    await desk.ok('plan_update', ops({ op: 'done', id: 'task-1' }));
  });
});

describe('the digest', () => {
  test('tells once what others did since, and nothing of the actor itself', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }, { op: 'add', text: 'two' }));
    await desk.ok('plan_update', ops({ op: 'start', id: 'task-1' }), 'bob');
    await desk.ok('plan_write_document', { content: 'Hello' }, 'carol');
    const { text } = await desk.call('plan_update', ops({ op: 'start', id: 'task-2' }));
    expect(text).toContain('Others since r1: bob started task-1; carol wrote the document.');
    expect((await desk.call('plan_read', {})).text).not.toContain('Others');
  });

  test('is there after other dialects wrote as well', async () => {
    const { desk, room } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    const cosh = new Desk(desk.rooms, 'cosh', { room });
    await cosh.ok('plan_todo_write', { todos: [{ description: 'two' }] }, 'bob');
    expect((await desk.call('plan_read', {})).text).toContain('bob added task-2');
  });
});

describe('plan_read', () => {
  test('ready, mine and one task', async () => {
    const { desk } = open();
    await desk.ok('plan_update', {
      ops: [
        { op: 'add', text: 'a', key: 'a' },
        { op: 'add', text: 'b', after: ['a'] },
        { op: 'add', text: 'c' },
        { op: 'start', id: 'a' },
      ],
    });
    expect((await desk.call('plan_read', { view: 'ready' })).text).toMatch(/task-3 \[ \] c$/);
    expect((await desk.call('plan_read', { view: 'mine' })).text).toMatch(/task-1 \[\*\] a \(by ann\)$/);
    expect((await desk.call('plan_read', { view: 'mine' }, 'bob')).text).toContain('nothing in progress');
    expect((await desk.call('plan_read', { task: 'task-2' })).text).toContain('after: task-1 [*]');
    expect(await desk.refused('plan_read', { task: 'task-77' })).toContain('task-77');
  });

  test('a list of 500 long tasks comes in bounded pieces that together are the whole list', async () => {
    const { desk } = open();
    const text = 'a description with quite some words in it, as models write them, and a few more';
    const many = Array.from({ length: 500 }, (_, index) => ({
      op: 'add',
      text: `${index} ${text}`,
      group: `G${index % 7}`,
    }));
    await desk.ok('plan_update', { ops: many });
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const reply = await desk.call('plan_read', { view: 'all', ...(cursor !== undefined && { cursor }) });
      expect(Buffer.byteLength(reply.text) + JSON.stringify(reply.structured).length).toBeLessThanOrEqual(8 * 1024);
      seen.push(...(reply.text.match(/^task-\d+/gm) ?? []));
      cursor = reply.structured?.cursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(500);
    expect(new Set(seen).size).toBe(500);
  });

  test('changes since a revision, and the document by pages', async () => {
    const { desk } = open();
    await desk.ok('plan_write_document', { content: `${'x'.repeat(9_000)}end`, title: 'T' });
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    expect((await desk.call('plan_read', { view: 'changes', since: 0 })).text).toMatch(
      /r1 ann: document\nr2 ann: added task-1 "one"/,
    );
    const first = await desk.call('plan_read', { view: 'document' });
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(8 * 1024);
    const second = await desk.call('plan_read', { view: 'document', cursor: first.structured?.cursor });
    expect(second.text).toMatch(/xend$/);
    expect(second.structured?.cursor).toBeUndefined();
  });

  test.each([{ view: 'nothing' }, { cursor: 'task-9' }, { view: 'document', cursor: 'x' }, { since: -1 }, { more: 1 }])(
    'refuses %j',
    async (args) => {
      const { desk } = open();
      await desk.ok('plan_write_document', { content: 'c' });
      expect(await desk.refused('plan_read', args)).not.toBe('');
    },
  );
});

describe('plan_wait', () => {
  test('returns at the next Change of whatever actor and endpoint', async () => {
    const { desk, room } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    const waiting = desk.call('plan_wait', { seconds: 50 });
    await desk.rooms.submit(room, submission({ type: 'task.start', task: 'task-1' }, 'bob'));
    expect((await waiting).text).toMatch(/bob started task-1[\s\S]*moved from r1 to r2/);
  });

  test('returns at once when there is something already, and after its time when there is nothing', async () => {
    const { desk } = open();
    await desk.ok('plan_update', ops({ op: 'add', text: 'one' }));
    expect((await desk.call('plan_wait', { since: 0, seconds: 50 })).text).toContain('moved from r0 to r1');
    expect((await desk.call('plan_wait', { seconds: 0.01 })).text).toContain('Nothing changed');
    expect(await desk.refused('plan_wait', { since: 9 })).toContain('9');
    expect(await desk.refused('plan_wait', { seconds: -1 })).toContain('seconds');
    expect((await desk.call('plan_wait', { since: 0, seconds: 3600 })).text).toContain('moved from r0 to r1');
  });
});

describe('plan_write_document', () => {
  test('a field that it does not have is refused with those it has', async () => {
    const { desk } = open();
    expect(await desk.refused('plan_write_document', { text: 'x' })).toBe(
      "The arguments are not understood. there is no field 'text'. It takes content, title, author, status, base.",
    );
  });
});
