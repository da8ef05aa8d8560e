import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliRoom, ok } from '../client/support/cli-room.ts';
import { ServerProcess } from '../support/server-process.ts';

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

/** A room of its own, and the program working in it as `ann`. */
function freshRoom() {
  rooms += 1;
  return cliRoom(server.url, `room-${rooms}`);
}

describe('tasks', () => {
  it('add makes a task and its group, and says its id', async () => {
    const { room, run, json } = freshRoom();
    expect(await run(['add', 'Write', 'the', 'parser', '--group', 'Build', '--priority', 'high'])).toEqual(
      ok(`^Added task-1 \\(room ${room}, revision 1\\)\n$`),
    );
    const ack = await json('add', 'Test it', '--depends', 'task-1', '--label', 'a,b', '--label', 'c');
    expect(ack).toMatchObject({ room, revision: 2, repeated: false, nags: [], created: [{ id: 'task-2' }] });
    expect((await json('show')).tasks).toMatchObject([
      { id: 'task-1', description: 'Write the parser', priority: 'high', createdBy: 'ann', blockedBy: [] },
      { id: 'task-2', dependsOn: ['task-1'], labels: ['a', 'b', 'c'], blockedBy: ['task-1'] },
    ]);
  });

  it('advice goes to stderr, and into the document under --json', async () => {
    const { run, json } = freshRoom();
    const { code, stdout, stderr } = await run(['add', 'x', '--depends', 'task-9']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Added task-1 /) });
    expect(stderr).toMatch(/^note: .*task-9.*does not exist.*\n$/);
    expect((await json('add', 'y', '--depends', 'task-9')).nags).toMatchObject([{ code: 'unknown_dependency' }]);
  });

  it('start, done, cancel, reopen and remove take several tasks, all or none', async () => {
    const { run, json, failure } = freshRoom();
    for (const text of ['a', 'b', 'c']) await run(['add', text]);
    expect(await run(['start', 'task-1'])).toEqual(ok(/^Started task-1 /));
    expect(await failure('start', 'task-2')).toMatchObject({ exit: 4, code: 'busy', facts: { busy: ['task-1'] } });
    expect(await run(['done', 'task-1', 'task-2'])).toEqual(ok(/^Completed task-1, task-2 /));
    expect(await failure('done', 'task-3', 'task-1')).toMatchObject({ exit: 4, code: 'terminal', facts: { index: 1 } });
    expect(await run(['reopen', 'task-1'])).toEqual(ok(/^Reopened task-1 /));
    expect(await run(['cancel', 'task-1', 'task-3'])).toEqual(ok(/^Cancelled task-1, task-3 /));
    expect((await json('show')).tasks.map((task: { status: string }) => task.status)).toEqual([
      'cancelled',
      'completed',
      'cancelled',
    ]);
    expect((await json('remove', 'task-3')).revision).toBe(8);
    expect(await failure('remove', 'task-3')).toMatchObject({ exit: 4, code: 'task_not_found' });
  });

  it('edit changes what is named, and refuses with 3 when the task changed after --base', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a', '--priority', 'low', '--label', 'x', '--depends', 'task-1']);
    expect(await run(['edit', 'task-1', '--description', 'b', '--base', '1'])).toEqual(
      ok(/^Edited task-1 .*revision 2/),
    );
    expect(await failure('edit', 'task-1', '--description', 'c', '--base', '1')).toMatchObject({
      exit: 3,
      code: 'conflict',
      facts: { expected: 1, current: 2 },
    });
    await json('edit', 'task-1', '--priority', '', '--label', '', '--depends', '', '--group', 'Other');
    const { tasks, groups } = await json('show');
    expect(tasks[0]).toMatchObject({ description: 'b', dependsOn: [] });
    expect(tasks[0]).not.toHaveProperty('priority');
    expect(tasks[0]).not.toHaveProperty('labels');
    expect(groups.map((group: { title: string }) => group.title)).toEqual(['Tasks', 'Other']);
    expect(await failure('edit', 'task-1')).toMatchObject({ exit: 2, code: 'usage' });
  });
});

