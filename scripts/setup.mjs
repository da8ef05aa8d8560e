import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm start` and `npm test` have in common: install what is missing, build what is stale, say what is going on. */

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.planroom-lock-hash');
const buildStampFile = join(root, 'dist', '.build-stamp');
const oldestNode = [20, 19];

/** Installs the dependencies of package-lock.json unless they are there, and compiles when sources are newer than dist. */
export function setUp() {
  requireNode();
  install();
  build();
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  fail(`planroom needs Node.js ${oldestNode.join('.')} or later; this is ${process.versions.node}.`);
}

function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  say('installing packages (npm ci), about half a minute …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed; see above.');
  writeFileSync(stampFile, wanted);
}

/** Compiles to dist/ when a source is newer than the last build. */
export function build() {
  const newest = Math.max(...['shared', 'server', 'client'].map(newestChange), fileChange('tsconfig.build.json'));
  if (existsSync(buildStampFile) && Number(readFileSync(buildStampFile, 'utf8')) >= newest) return;
  say('compiling …');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], 'the sources do not compile; see above.');
  chmodSync(join(root, 'dist', 'client', 'cli', 'main.js'), 0o755);
  writeFileSync(buildStampFile, String(newest));
}

function newestChange(folder) {
  let newest = 0;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? newestChange(path) : fileChange(path));
  }
  return newest;
}

function fileChange(path) {
  return statSync(join(root, path)).mtimeMs;
}

/** Runs a program in the project's folder with its output shown; ends this process when it fails. */
export function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0) fail(`${failure}${error ? ` (${error.message})` : ''}`);
}

export function say(text) {
  process.stderr.write(`planroom: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
