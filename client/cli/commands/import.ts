import type { Command } from 'commander';
import { type ParsedPlan, readPlan } from '../../../shared/plan/markdown.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { joinNames } from '../../../shared/plan/text.ts';
import type { ClientFailure, PlanroomClient } from '../../sdk/index.ts';
import { cliFailure, exitCodes } from '../failure.ts';
import { readText } from '../files.ts';
import type { Outcome } from '../output.ts';
import { type Done, mutateRoom, withClient, withPlace } from '../session.ts';
import { parseRevision, type Settings } from '../settings.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

/** Numbers of skipped lines that are named; the rest are counted. */
const linesNamedMax = 5;
/** The same under `--json`. */
const linesListedMax = 100;

interface ImportOptions {
  readonly base?: number;
  readonly yes?: boolean;
}

/** `import`: a Markdown file as the plan. Says what it took, what it left out and what it replaced. */
export function addImportCommand(program: Command, run: Run): void {
  program
    .command('import')
    .description('replace all groups and tasks by those of a Markdown file; the document too if it is an export')
    .argument('<file>', 'Markdown file, - for stdin')
    .option('--base <revision>', 'refuse if the plan is not at this revision', parseRevision)
    .option('--yes', 'also when the file has no task and the plan has some')
    .addHelpText(
      'after',
      `\nRead are '## ' as groups, '- [ ] ' and '- [x] ' below one as tasks, and '- depends: ' below a task.\n${examples('import plan.md', 'import - < plan.md')}`,
    )
    .action(
      answering<ImportOptions>(run, async (settings, [file = ''], options) => {
        const text = await readText(file, run.io);
        return text.ok ? load(settings, text.value, options) : text;
      }),
    );
}

type Loaded = { readonly done: Done; readonly replaced: number } | { readonly wouldRemove: number };

async function load(settings: Settings, markdown: string, { base, yes = false }: ImportOptions): Promise<Outcome> {
  const { plan, skipped } = readPlan(markdown);
  const tasks = plan.groups.flatMap((group) => group.tasks);
  const answered = await withClient<Loaded>(settings, async (client) => {
    const present = await taskCount(client, settings.room);
    if (!present.ok) return present;
    if (tasks.length === 0 && present.value > 0 && !yes) return ok({ wouldRemove: present.value });
    const mutation = { type: 'plan.load' as const, markdown, ...(base !== undefined && { base }) };
    const done = await mutateRoom(client, settings, mutation);
    return done.ok ? ok({ done: done.value, replaced: present.value }) : done;
  });
  if (!answered.ok) return answered;
  if ('wouldRemove' in answered.value) return refuseEmpty(answered.value.wouldRemove, skipped);
  const { done, replaced } = answered.value;
  const groups = plan.groups.length;
  const unresolved = unresolvedDependencies(plan, done);
  return ok({
    json: {
      ...done,
      tasks: done.created.length,
      groups,
      replaced,
      skipped: { count: skipped.length, lines: skipped.slice(0, linesListedMax) },
      unresolved,
    },
    lines: [withPlace(`Imported ${count(done.created.length, 'task')} in ${count(groups, 'group')}`, done)],
    notes: [
      ...done.nags.map((nag) => nag.message),
      ...(replaced > 0
        ? [`It replaced ${count(replaced, 'task')}; planroom revert ${done.revision} brings them back.`]
        : []),
      ...(skipped.length > 0 ? [skippedNote(skipped)] : []),
      ...(unresolved.length > 0
        ? [`No task of the plan is ${joinNames(unresolved)}; as dependencies they are kept as written.`]
        : []),
    ],
  });
}

/** Tasks that the room has now: none when nothing was ever written to it. */
async function taskCount(client: PlanroomClient, room: string): Promise<Result<number, ClientFailure>> {
  const read = await client.snapshot(room);
  if (read.ok) return ok(read.value.tasks.length);
  return read.error.code === 'room_not_found' ? ok(0) : err(read.error);
}

function refuseEmpty(tasks: number, skipped: readonly number[]): Outcome {
  const why = skipped.length > 0 ? ` ${skippedNote(skipped)}` : '';
  const message = `The file has no task, and the plan has ${count(tasks, 'task')}, which would go. If that is meant, add --yes.${why}`;
  return cliFailure('nothing_to_import', message, exitCodes.rejected);
}

function skippedNote(skipped: readonly number[]): string {
  const named = skipped.slice(0, linesNamedMax).join(', ');
  const more = skipped.length > linesNamedMax ? ', …' : '';
  const what = `${count(skipped.length, 'line')} of the file ${skipped.length === 1 ? 'was' : 'were'} not understood and left out`;
  return `${what}: ${skipped.length === 1 ? 'line' : 'lines'} ${named}${more}. 'planroom import --help' says what is read.`;
}

/** What tasks of the file wait for although the plan has no such task, each once. */
function unresolvedDependencies(plan: ParsedPlan, { created }: Done): readonly string[] {
  const ids = new Set(created.map(({ id }) => id));
  const named = plan.groups.flatMap((group) => group.tasks.flatMap((task) => task.dependsOn));
  return [...new Set(named)].filter((name) => !ids.has(name));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
