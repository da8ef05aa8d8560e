import { adapters } from './adapters.mjs';
import { Connection, inParallel } from './connection.mjs';

/** @type {Connection[]} */
const idle = [];

/**
 * Opens connections that join one room and then stay silent. They stay until `closeIdle`.
 * @param {{ kind: import('./adapters.mjs').Kind, url: string, count: number }} job
 */
export async function openIdle({ kind, url, count }) {
  const adapter = adapters[kind];
  const opened = await inParallel(count, 50, async (index) => {
    const connection = await Connection.open(url + adapter.path);
    await adapter.hello(connection, `member-${idle.length + index}`);
    await adapter.join(connection, 'bench');
    return connection;
  });
  idle.push(...opened);
  return { open: idle.length };
}

export async function closeIdle() {
  await Promise.all(idle.splice(0).map((connection) => connection.close()));
  return {};
}
