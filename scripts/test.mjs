import { join } from 'node:path';
import { root, run, say, setUp } from './setup.mjs';

/**
 * `npm test [-- <vitest arguments>]`: sets up what is missing, then lint, types, dead code and the tests.
 * `npm run test:long`: the same tests with long runs of the random, kill and soak ones.
 */
const args = process.argv.slice(2);
const long = args.includes('--long');
const chosen = args.filter((argument) => argument !== '--long');
const bin = (name, file) => join(root, 'node_modules', name, file);

setUp();
if (chosen.length === 0) {
  say('checking format and lint …');
  run(
    process.execPath,
    [bin('@biomejs/biome', 'bin/biome'), 'check', '.'],
    'format or lint: `npm run format` mends most.',
  );
  say('checking types …');
  run(process.execPath, [bin('typescript', 'bin/tsc'), '--noEmit', '-p', 'tsconfig.json'], 'types do not check.');
  say('looking for dead code …');
  run(process.execPath, [bin('knip', 'bin/knip.js')], 'unused files, exports or dependencies.');
}
say(long ? 'running the tests, long …' : 'running the tests, a few minutes …');
if (long) process.env.PLANROOM_LONG = '1';
run(process.execPath, [bin('vitest', 'vitest.mjs'), 'run', ...chosen], 'tests failed.');
