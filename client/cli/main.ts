#!/usr/bin/env node
import { runProgram } from './program.ts';

const { stdout, stderr, stdin, env } = process;

// Whoever reads may stop reading, as `head` does; that is no fault and there is nobody to tell.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
}

const exitCode = await runProgram(process.argv.slice(2), { stdout, stderr, stdin, env });
process.exitCode = exitCode;
// What was written has to be out before the process ends, and the process must not wait for a silent server.
await Promise.all([stdout, stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
process.exit(exitCode);
