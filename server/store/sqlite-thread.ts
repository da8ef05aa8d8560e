import { Worker } from 'node:worker_threads';
import type { Result } from '../../shared/plan/result.ts';
import { err } from '../../shared/plan/result.ts';
import { storeError } from './sqlite-error.ts';
import type { Answers, Envelope, Reply, Request, WorkerOptions } from './sqlite-messages.ts';
import type { StoreError } from './store.ts';

type Answer = Result<unknown, StoreError>;

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, (answer: Answer) => void>;
  readonly ended: Promise<void>;
  /** Until those before it are gone, which hold the same file: what they leave behind in memory would be taken over. */
  predecessors: Promise<unknown> | undefined;
}

/**
 * The worker thread as calls. When it ends (the disk failed, it ran out of memory) all that it has not answered is
 * `store_unavailable`, and the next call starts another one.
 */
export class SqliteThread {
  private readonly url: URL;
  private readonly options: WorkerOptions;
  private thread: Thread | undefined;
  /** All that have not ended: the one in use, and those that answer no more. */
  private readonly threads = new Set<Thread>();
  private nextId = 1;
  private closing: Promise<void> | undefined;

  constructor(url: URL, options: WorkerOptions) {
    this.url = url;
    this.options = options;
  }

  /** Never rejects. After `close` it answers `store_closed`. */
  call<Type extends keyof Answers>(
    request: Request & { readonly type: Type },
  ): Promise<Result<Answers[Type], StoreError>> {
    if (this.closing) return Promise.resolve(err(storeError('store_closed')));
    this.thread ??= this.start();
    return this.send<Type>(this.thread, request);
  }

  /** Lets go of the file once everything asked before is answered; resolves when the thread is gone. */
  close(): Promise<void> {
    this.closing ??= this.end(this.thread);
    return this.closing;
  }

  private async end(thread: Thread | undefined): Promise<void> {
    if (thread) await this.send(thread, { type: 'close' });
    await Promise.all([...this.threads].map(({ ended }) => ended));
  }

  private send<Type extends keyof Answers>(
    thread: Thread,
    request: Request & { readonly type: Type },
  ): Promise<Result<Answers[Type], StoreError>> {
    return new Promise((resolve) => {
      const envelope: Envelope = { id: this.nextId, request };
      this.nextId += 1;
      // The worker answers each type with its own kind of value; the types stop at the thread's edge.
      thread.waiting.set(envelope.id, resolve as (answer: Answer) => void);
      if (thread.predecessors) thread.predecessors.then(() => thread.worker.postMessage(envelope));
      else thread.worker.postMessage(envelope);
    });
  }

  private start(): Thread {
    const worker = new Worker(this.url, { workerData: this.options });
    const waiting: Thread['waiting'] = new Map();
    let reason = 'its thread ended';
    const ended = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        this.threads.delete(thread);
        if (this.thread === thread) this.thread = undefined;
        const answer = err(storeError('store_unavailable', undefined, reason));
        for (const settle of waiting.values()) settle(answer);
        waiting.clear();
        resolve();
      });
    });
    const others = [...this.threads].map((each) => each.ended);
    const predecessors = others.length > 0 ? Promise.all(others) : undefined;
    const thread: Thread = { worker, waiting, ended, predecessors };
    predecessors?.then(() => {
      thread.predecessors = undefined;
    });
    this.threads.add(thread);
    worker.on('message', ({ id, result, isLast }: Reply) => {
      if (isLast && this.thread === thread) this.thread = undefined;
      const settle = waiting.get(id);
      waiting.delete(id);
      settle?.(result);
    });
    worker.on('error', (error) => {
      reason = error.message;
    });
    return thread;
  }
}
