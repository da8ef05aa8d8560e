import type { RoomRegistry } from '../../../server/room/registry.ts';
import type { Task } from '../../../shared/plan/model.ts';
import type { Mutation } from '../../../shared/plan/mutation.ts';
import type { Plan } from '../../../shared/plan/plan.ts';
import { brief, openRooms, submission } from '../../support/room-harness.ts';
import { Desk } from './desk.ts';

/** One room that several actors use through several dialects. */
export class SharedRoom {
  readonly rooms: RoomRegistry;

  constructor(rooms: RoomRegistry = openRooms()) {
    this.rooms = rooms;
  }

  desk(dialect: string, actor?: string): Desk {
    return new Desk(this.rooms, dialect, { actor });
  }

  async plan(): Promise<Plan> {
    const opened = await this.rooms.open('room');
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value.plan;
  }

  async tasks(): Promise<readonly Task[]> {
    return [...(await this.plan()).tasks()];
  }

  /** `pending one`, in list order. */
  async list(): Promise<string[]> {
    return (await this.tasks()).map(({ status, description }) => `${status} ${description}`);
  }

  async task(description: string): Promise<Task> {
    const task = (await this.tasks()).find((each) => each.description === description);
    if (!task) throw new Error(`there is no task ${description}`);
    return task;
  }

  /** A mutation past all dialects, which must be let through. */
  async submit(mutation: Mutation, actor = 'bob'): Promise<void> {
    const outcome = await this.rooms.submit('room', submission(mutation, actor));
    if (outcome.type !== 'ack') throw new Error(`${mutation.type}: ${brief(outcome)}`);
  }

  /** Adds tasks to one group. */
  async add(...descriptions: readonly string[]): Promise<this> {
    for (const description of descriptions) await this.submit({ type: 'task.add', description, group: 'G' });
    return this;
  }
}