describe('the plan', () => {
  it('show prints groups, markers, ids, dependencies, holders, counts and the document', async () => {
    const { room, run } = freshRoom();
    await run(['add', 'Write the parser', '--group', 'Build', '--priority', 'high', '--label', 'core']);
    await run(['add', 'Test it', '--group', 'Build', '--depends', 'task-1,task-9']);
    await run(['add', 'Old idea', '--group', 'Ship']);
    await run(['start', 'task-1']);
    await run(['cancel', 'task-3']);
    await run(['verify', 'Ship', '--evidence', 'looked at it']);
    await run(['doc', 'write', '-', '--title', 'The plan', '--status', 'draft', '--author', 'ann'], {
      input: '# Hi\n',
    });
    const { code, stdout, stderr } = await run(['show']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, ...lines] = stdout.split('\n');
    expect(head).toMatch(new RegExp(`^${room}  revision 7, changed 20`));
    expect(lines).toEqual([
      '3 tasks: 1 pending, 1 in progress, 0 completed, 1 cancelled; 0 ready, 1 blocked',
      'Document: The plan [draft] by ann (5 bytes, revision 7; see it with: planroom doc)',
      '',
      'Build',
      '  [>] task-1 Write the parser @ann !high #core',
      '  [ ] task-2 Test it (needs task-1*, task-9?)',
      '',
      'Ship [tests verified] looked at it',
      '  [-] task-3 Old idea',
      '',
    ]);
  });

  it('show --context prints the block for an agent, and nothing once all is done', async () => {
    const { run, json } = freshRoom();
    await run(['add', 'One', '--group', 'Build']);
    expect((await run(['show', '--context'])).stdout).toContain('### Build\n- [ ] One (task-1)');
    await run(['done', 'task-1']);
    expect(await run(['show', '--context'])).toMatchObject({ code: 0, stdout: '' });
    expect(await json('show', '--context')).toEqual({ context: null });
  });

  it('show keeps to its filters', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a', '--group', 'One']);
    await run(['add', 'b', '--group', 'Two', '--depends', 'task-1']);
    await run(['add', 'c', '--group', 'Two']);
    await run(['done', 'task-3']);
    const ids = async (...args: string[]) => (await json('show', ...args)).tasks.map(({ id }: { id: string }) => id);
    expect(await ids('--ready')).toEqual(['task-1']);
    expect(await ids('--blocked')).toEqual(['task-2']);
    expect(await ids('--status', 'completed')).toEqual(['task-3']);
    expect(await ids('--group', 'Two')).toEqual(['task-2', 'task-3']);
    expect((await run(['show', '--ready'])).stdout).not.toContain('Two');
    expect((await run(['show', '--status', 'in_progress'])).stdout).toContain('No task matches.');
    expect(await failure('show', '--group', 'Three')).toMatchObject({ exit: 4, code: 'group_not_found' });
    expect(await failure('show', '--status', 'flying')).toMatchObject({ exit: 2, code: 'usage' });
  });

  it('clean takes finished tasks away, and pending ones only when asked', async () => {
    const { run, json } = freshRoom();
    for (const text of ['a', 'b']) await run(['add', text]);
    await run(['done', 'task-1']);
    const { code, stderr } = await run(['clean']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Removed 1 completed') });
    expect((await json('show')).tasks).toHaveLength(1);
    await run(['clean', '--pending']);
    expect((await json('show')).tasks).toHaveLength(0);
  });

  it('verify records evidence, and takes it back', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a', '--group', 'Build']);
    const { code, stderr } = await run(['verify', 'Build', '--evidence', 'npm test']);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('still open') });
    expect((await json('show')).groups).toMatchObject([{ testsVerified: true, evidence: 'npm test' }]);
    expect((await run(['verify', 'Build', '--undo'])).code).toBe(0);
    expect((await json('show')).groups).toMatchObject([{ testsVerified: false }]);
    expect(await failure('verify', 'Nope')).toMatchObject({ exit: 4, code: 'group_not_found' });
  });

  it('import says how many, export gives back what import reads', async () => {
    const { run, json, failure } = freshRoom();
    const markdown = '## Build\n- [ ] a\n- [x] b\n## Ship\n- [ ] c\n  - depends: task-1\n';
    expect(await run(['import', '-'], { input: markdown })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Imported 3 tasks in 2 groups \(room .*, revision 1\)\n$/),
    });
    const exported = await run(['export']);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    const other = freshRoom();
    const file = join(folder, 'import.md');
    await writeFile(file, exported.stdout);
    expect(await other.json('import', file)).toMatchObject({ tasks: 3, groups: 2, revision: 1 });
    expect((await other.run(['export'])).stdout).toBe(exported.stdout);
    expect((await json('export')).markdown).toBe(exported.stdout);
    expect(await failure('import', join(folder, 'none.md'))).toMatchObject({ exit: 4, code: 'file_not_found' });
    expect(await failure('import', file, '--base', '0')).toMatchObject({ exit: 3, code: 'conflict' });
    await writeFile(file, Buffer.from([0x23, 0xff, 0xfe]));
    expect(await failure('import', file)).toMatchObject({ exit: 4, code: 'not_text' });
  });

  it('export writes a file, and overwrites one only when forced', async () => {
    const { run, json, failure } = freshRoom();
    await run(['add', 'a']);
    const output = join(folder, 'out.md');
    await writeFile(output, 'mine');
    expect(await failure('export', '--output', output)).toMatchObject({ exit: 4, code: 'file_exists' });
    expect(await readFile(output, 'utf8')).toBe('mine');
    const written = await json('export', '--output', output, '--force');
    const text = await readFile(output, 'utf8');
    expect(written).toMatchObject({ output, bytes: Buffer.byteLength(text), revision: 1 });
    expect(await run(['export', '--output', join(folder, 'new.md')])).toEqual(ok(/^Wrote \d+ bytes to .*new\.md/));
    expect(await failure('export', '--output', join(folder, 'no', 'such', 'folder.md'))).toMatchObject({
      exit: 4,
      code: 'file_not_found',
    });
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('the document', () => {
  it('is written from a file or stdin, shown as it is, and keeps what is not given', async () => {
    const { run, json, failure } = freshRoom();
    expect(await failure('doc')).toMatchObject({ exit: 4, code: 'room_not_found' });
    await run(['add', 'a']);
    expect(await failure('doc', 'show')).toMatchObject({ exit: 4, code: 'document_not_found' });
    const file = join(folder, 'doc.md');
    const body = `# Plan\n\nümläut \u001b[31mred\u001b[0m${'x'.repeat(100_000)}`;
    await writeFile(file, body);
    expect(await run(['doc', 'write', file, '--title', 'T', '--author', 'ann'])).toEqual(ok(/^Wrote the document /));
    expect((await run(['doc'])).stdout).toBe(body);
    expect(await json('doc', 'status', 'approved')).toMatchObject({ revision: 3 });
    expect(await json('doc')).toMatchObject({ title: 'T', author: 'ann', status: 'approved', content: body });
    expect(await failure('doc', 'write', '--title', 'U', '--base', '2')).toMatchObject({ exit: 3, code: 'conflict' });
    expect((await run(['doc', 'write', '--file', '-'], { input: 'new' })).code).toBe(0);
    expect(await json('doc', 'show')).toMatchObject({ title: 'T', content: 'new' });
    expect(await failure('doc', 'write')).toMatchObject({ exit: 2, code: 'usage' });
    expect(await failure('doc', 'write', '-')).toMatchObject({ exit: 4, code: 'blank_text' });
  });
});

describe('rooms', () => {
  it('rooms lists them, delete removes one, at a revision when asked', async () => {
    const { room, run, json, failure } = freshRoom();
    await run(['add', 'a']);
    await run(['done', 'task-1']);
    await run(['add', 'b']);
    expect((await run(['rooms'])).stdout).toMatch(new RegExp(`^${room}  1 of 2 open  revision 3  20.*Z$`, 'm'));
    expect((await json('rooms')).rooms).toContainEqual(expect.objectContaining({ room, taskCount: 2, openCount: 1 }));
    expect(await failure('delete', room, '--revision', '1')).toMatchObject({ exit: 3, code: 'conflict' });
    expect(await run(['delete', room, '--revision', '3'])).toEqual(ok(`^Deleted room ${room} `));
    expect(await failure('delete', room)).toMatchObject({ exit: 4, code: 'room_not_found' });
    expect(await failure('show')).toMatchObject({ exit: 4, code: 'room_not_found' });
  });

  it('--room, --url and --as win over the environment, before the command and after it', async () => {
    const { run, json } = freshRoom();
    const other = freshRoom();
    expect((await run(['--room', other.room, '--as', 'bob', 'add', 'a'])).code).toBe(0);
    expect((await run(['add', 'b', '--room', other.room, '--as', 'eve'])).code).toBe(0);
    const { tasks } = await json('show', '--room', other.room);
    expect(tasks.map((task: { createdBy: string }) => task.createdBy)).toEqual(['bob', 'eve']);
    const env = { PLANROOM_URL: 'http://127.0.0.1:1' };
    expect((await run(['rooms', '--url', server.url], { env })).code).toBe(0);
    expect((await run(['rooms'], { env })).code).toBe(5);
  });
});

describe('mistakes', () => {
  it.each([
    [[]],
    [['fly']],
    [['add']],
    [['add', 'x', '--wings', '2']],
    [['start']],
    [['edit', 'task-1', '--description', 'x', '--base', 'latest']],
    [['show', '--room', 'No Such Name']],
    [['show', '--url', 'nowhere']],
    [['show', '--as', '']],
    [['delete', 'No Such Name']],
  ])('%j is bad usage: exit code 2, with and without --json', async (args) => {
    const { run, failure } = freshRoom();
    const plain = await run(args);
    expect(plain).toMatchObject({ code: 2, stdout: '' });
    expect(plain.stderr).not.toBe('');
    expect(await failure(...args)).toMatchObject({ exit: 2, code: 'usage', message: expect.stringMatching(/.{10}/) });
  });

  it('without a server the command says how to start one: exit code 5', async () => {
    const { run, failure } = freshRoom();
    const url = 'http://127.0.0.1:1';
    const plain = await run(['add', 'x', '--url', url]);
    expect(plain).toMatchObject({ code: 5, stdout: '' });
    expect(plain.stderr).toMatch(/^planroom: Cannot reach the server at http:\/\/127\.0\.0\.1:1: .*planroom serve\n$/);
    for (const command of [['rooms'], ['show'], ['doc'], ['export'], ['watch'], ['delete', 'x']]) {
      expect(await failure(...command, '--url', url)).toMatchObject({ exit: 5, code: 'unreachable' });
    }
  });

  it('--help shows examples, everywhere', async () => {
    const { run } = freshRoom();
    expect((await run(['--help'])).stdout).toMatch(/Exit codes: 0 ok[\s\S]*Examples:\n {2}\$ planroom serve/);
    for (const command of [
      'serve',
      'show',
      'add',
      'start',
      'done',
      'edit',
      'clean',
      'verify',
      'doc',
      'import',
      'watch',
    ]) {
      const { code, stdout, stderr } = await run([command, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`$ planroom ${command}`);
      expect(stdout).toContain('--json');
    }
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
