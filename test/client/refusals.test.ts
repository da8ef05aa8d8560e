import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, type PlanroomClient, type RoomView } from '../../client/sdk/index.ts';
import { OptimisticPlan } from '../../client/sdk/optimistic-plan.ts';
import { decide } from '../../shared/plan/decide.ts';
import type { ServerMessage } from '../../shared/protocol/server-message.ts';
import { value } from './support/events.ts';
import { PlainRoom } from './support/plain-room.ts';
import { emptyRoom, ScriptedServer } from './support/scripted-server.ts';

vi.mock('../../shared/plan/decide.ts', async (original) => {
  const real = await original<typeof import('../../shared/plan/decide.ts')>();
  return { ...real, decide: vi.fn(real.decide) };
});

const decisions = vi.mocked(decide);
const count = 400;

beforeEach(() => {
  decisions.mockClear();
});

describe('many mutations that come to nothing', () => {
  function pendingPlan() {
    const room = new PlainRoom();
    room.submit('x', { type: 'task.add', description: 'one' });
    const view = new OptimisticPlan(room.plan.toSnapshot(), () => 'uid');
    for (let index = 0; index < count; index += 1) {
      const mutation = { type: 'task.edit' as const, task: 'task-1', description: `edit ${index}` };
      view.add({ mutationId: `m${index}`, mutation, actor: 'ann', at: '2030-01-01T00:00:00.000Z' });
    }
    decisions.mockClear();
    return view;
  }

  it('have those behind them decided again once, when somebody looks', () => {
    const view = pendingPlan();
    for (let index = 0; index < count; index += 2) view.drop(new Set([`m${index}`]));
    expect(decisions).not.toHaveBeenCalled();
    expect(view.plan.revision).toBe(1 + count / 2);
    expect(view.plan.findTask('task-1')?.description).toBe(`edit ${count - 1}`);
    expect(decisions).toHaveBeenCalledTimes(count / 2);
  });

  it('have them decided again for whoever kept the plan', () => {
    const view = pendingPlan();
    const { plan } = view;
    view.drop(['m0', `m${count - 1}`]);
    view.replay();
    expect(plan.revision).toBe(count - 1);
    expect(decisions).toHaveBeenCalledTimes(count - 2);
  });
});

describe('a frame of answers', () => {
  let server: ScriptedServer;
  let client: PlanroomClient;

  afterEach(async () => {
    client.close();
    await server.close();
  });

  /** A view whose mutations are answered in one frame, as soon as there are so many. */
  async function start(answer: (room: string, id: string) => ServerMessage): Promise<RoomView> {
    const answers: ServerMessage[] = [];
    server = await ScriptedServer.start((message, send) => {
      const { limits } = server;
      if (message.type === 'hello') {
        send({ ...server.welcome(), limits: { ...limits, mutationsInFlightPerSessionMax: count } });
      } else if (message.type === 'join') {
        send(...emptyRoom(message.room));
      } else if (message.type === 'mutate') {
        answers.push(answer(message.room, message.id));
        if (answers.length === count) send(...answers);
      }
    });
    client = connect({ url: server.url, actor: 'ann' });
    return value(await client.join('main'));
  }

  /** Lets a listener of everything look at the plan each time, and tells how many decisions the answers cost. */
  async function costOf(view: RoomView, mutate: (index: number) => Promise<unknown>): Promise<number> {
    view.on('rejected', () => view.plan.taskCount);
    view.on('change', () => view.plan.taskCount);
    const asked = Array.from({ length: count }, (_, index) => mutate(index));
    decisions.mockClear();
    await Promise.all(asked);
    return decisions.mock.calls.length;
  }

  it('costs no more than one replay when all are refused, however many look', async () => {
    const view = await start((room, id) => ({
      type: 'reject',
      room,
      id,
      code: 'limit_reached',
      message: 'No.',
      retryable: false,
    }));
    let refused = 0;
    let withdrawals = 0;
    view.on('rejected', () => {
      refused += 1;
    });
    view.on('change', ({ cause }) => {
      if (cause === 'withdrawn') withdrawals += 1;
    });
    expect(await costOf(view, (index) => view.addTask(`task ${index}`))).toBeLessThanOrEqual(count);
    expect(refused).toBe(count);
    expect(withdrawals).toBe(1);
    expect(view.plan.taskCount).toBe(0);
  });

  it('costs no more than one replay when all changed nothing', async () => {
    const view = await start((room, id) => ({ type: 'ack', room, id, epoch: 'e1', revision: 0 }));
    expect(await costOf(view, (index) => view.addTask(`task ${index}`))).toBeLessThanOrEqual(count);
    expect(view.plan.taskCount).toBe(0);
  });
});
