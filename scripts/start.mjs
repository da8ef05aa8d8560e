import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root, setUp } from './setup.mjs';

/** `npm start [-- --port 4747 …]`: sets up what is missing and runs the server in the foreground. */
setUp();
const server = spawn(process.execPath, [join(root, 'dist/client/cli/main.js'), 'serve', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends its Ctrl-C to both processes by itself; any other signal reaches this one alone and is handed on.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) server.kill('SIGINT');
});
process.on('SIGTERM', () => server.kill('SIGTERM'));
// npm that is ended by a signal leaves its script behind; the server goes when its starter is gone.
const starter = process.ppid;
setInterval(() => {
  if (process.ppid !== starter) server.kill('SIGTERM');
}, 1_000).unref();
server.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal ? 1 : 0);
});
