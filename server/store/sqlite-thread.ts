import { Worker } from 'node:worker_threads';
import type { Result } from '../../shared/plan/result.ts';
import { err } from '../../shared/plan/result.ts';
import { storeError } from './sqlite-error.ts';
import type { Answers, Envelope, Reply, Request, WorkerOptions } from './sqlite-messages.ts';
import type { StoreError } from './store.ts';

type Answer = Result<unknown, StoreError>;

/**
 * The worker thread as calls. When it dies (out of memory, a bug) everything asked of it answers `store_unavailable`,
 * and the next call starts another one.
 */
export class SqliteThread {
  private readonly url: URL;
  private readonly options: WorkerOptions;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private worker: Worker | undefined;
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
    return this.send<Type>(request);
  }

  /** Lets go of the file once everything asked before is answered; resolves when the thread is gone. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const worker = this.worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await this.send({ type: 'close' });
    await ended;
  }

  private send<Type extends keyof Answers>(
    request: Request & { readonly type: Type },
  ): Promise<Result<Answers[Type], StoreError>> {
    return new Promise((resolve) => {
      const envelope: Envelope = { id: this.nextId, request };
      this.nextId += 1;
      // The worker answers each type with its own kind of value; the types stop at the thread's edge.
      this.waiting.set(envelope.id, resolve as (answer: Answer) => void);
      this.worker ??= this.start();
      this.worker.postMessage(envelope);
    });
  }

  private start(): Worker {
    const worker = new Worker(this.url, { workerData: this.options });
    let reason = 'its thread ended';
    worker.on('message', ({ id, result }: Reply) => {
      const resolve = this.waiting.get(id);
      this.waiting.delete(id);
      resolve?.(result);
    });
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('exit', () => {
      this.worker = undefined;
      const answer = err(storeError('store_unavailable', undefined, reason));
      const left = [...this.waiting.values()];
      this.waiting.clear();
      for (const resolve of left) resolve(answer);
    });
    return worker;
  }
}
