/**
 * Loaded into both servers with `--import`: collects garbage and tells the memory when the bench asks over the IPC channel.
 * It does nothing else, and does not keep the server alive.
 */
process.on('message', (/** @type {{ type?: string }} */ message) => {
  if (message.type !== 'memory') return;
  for (let round = 0; round < 4; round += 1) globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ type: 'memory', rss, heapUsed, collected: globalThis.gc !== undefined });
});
process.channel?.unref();
