import type { TickTask } from './room/tick-task.ts';

/**
 * Runs callbacks at the end of the present turn of the event loop, after all sockets that had data were read. What comes
 * in one tick is so handled together: one append, one frame.
 */
export class TickScheduler {
  private tasks: TickTask[] = [];
  private scheduled = false;

  readonly atEndOfTick = (task: TickTask): void => {
    this.tasks.push(task);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.run);
  };

  private readonly run = (): void => {
    const { tasks } = this;
    this.tasks = [];
    this.scheduled = false;
    for (const task of tasks) task.endOfTick();
  };
}
