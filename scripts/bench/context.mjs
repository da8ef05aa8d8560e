import { newFolder, removeFolder, startPlanroom, startRaw } from './processes.mjs';
import { medians } from './statistics.mjs';

/** @typedef {import('./processes.mjs').Server} Server */

/** What a scenario works with: servers, the load generator, and what is said of the progress. */
export class Context {
  /**
   * @param {import('./processes.mjs').Generator} generator
   * @param {string} entry of the planroom server
   * @param {{ trials: number, say: (text: string) => void }} options
   */
  constructor(generator, entry, { trials, say }) {
    this.generator = generator;
    this.entry = entry;
    this.trials = trials;
    this.say = say;
    /** Median time of one commit in milliseconds, as a lone writer sees it; set by the scenario `commit`. */
    this.commitMs = Number.NaN;
  }

  /**
   * Runs each variant once per trial, another one first each time, and gives the medians of each. Every run has a fresh
   * server, on an empty folder.
   * @template {string} Name
   * @param {string} title
   * @param {Record<Name, (trial: number) => Promise<Record<string, number>>>} variants
   * @returns {Promise<Record<Name, any>>} figures by their names
   */
  async compare(title, variants) {
    const runs = /** @type {[Name, (trial: number) => Promise<Record<string, number>>][]} */ (Object.entries(variants));
    /** @type {Map<Name, Record<string, number>[]>} */
    const results = new Map(runs.map(([name]) => [name, []]));
    for (let trial = 0; trial < this.trials; trial += 1) {
      const first = trial % runs.length;
      for (const [name, run] of [...runs.slice(first), ...runs.slice(0, first)]) {
        const result = await run(trial);
        results.get(name)?.push(result);
        this.say(`${title}, trial ${trial + 1}, ${name}: ${brief(result)}`);
      }
    }
    return /** @type {any} */ (Object.fromEntries([...results].map(([name, trials]) => [name, medians(trials)])));
  }

  /**
   * @template Value
   * @param {(server: Server, folder: string) => Promise<Value>} work
   * @returns {Promise<Value>}
   */
  async withPlanroom(work) {
    const folder = await newFolder();
    const server = await startPlanroom(folder, this.entry);
    const value = await work(server, folder);
    await server.stop();
    await removeFolder(folder);
    return value;
  }

  /**
   * @template Value
   * @param {(server: Server) => Promise<Value>} work
   * @returns {Promise<Value>}
   */
  async withRaw(work) {
    const server = await startRaw();
    const value = await work(server);
    await server.stop();
    return value;
  }

  /**
   * Runs one load against a fresh server. Before a paced load the server is worked hard for a while, in a room of its own:
   * few writes a second would take minutes to get its code compiled, and what is wanted is how it runs from then on.
   * @param {import('./adapters.mjs').Kind} kind
   * @param {'closedLoop' | 'paced'} name
   * @param {object} load
   * @returns {Promise<Record<string, number>>}
   */
  runOn(kind, name, load) {
    const work = async (/** @type {Server} */ server) => {
      const target = { kind, url: server.url, serverPid: server.pid };
      if (name === 'paced') await this.generator.run('closedLoop', { ...exercise, ...target });
      return this.generator.run(name, { ...load, ...target });
    };
    return kind === 'planroom' ? this.withPlanroom(work) : this.withRaw(work);
  }
}

const exercise = { writers: 4, inFlight: 16, subscribers: 4, tasks: 40, warmUpMs: 0, measureMs: 1_500 };

/** @param {Record<string, number>} figures */
function brief(figures) {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(', ');
}
