import { type Command, Option } from 'commander';
import { toMarkdown } from '../../../shared/plan/markdown.ts';
import { type Snapshot, type Status, statuses } from '../../../shared/plan/model.ts';
import { Plan } from '../../../shared/plan/plan.ts';
import { renderContext } from '../../../shared/plan/render.ts';
import { ok } from '../../../shared/plan/result.ts';
import { joinNames } from '../../../shared/plan/text.ts';
import { blockers, taskId } from '../../sdk/index.ts';
import { cliFailure, exitCodes, usageFailure } from '../failure.ts';
import { writeText } from '../files.ts';
import { type Outcome, paintFor } from '../output.ts';
import { matches, planLines, type TaskFilter } from '../plan-text.ts';
import { mutateAndSay, withClient } from '../session.ts';
import { parseRevision } from '../settings.ts';
import { oneLine } from '../terminal-text.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

/** Commands about the plan as a whole: show, clean, verify, export. */
export function addPlanCommands(program: Command, run: Run): void {
  addShow(program, run);
  addClean(program, run);
  addVerify(program, run);
  addExport(program, run);
}

interface ShowOptions {
  readonly ready?: boolean;
  readonly blocked?: boolean;
  readonly status?: Status;
  readonly group?: string;
  readonly context?: boolean;
}

function addShow(program: Command, run: Run): void {
  program
    .command('show')
    .description('show the plan')
    .option('--ready', 'only pending tasks that wait for nothing')
    .option('--blocked', 'only open tasks that wait for others')
    .addOption(new Option('--status <status>', 'only tasks with this status').choices(statuses))
    .option('--group <title>', 'only this group')
    .option('--context', "the open plan as a block of Markdown for an agent's context; nothing when all is done")
    .addHelpText(
      'after',
      `\nMarkers: [ ] pending, [>] in progress, [x] completed, [-] cancelled. A dependency with * holds its task up, one with ? is not there.\n${examples('show --ready', 'show --room release --status in_progress --json')}`,
    )
    .action(
      answering<ShowOptions>(run, async (settings, _args, options) => {
        const { context, ...filters } = options;
        if (context && Object.keys(filters).length > 0) {
          return usageFailure('--context shows the whole open plan; name no other filter with it.');
        }
        if (filters.ready && filters.blocked) {
          return usageFailure('No task is both ready and blocked; name one of --ready and --blocked.');
        }
        const read = await withClient(settings, (client) => client.snapshot(settings.room));
        if (!read.ok) return read;
        return context ? showContext(read.value) : showPlan(read.value, filters, run);
      }),
    );
}

function showContext(snapshot: Snapshot): Outcome {
  const context = renderContext(Plan.fromSnapshot(snapshot), {
    ids: true,
    verified: true,
    tools: ['planroom add', 'planroom start', 'planroom done'],
  });
  return ok({ json: { context }, lines: context === null ? [] : context.split('\n').map(oneLine) });
}

function showPlan(snapshot: Snapshot, { group, ...rest }: ShowOptions, run: Run): Outcome {
  const plan = Plan.fromSnapshot(snapshot);
  const found = group === undefined ? undefined : plan.findGroup(group);
  if (group !== undefined && !found) {
    const titles = snapshot.groups.map(({ title }) => title);
    const there = titles.length > 0 ? `There are: ${joinNames(titles)}.` : 'The plan has no groups yet.';
    return cliFailure('group_not_found', `Group '${group}' does not exist. ${there}`, exitCodes.rejected);
  }
  const filter: TaskFilter = { ...rest, ...(found && { group: found.uid }) };
  const tasks = snapshot.tasks
    .filter((task) => matches(plan, task, filter))
    .map((task) => ({ id: taskId(task), ...task, blockedBy: blockers(plan, task).map(taskId) }));
  const groups = found ? [found] : snapshot.groups;
  return ok({ json: { ...snapshot, groups, tasks }, lines: planLines(plan, filter, paintFor(run.io)) });
}

function addClean(program: Command, run: Run): void {
  program
    .command('clean')
    .description('remove finished tasks, and groups that are empty then')
    .option('--pending', 'remove pending tasks as well')
    .option('--base <revision>', 'refuse if the plan is not at this revision', parseRevision)
    .addHelpText('after', examples('clean', 'clean --pending'))
    .action(
      answering<{ readonly pending?: boolean; readonly base?: number }>(run, (settings, _args, options) => {
        const { pending = false, base } = options;
        const mutation = { type: 'tasks.clean' as const, keepPending: !pending, ...(base !== undefined && { base }) };
        return mutateAndSay(
          settings,
          mutation,
          () => 'Cleaned',
          () => 'There was nothing to clean',
        );
      }),
    );
}

interface VerifyOptions {
  readonly evidence?: string;
  readonly undo?: boolean;
  readonly base?: number;
}

function addVerify(program: Command, run: Run): void {
  program
    .command('verify')
    .description('record that the tests of a group pass')
    .argument('<group>', 'title or uid')
    .option('--evidence <text>', 'what showed it, such as the command that was run')
    .option('--undo', 'take it back')
    .option('--base <revision>', 'refuse if the group changed after this revision', parseRevision)
    .addHelpText('after', examples('verify Build --evidence "npm test: 214 passed"'))
    .action(
      answering<VerifyOptions>(run, async (settings, [group = ''], { evidence, undo = false, base }) => {
        if (undo && evidence !== undefined) return usageFailure('--undo takes the evidence back; do not give any.');
        return mutateAndSay(
          settings,
          {
            type: 'group.verify',
            group,
            verified: !undo,
            ...(evidence !== undefined && { evidence }),
            ...(base !== undefined && { base }),
          },
          () => (undo ? `Group '${group}' is not verified any more` : `Group '${group}' is verified`),
          () => (undo ? `Group '${group}' was not verified` : `Group '${group}' was verified already`),
        );
      }),
    );
}

interface ExportOptions {
  readonly output?: string;
  readonly force?: boolean;
}

function addExport(program: Command, run: Run): void {
  program
    .command('export')
    .description('write the plan as Markdown that import reads back')
    .option('--output <file>', 'file to write; without it stdout')
    .option('--force', 'overwrite a file that is there')
    .addHelpText('after', examples('export > plan.md', 'export --output plan.md --force'))
    .action(
      answering<ExportOptions>(run, async (settings, _args, { output, force = false }) => {
        if (force && output === undefined) return usageFailure('--force overwrites a file; name it with --output.');
        const read = await withClient(settings, (client) => client.snapshot(settings.room));
        if (!read.ok) return read;
        const { room, epoch, revision } = read.value;
        const markdown = toMarkdown(read.value);
        if (output === undefined) return ok({ json: { room, epoch, revision, markdown }, text: markdown });
        const written = await writeText(output, markdown, force);
        if (!written.ok) return written;
        const bytes = Buffer.byteLength(markdown);
        const line = `Wrote ${bytes} bytes to ${oneLine(output)} (room ${room}, revision ${revision})`;
        return ok({ json: { room, epoch, revision, output, bytes }, lines: [line] });
      }),
    );
}
