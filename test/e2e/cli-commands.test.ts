import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliRoom, ok } from '../client/support/cli-room.ts';
import { cliPath, ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let folder: string;
let rooms = 0;

beforeAll(async () => {
  server = await ServerProcess.start();
  folder = await mkdtemp(join(tmpdir(), 'planroom-cli-'));
});
afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

function freshRoom() {
  rooms += 1;
  return cliRoom(server.url, `room-${rooms}`);
}

describe('README', () => {
  it('what it says under "From the terminal" works in a fresh room, line by line', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const block = /## From the terminal\n\n```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const lines = block.split('\n').filter((line) => !line.startsWith('planroom watch'));
    const { room, env, json } = freshRoom();
    const script = `planroom() { "${process.execPath}" "${cliPath}" "$@"; }\nset -e\n${lines.join('\n')}`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    expect(stdout).toContain(`Started task-1 (room ${room}, revision 3)`);
    expect(stdout).toContain('  [ ] task-2 Write the parser (needs task-1)\n');
    expect((await json('show')).tasks).toMatchObject([{ status: 'completed' }, { dependsOn: ['task-1'] }]);
  });
});

describe('policy', () => {
  it('shows the rules, and changes those that are named', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a']);
    await run(['add', 'b']);
    expect((await run(['policy'])).stdout).toBe(
      'in progress: one-per-actor\nstrict terminal: no\nfull-list writes: merge\n',
    );
    expect(await run(['policy', '--in-progress', 'any', '--strict-terminal'])).toEqual(ok(/^Changed the policy /));
    expect(await run(['policy', '--in-progress', 'any'])).toEqual(ok(/^The policy is so already .*revision 3/));
    expect((await json('policy')).policy).toMatchObject({ inProgress: 'any', strictTerminal: true });
    expect(await run(['start', 'task-1', 'task-2'])).toEqual(ok(/^Started task-1, task-2 /));
    await run(['policy', '--no-strict-terminal', '--full-list-writes', 'replace']);
    expect((await json('policy')).policy).toEqual({
      inProgress: 'any',
      strictTerminal: false,
      fullListWrites: 'replace',
    });
    expect(await failure('policy', '--in-progress', 'two')).toMatchObject({ exit: 2, code: 'usage' });
  });
});

describe('history', () => {
  it('log tells what changed, by whom, and names rows that are gone', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'Write it', '--group', 'Build']);
    await run(['start', 'task-1', '--as', 'bob']);
    await run(['remove', 'task-1']);
    await run(['policy', '--in-progress', 'any']);
    const { code, stdout, stderr } = await run(['log']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/\d{4}-\S+Z/g, 'T')).toBe(
      [
        "1  T  ann  task.add  +group 'Build', +task-1 'Write it'",
        "2  T  bob  task.start  task-1 'Write it' in_progress",
        "3  T  ann  task.remove  -task-1 'Write it'",
        '4  T  ann  plan.policy  policy {"inProgress":"any"}',
        '',
      ].join('\n'),
    );
    expect((await run(['log', '--limit', '2'])).stdout).toMatch(/^3 .*-task-1 'Write it'\n4 .*\n$/);
    expect(await run(['log', '--since', '0', '--limit', '1'])).toMatchObject({
      stdout: expect.stringMatching(/^1 .*\n$/),
      stderr: 'note: There are more; go on with --since 1.\n',
    });
    expect((await run(['log', '--since', '4'])).stdout).toBe('There is no Change after that.\n');
    expect(await json('log', '--since', '3')).toMatchObject({ revision: 4, more: false, changes: [{ revision: 4 }] });
    expect(await failure('log', '--limit', '0')).toMatchObject({ exit: 2 });
    expect(await failure('log', '--since', '9')).toMatchObject({ exit: 3, code: 'unknown_revision' });
  });

  it('revert undoes a Change, unless the same was changed later', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a']);
    await run(['start', 'task-1']);
    expect(await run(['revert', '2'])).toEqual(ok(/^Reverted Change 2 .*revision 3/));
    expect((await json('show')).tasks).toMatchObject([{ status: 'pending' }]);
    await run(['cancel', 'task-1']);
    expect(await failure('revert', '3')).toMatchObject({ exit: 3, code: 'cannot_revert' });
    expect(await failure('revert', '99')).toMatchObject({ exit: 3, code: 'unknown_revision' });
    expect(await failure('revert', '0')).toMatchObject({ exit: 2, code: 'usage' });
  });
});

