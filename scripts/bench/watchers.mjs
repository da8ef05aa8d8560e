/** Child of the MCP bench: connections that watch one room and count what they are told. */
import { WebSocket } from 'ws';

const watchers = [];
let waiting;

process.on('message', async ({ url, count, revision }) => {
  if (url) {
    await Promise.all(Array.from({ length: count }, () => watch(url)));
    process.send({ ready: true });
  } else {
    waiting = revision;
    settle();
  }
});
process.on('disconnect', () => process.exit(0));

function watch(url) {
  return new Promise((resolve) => {
    const watcher = { last: 0, gaps: 0 };
    watchers.push(watcher);
    const socket = new WebSocket(`${url}/ws`);
    socket.on('open', () => {
      socket.send(
        JSON.stringify([
          { type: 'hello', protocol: 1 },
          { type: 'join', room: 'bench' },
        ]),
      );
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(data);
      for (const message of Array.isArray(frame) ? frame : [frame]) {
        if (message.type === 'snapshot' || message.type === 'joined' || message.type === 'current') resolve();
        if (message.type !== 'changes') continue;
        resolve();
        for (const change of message.changes) {
          if (change.revision !== watcher.last + 1) watcher.gaps += 1;
          watcher.last = change.revision;
        }
      }
      settle();
    });
  });
}

function settle() {
  if (waiting === undefined || watchers.some((watcher) => watcher.last < waiting)) return;
  process.send({ told: watchers.filter((watcher) => watcher.gaps === 0).length });
  waiting = undefined;
}
