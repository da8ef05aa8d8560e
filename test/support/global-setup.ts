import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds dist/ once: worker threads and child processes run compiled code, as in production. Type errors are shown and
 * left to `npm run typecheck`; the code is written all the same.
 */
export function setup(): void {
  const built = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (built.status !== 0) console.warn(`The build has type errors:\n${built.stdout}${built.stderr}`);
  if (!existsSync(new URL('../../dist/server/store/sqlite-worker.js', import.meta.url)))
    throw new Error('The build wrote nothing');
}
