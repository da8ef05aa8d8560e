import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const startUpMs = 20_000;
const shutDownMs = 5_000;
const jobMs = 90_000;
/** Lines of a child's output that are kept for the message when it fails. */
const linesKept = 20;

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
const probe = new URL('probe.mjs', import.meta.url).href;

/** Every child of this bench that still runs, so that none outlives it. */
const running = new Set();
/** @type {Set<string>} */
const folders = new Set();

/** A child process with an IPC channel, its last lines of output, and an orderly end. */
class Child {
  /**
   * @param {string} name
   * @param {readonly string[]} args of node
   */
  constructor(name, args) {
    this.name = name;
    this.process = spawn(process.execPath, args, { cwd: projectFolder, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    /** @type {string[]} */
    this.output = [];
    this.exited = new Promise((resolve) => this.process.once('exit', resolve));
    running.add(this);
    this.process.once('exit', () => running.delete(this));
    this.readLines(this.process.stderr);
  }

  get pid() {
    return /** @type {number} */ (this.process.pid);
  }

  /**
   * @param {import('node:stream').Readable | null} stream
   * @param {(line: string) => void} [onLine]
   */
  readLines(stream, onLine) {
    if (!stream) return;
    createInterface({ input: stream }).on('line', (line) => {
      this.output.push(line);
      if (this.output.length > linesKept) this.output.shift();
      onLine?.(line);
    });
  }

  /** @param {string} what */
  fault(what) {
    return new Error(`${this.name}: ${what}\n${this.output.join('\n')}`);
  }

  /**
   * Resolves with what is waited for; rejects when the child ends before, or takes too long.
   * @template Value
   * @param {(signal: AbortSignal) => Promise<Value>} wait gives up at the signal
   * @param {number} timeoutMs
   * @param {string} what
   * @returns {Promise<Value>}
   */
  async expect(wait, timeoutMs, what) {
    if (!running.has(this)) throw this.fault('has ended');
    const settled = new AbortController();
    const { signal } = settled;
    const ended = once(this.process, 'exit', { signal }).then(() => Promise.reject(this.fault('ended')));
    const late = sleep(timeoutMs, undefined, { signal }).then(() => Promise.reject(this.fault(`${what}: too late`)));
    try {
      return await Promise.race([wait(signal), ended, late]);
    } finally {
      settled.abort();
    }
  }

  /**
   * Sends a message over the IPC channel and resolves with the answer.
   * @param {object} message
   * @returns {Promise<any>}
   */
  ask(message) {
    const answer = async (/** @type {AbortSignal} */ signal) => {
      this.process.send(message);
      const [value] = await once(this.process, 'message', { signal });
      return value;
    };
    return this.expect(answer, jobMs, 'an answer');
  }

  /** Asks it to end, and ends it when it does not. */
  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const timer = setTimeout(() => this.process.kill('SIGKILL'), shutDownMs);
    this.process.kill('SIGTERM');
    await this.exited;
    clearTimeout(timer);
  }
}

/** A server under test. */
export class Server extends Child {
  /**
   * Starts it and waits until it says its address.
   * @param {import('./adapters.mjs').Kind} kind
   * @param {readonly string[]} args
   */
  static async start(kind, args) {
    const server = new Server(`the ${kind} server`, ['--expose-gc', '--import', probe, ...args]);
    server.kind = kind;
    const address = () =>
      new Promise((resolve) => {
        server.readLines(server.process.stdout, (line) => {
          const [found] = /http:\/\/[\w.[\]:]+:\d+/.exec(line) ?? [];
          if (found) resolve(found.replace('http:', 'ws:'));
        });
      });
    server.url = await server.expect(address, startUpMs, 'its address');
    return server;
  }

  /** @type {import('./adapters.mjs').Kind} */
  kind = 'raw';
  url = '';

  /** Bytes after a garbage collection: resident, and of the JavaScript heap. */
  async memory() {
    const { rss, heapUsed, collected } = await this.ask({ type: 'memory' });
    if (!collected) throw this.fault('has no garbage collector to call');
    return { resident: rss, heap: heapUsed };
  }
}

/** The raw broadcast server. */
export function startRaw() {
  return Server.start('raw', [fileURLToPath(new URL('raw-server.mjs', import.meta.url))]);
}

/**
 * This project's server, with its default settings, on the given data folder.
 * @param {string} folder
 * @param {string} entry the command line's `main.js`
 */
export function startPlanroom(folder, entry) {
  return Server.start('planroom', [entry, 'serve', '--port', '0', '--data', folder]);
}

/** The built command line of this project. */
export const entryOfProject = join(projectFolder, 'dist/client/cli/main.js');

/** Builds the project. Throws when that fails. */
export async function build() {
  const child = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: projectFolder,
    stdio: ['ignore', 2, 2],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the build ended with code ${code}`);
}

export class Generator extends Child {
  constructor() {
    super('the load generator', [fileURLToPath(new URL('generator.mjs', import.meta.url))]);
    this.readLines(this.process.stdout);
  }

  /**
   * @param {string} name
   * @param {object} job
   * @returns {Promise<any>}
   */
  async run(name, job) {
    const { result, error } = await this.ask({ name, job });
    if (error) throw this.fault(`${name} failed: ${error}`);
    return result;
  }
}

/**
 * Connections that watch the room `bench`. `told` resolves with how many of them were told of every Change up to a revision.
 * @param {string} url
 * @param {number} count
 */
export async function startWatchers(url, count) {
  const child = new Child('the watchers', [fileURLToPath(new URL('watchers.mjs', import.meta.url))]);
  await child.ask({ url, count });
  return {
    /** @param {number} revision */
    told: async (revision) => (await child.ask({ revision })).told,
  };
}

/** A new folder for data; `removeFolders` takes it away. */
export async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'planroom-bench-'));
  folders.add(folder);
  return folder;
}

/** @param {string} folder */
export async function removeFolder(folder) {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Ends every child and removes every folder that this bench made. */
export async function cleanUp() {
  await Promise.all([...running].map((child) => child.stop()));
  await Promise.all([...folders].map(removeFolder));
}