describe('order and groups', () => {
  it('move puts a task before or after another, or into a group', async () => {
    const { run, json, failure } = freshRoom();
    for (const text of ['a', 'b', 'c']) await run(['add', text]);
    const order = async () => (await json('show')).tasks.map(({ id }: { id: string }) => id);
    expect(await run(['move', 'task-3', '--before', 'task-1'])).toEqual(ok(/^Moved task-3 /));
    expect(await order()).toEqual(['task-3', 'task-1', 'task-2']);
    await run(['move', 'task-3', '--after', 'task-1']);
    expect(await order()).toEqual(['task-1', 'task-3', 'task-2']);
    await run(['move', 'task-1', '--group', 'Later']);
    expect(await order()).toEqual(['task-3', 'task-2', 'task-1']);
    expect(await run(['move', 'task-1', '--group', 'Later'])).toEqual(ok(/^task-1 is there already /));
    expect(await failure('move', 'task-1')).toMatchObject({ exit: 2 });
    expect(await failure('move', 'task-1', '--before', 'task-2', '--after', 'task-3')).toMatchObject({ exit: 2 });
    expect(await failure('move', 'task-9', '--before', 'task-2')).toMatchObject({ exit: 4, code: 'task_not_found' });
  });

  it('group adds, renames, moves and removes', async () => {
    const { run, json, failure } = freshRoom();
    expect(await run(['group', 'add', 'One'])).toEqual(ok(/^Added group 'One' /));
    await run(['add', 'a', '--group', 'Two']);
    const titles = async () => (await json('show')).groups.map(({ title }: { title: string }) => title);
    expect(await run(['group', 'rename', 'One', 'Uno'])).toEqual(ok(/^Renamed group 'One' to 'Uno' /));
    expect(await run(['group', 'move', 'Uno', '--after', 'Two'])).toEqual(ok(/^Moved group 'Uno' /));
    expect(await titles()).toEqual(['Two', 'Uno']);
    const full = await failure('group', 'remove', 'Two');
    expect(full).toMatchObject({ exit: 4, code: 'group_not_empty', message: expect.stringContaining('--with-tasks') });
    expect((await json('group', 'remove', 'Two', '--with-tasks')).changed).toBe(true);
    expect(await titles()).toEqual(['Uno']);
    expect(await failure('group', 'rename', 'Nope', 'X')).toMatchObject({
      exit: 4,
      message: expect.stringContaining('planroom show'),
    });
    expect(await failure('group', 'fly')).toMatchObject({ exit: 2 });
  });
});

