import { describe, expect, test } from 'vitest';
import { type PlanChange, watchPlans } from '../../server/operations/plan-changes.ts';
import { openRooms, submission } from '../support/room-harness.ts';
import { Desk } from './support/desk.ts';

const rooms = openRooms();
let names = 0;

function desk(): { readonly desk: Desk; readonly name: string } {
  return { desk: new Desk(rooms, 'docker-agent'), name: `plan-${++names}` };
}

function listen(): { readonly told: PlanChange[]; readonly stop: () => void } {
  const told: PlanChange[] = [];
  return { told, stop: watchPlans(rooms, (change) => told.push(change)) };
}

describe('changes of plans (library cases of test/cases/other.json)', () => {
  test('S3-08/events: a rejected write tells subscribers nothing', async () => {
    const { desk: plans, name } = desk();
    await plans.ok('write_plan', { name, content: 'one' });
    await plans.ok('write_plan', { name, content: 'two' });
    const { told, stop } = listen();
    await plans.refused('write_plan', { name, content: 'stale', last_known_revision: 1 });
    expect(told).toEqual([]);
    stop();
  });

  test('S3-13/events: a delete event carries the guard, or 0 without one', async () => {
    const { desk: plans, name } = desk();
    const other = `${name}-q`;
    for (const content of ['1', '2', '3']) await plans.ok('write_plan', { name, content });
    await plans.ok('write_plan', { name: other, content: 'q' });
    const { told, stop } = listen();
    await plans.ok('delete_plan', { name, last_known_revision: 3 });
    await plans.ok('delete_plan', { name: other });
    expect(told).toEqual([
      { name, action: 'delete', revision: 3 },
      { name: other, action: 'delete', revision: 0 },
    ]);
    stop();
  });

  test('S3-22: ending a subscription twice is harmless and touches no other', async () => {
    const { desk: plans, name } = desk();
    const [first, second] = [listen(), listen()];
    first.stop();
    first.stop();
    await plans.ok('write_plan', { name, content: 'one' });
    await plans.ok('write_plan', { name, content: 'two' });
    expect(first.told).toEqual([]);
    expect(second.told).toEqual([
      { name, action: 'write', revision: 1 },
      { name, action: 'write', revision: 2 },
    ]);
    second.stop();
  });

  test('a status is told as such, and a change through another endpoint is told as well', async () => {
    const { desk: plans, name } = desk();
    await plans.ok('write_plan', { name, content: 'one' });
    const { told, stop } = listen();
    await plans.ok('set_plan_status', { name, status: 'done' });
    await rooms.submit(name, submission({ type: 'document.write', content: 'two' }));
    await rooms.submit(name, submission({ type: 'task.add', description: 'not of the document' }));
    expect(told).toEqual([
      { name, action: 'status', revision: 2 },
      { name, action: 'write', revision: 3 },
    ]);
    stop();
  });
});

describe('docker-agent', () => {
  test('a room with tasks and no document is no plan: it is neither listed, read nor deleted', async () => {
    const { desk: plans, name } = desk();
    await rooms.submit(name, submission({ type: 'task.add', description: 'x' }));
    expect(await plans.refused('read_plan', { name })).toContain('not found');
    expect(await plans.refused('delete_plan', { name })).toContain('not found');
    const { plans: listed } = await plans.ok('list_plans', {});
    expect((listed as { name: string }[]).map((each) => each.name)).not.toContain(name);
    expect(await plans.ok('write_plan', { name, content: 'doc', last_known_revision: 0 })).toMatchObject({ name });
  });

  test('the revision is that of the document: tasks that others change meanwhile do not make a write stale', async () => {
    const { desk: plans, name } = desk();
    const { revision } = await plans.ok('write_plan', { name, content: 'one' });
    await rooms.submit(name, submission({ type: 'task.add', description: 'x' }));
    const second = await plans.ok('write_plan', { name, content: 'two', last_known_revision: revision });
    expect(second).toMatchObject({ content: 'two', revision: 3 });
  });

  test('a guard on a plan that is not there is a conflict for a write and "not found" for a status', async () => {
    const { desk: plans, name } = desk();
    expect(await plans.refused('write_plan', { name, content: 'x', last_known_revision: 4 })).toMatch(
      /Conflict.* 4.* 0/,
    );
    expect(await plans.refused('set_plan_status', { name, status: 'x', last_known_revision: 4 })).toContain(
      'not found',
    );
    expect(await plans.refused('delete_plan', { name, last_known_revision: 4 })).toContain('not found');
  });

  test('labels are kept when absent or empty, and left out of answers when they are empty', async () => {
    const { desk: plans, name } = desk();
    await plans.ok('write_plan', { name, content: 'one', title: 'T', author: 'ann', status: 'draft' });
    const kept = await plans.ok('write_plan', { name, content: 'two', title: '', author: '' });
    expect(kept).toMatchObject({ title: 'T', author: 'ann', status: 'draft', revision: 2 });
    expect(await plans.ok('get_plan_status', { name })).toEqual({ name, status: 'draft', revision: 2 });
  });

  test('a stale delete keeps the plan', async () => {
    const { desk: plans, name } = desk();
    await plans.ok('write_plan', { name, content: 'one' });
    await plans.ok('write_plan', { name, content: 'two' });
    expect(await plans.refused('delete_plan', { name, last_known_revision: 1 })).toMatch(/ 1.* 2/);
    expect(await plans.ok('read_plan', { name })).toMatchObject({ content: 'two' });
  });

  test.each([
    ['write_plan', { name: 'x' }],
    ['write_plan', { name: 7, content: 'x' }],
    ['write_plan', { name: 'x', content: 'x', last_known_revision: -1 }],
    ['read_plan', {}],
    ['set_plan_status', { name: 'x' }],
    ['set_plan_status', { name: 'x', status: '' }],
    ['update_plan_from_file', { name: 'x', path: '' }],
    ['export_plan_to_file', { name: 'x', path: '' }],
  ])('%s refuses %j', async (tool, args) => {
    expect(await desk().desk.refused(tool, args)).not.toBe('');
  });
});
