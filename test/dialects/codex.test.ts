import { describe, expect, test } from 'vitest';
import { codex } from '../../shared/dialects/codex.ts';
import { SharedRoom } from './support/shared-room.ts';

const step = (text: string, status = 'pending') => ({ step: text, status });

describe('codex: update_plan', () => {
  test('answers a plan that is what was sent with two words', async () => {
    const room = new SharedRoom();
    const desk = room.desk('codex');
    const plan = [step('one', 'completed'), step('two', 'in_progress'), step('three')];
    const reply = await desk.call('update_plan', { explanation: 'why', plan });
    expect(reply).toMatchObject({ isError: false, text: 'Plan updated' });
    expect(reply.structured).toBeUndefined();
    expect(codex.view(await room.plan())).toEqual({ plan });
    expect((await desk.call('update_plan', { plan: plan.slice(1) })).text).toBe('Plan updated');
    expect(await room.list()).toEqual(['in_progress two', 'pending three']);
  });

  test('refuses fields it does not know, at both levels, and changes nothing', async () => {
    const room = new SharedRoom();
    const desk = room.desk('codex');
    expect(await desk.refused('update_plan', { plan: [step('one')], merge: true })).toContain('merge');
    expect(await desk.refused('update_plan', { plan: [{ ...step('one'), id: '1' }] })).toContain('id');
    expect(await desk.refused('update_plan', { steps: [step('one')] })).toContain('plan');
    expect(await desk.refused('update_plan', { plan: [{ content: 'one', status: 'pending' }] })).toContain('step');
    expect(await desk.refused('update_plan', { plan: [step('one', 'done')] })).toContain('in_progress');
    expect(await desk.refused('update_plan', { plan: [step(' \n')] })).toContain('plan.0.step');
    expect(await desk.refused('update_plan', null)).toContain('plan');
    expect(await room.list()).toEqual([]);
  });

  test('refuses two steps in progress, but not one beside a step of somebody else', async () => {
    const room = new SharedRoom();
    const desk = room.desk('codex');
    const two = [step('one', 'in_progress'), step('two', 'in_progress')];
    expect(await desk.refused('update_plan', { plan: two })).toMatch(/one step.*1 and 2/);
    await desk.call('update_plan', { plan: [step('one', 'in_progress')] }, 'bob');
    await desk.call('update_plan', { plan: [step('one', 'in_progress'), step('two', 'in_progress')] }, 'ann');
    expect(await room.list()).toEqual(['in_progress one', 'in_progress two']);
  });

  test('steps of others stay, are told, and are shown', async () => {
    const room = await new SharedRoom().add('theirs');
    const desk = room.desk('codex');
    const first = await desk.call('update_plan', { plan: [step('mine', 'in_progress')] });
    expect(first.text.split('\n')).toEqual([
      'Plan updated',
      'Note: "theirs" was there before you saw the plan, and stays.',
      'The shared plan is now:',
      '1. [pending] theirs',
      '2. [in_progress] mine',
    ]);
    for (const status of ['in_progress', 'completed']) {
      const again = await desk.call('update_plan', { plan: [step('mine', status)] });
      expect(again.text).not.toContain('Note');
      expect(await room.list()).toEqual(['pending theirs', `${status} mine`]);
    }
  });

  test('a step of others is taken over by its text, once it was there', async () => {
    const room = await new SharedRoom().add('theirs');
    const desk = room.desk('codex');
    await desk.call('update_plan', { plan: [] });
    await desk.call('update_plan', { plan: [step('theirs', 'in_progress')] });
    expect(await room.task('theirs')).toMatchObject({ status: 'in_progress', startedBy: 'ann' });
    await desk.call('update_plan', { plan: [] });
    expect(await room.list()).toEqual([]);
  });

  test('a stale list does not undo what others did, and what they changed is not dropped', async () => {
    const room = new SharedRoom();
    const desk = room.desk('codex');
    await desk.call('update_plan', { plan: [step('one'), step('two'), step('three')] });
    await room.submit({ type: 'task.complete', task: (await room.task('one')).uid });
    await room.submit({ type: 'task.start', task: (await room.task('three')).uid });
    const reply = await desk.call('update_plan', { plan: [step('one'), step('two', 'in_progress')] });
    expect(await room.list()).toEqual(['completed one', 'in_progress two', 'in_progress three']);
    expect(reply.text).toMatch(/"one": 'bob' changed its status/);
    expect(reply.text).toMatch(/"three" is not in your list.*it stays/);
    expect(reply.text).toContain('1. [completed] one\n2. [in_progress] two\n3. [in_progress] three');
    expect(reply.text).not.toMatch(/task-\d/);
  });

  test('cancelled steps are not shown and survive', async () => {
    const room = await new SharedRoom().add('one', 'two');
    await room.submit({ type: 'task.cancel', task: (await room.task('one')).uid });
    const desk = room.desk('codex');
    expect((await desk.call('update_plan', { plan: [step('two')] })).text).not.toMatch(/\] one/);
    await desk.call('update_plan', { plan: [step('two', 'completed')] });
    expect(await room.list()).toEqual(['cancelled one', 'completed two']);
  });
});