describe('import', () => {
  it('says which lines it left out, what it replaced, and which dependencies name nothing', async () => {
    const { run, json } = freshRoom();
    await run(['add', 'old']);
    const input =
      '# T\n- [ ] lost\n\n## G\n* [ ] a\n1. [ ] b\n- [>] c\n- [-] d\n- [x] ok\n  - depends: task-9, task-1\n';
    const { code, stdout, stderr } = await run(['import', '-'], { input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Imported 1 task in 1 group /) });
    expect(stderr).toContain('note: It replaced 1 task; planroom revert 2 brings them back.\n');
    expect(stderr).toContain('6 lines of the file were not understood and left out: lines 1, 2, 5, 6, 7, …');
    expect(stderr).toContain("No task of the plan is 'task-9'");
    const file = join(folder, 'odd.md');
    await writeFile(file, input);
    expect(await json('import', file)).toMatchObject({
      replaced: 1,
      skipped: { count: 6, lines: [1, 2, 5, 6, 7, 8] },
      unresolved: ['task-9'],
    });
  });

  it('a file without tasks empties a plan only when that is confirmed', async () => {
    const { run, json, failure } = freshRoom();
    const file = join(folder, 'empty.md');
    await writeFile(file, '- [ ] no group before it\n');
    expect((await run(['import', file])).code).toBe(0);
    await run(['add', 'a']);
    const refused = await failure('import', file);
    expect(refused).toMatchObject({ exit: 4, code: 'nothing_to_import', message: expect.stringContaining('--yes') });
    expect((await json('show')).tasks).toHaveLength(1);
    expect(await json('import', file, '--yes')).toMatchObject({ tasks: 0, replaced: 1 });
  });

  it('an export has nothing that is left out', async () => {
    const { run } = freshRoom();
    await run(['add', 'a', '--label', 'x', '--priority', 'high', '--depends', 'task-1']);
    await run(['doc', 'write', '-', '--title', 'T', '--author', 'ann'], { input: '# x\n\n- [ ] y\n' });
    await run(['verify', 'Tasks', '--evidence', 'npm test']);
    const { stdout } = await run(['export']);
    const imported = await freshRoom().run(['import', '-'], { input: stdout });
    expect(imported).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('what is so already', () => {
  it('is said, and changes nothing', async () => {
    const { run, json } = freshRoom();
    await run(['add', 'a', '--group', 'G', '--priority', '']);
    expect((await json('show')).tasks[0]).not.toHaveProperty('priority');
    expect(await run(['clean'])).toEqual(ok(/^There was nothing to clean \(.*revision 1\)\n$/));
    await run(['start', 'task-1', 'task-1']);
    expect(await run(['start', 'task-1'])).toEqual(ok(/^Started already: task-1 \(.*revision 2\)\n$/));
    await run(['verify', 'G']);
    expect((await run(['verify', 'G'])).stdout).toMatch(/^Group 'G' was verified already /);
    expect(await run(['edit', 'task-1', '--description', 'a'])).toEqual(ok(/^task-1 says that already /));
    expect(await json('edit', 'task-1', '--description', 'a')).toMatchObject({ changed: false, revision: 3 });
  });
});

describe('messages', () => {
  it('name commands and tasks, not the wire', async () => {
    const { run, failure } = freshRoom();
    expect(await failure('show')).toMatchObject({
      message: expect.stringContaining('planroom rooms'),
      retryable: false,
    });
    for (const text of ['a', 'b']) await run(['add', text, '--group', 'Build']);
    await run(['done', 'task-1']);
    const message = async (...args: string[]) => (await failure(...args)).message;
    expect(await message('done', 'task-2', 'task-1')).toMatch(/^Nothing was changed, because of task-1: Task 'task-1'/);
    expect(await message('done', 'task-1')).toContain('(planroom reopen task-1)');
    expect(await message('start', '2')).toBe(
      "Task '2' does not exist. Did you mean task-2? See the tasks with: planroom show",
    );
    expect(await message('start', 'TASK-2')).toContain('Did you mean task-2?');
    expect(await message('start', 'task-99')).not.toContain('Did you mean');
    expect(await message('start', '99')).not.toContain('Did you mean');
    expect(await message('start', 'x')).not.toContain('Did you mean');
    expect(await message('show', '--group', 'build')).toContain("There are: 'Build'.");
    await run(['start', 'task-2', '--as', 'bob']);
    expect(await message('start', 'task-2')).toContain('(planroom reopen task-2)');
    expect(await failure('rooms', '--url', 'http://127.0.0.1:1')).toMatchObject({ exit: 5, retryable: true });
    expect(await message('rooms', '--url', `${server.url}/api`)).toContain("The address has the path '/api'");
  });

  it('of files are sentences', async () => {
    const { run, failure } = freshRoom();
    await run(['add', 'a']);
    const directory = join(folder, 'directory');
    await mkdir(directory);
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['import', directory], 'it is a folder; name a file in it.'],
      [['import', join(folder, 'none')], 'there is no such file.'],
      [['export', '--output', directory], 'is a folder; name a file in it.'],
      [['export', '--output', directory, '--force'], 'is a folder; name a file in it.'],
      [['export', '--output', join(folder, 'no', 'x.md')], 'its folder is not there.'],
    ];
    for (const [args, words] of cases) {
      expect(await failure(...args)).toMatchObject({
        exit: 4,
        code: 'file_not_found',
        message: expect.stringContaining(words),
      });
    }
  });

  it.each([
    [['show', '--ready', '--blocked']],
    [['show', '--context', '--ready']],
    [['verify', 'G', '--undo', '--evidence', 'x']],
    [['export', '--force']],
    [['start', '']],
    [['doc', 'stats']],
  ])('%j is bad usage', async (args) => {
    expect(await freshRoom().failure(...args)).toMatchObject({ exit: 2, code: 'usage', retryable: false });
  });

  it('--version is JSON where JSON is asked for', async () => {
    const { stdout } = await freshRoom().run(['-V', '--json']);
    expect(JSON.parse(stdout)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it('--help of each new command shows examples', async () => {
    const { run } = freshRoom();
    for (const command of ['policy', 'log', 'revert', 'move', 'group', 'group add', 'group remove']) {
      const { code, stdout } = await run([...command.split(' '), '--help']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`$ planroom ${command}`) });
    }
  });
});
