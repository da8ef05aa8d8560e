import type { Command } from 'commander';
import { err } from '../../../shared/plan/result.ts';
import type { Ack, SingleMutation } from '../../sdk/index.ts';
import { type CliFailure, usageFailure } from '../failure.ts';
import { mutateAndSay } from '../session.ts';
import { collectList, parseRevision } from '../settings.ts';
import { answering, type Run } from './command.ts';

interface AddOptions {
  readonly group?: string;
  readonly depends?: readonly string[];
  readonly priority?: string;
  readonly label?: readonly string[];
}

interface EditOptions extends AddOptions {
  readonly description?: string;
  readonly base?: number;
}

interface MoveOptions {
  readonly before?: string;
  readonly after?: string;
  readonly group?: string;
  readonly base?: number;
}

/** Commands that change tasks: add, edit, move, and the ways of a status. */
export function addTaskCommands(program: Command, run: Run): void {
  addAdd(program, run);
  addEdit(program, run);
  addMove(program, run);
  addStatusCommand(program, run, {
    name: 'start',
    type: 'task.start',
    description: 'take tasks in progress; by default everyone has at most one (planroom policy)',
    verb: 'Started',
    shown: ['start task-7', 'start task-7 --as my-agent --base 12'],
  });
  addStatusCommand(program, run, {
    name: 'done',
    type: 'task.complete',
    description: 'complete tasks',
    verb: 'Completed',
  });
  addStatusCommand(program, run, {
    name: 'cancel',
    type: 'task.cancel',
    description: 'cancel tasks: they will not be done',
    verb: 'Cancelled',
  });
  addStatusCommand(program, run, {
    name: 'reopen',
    type: 'task.reopen',
    description: 'take tasks back to pending',
    verb: 'Reopened',
  });
  addStatusCommand(program, run, {
    name: 'remove',
    type: 'task.remove',
    description: 'remove tasks from the plan',
    verb: 'Removed',
  });
}

function addAdd(program: Command, run: Run): void {
  program
    .command('add')
    .description('add a task')
    .argument('<description...>', 'what is to be done')
    .option('--group <title>', 'group it goes to, made if it is not there (default: Tasks)')
    .option('--depends <ids>', 'ids of the tasks it waits for, with commas; may be repeated', collectList)
    .option('--priority <text>', 'its priority, such as high')
    .option('--label <labels>', 'labels, with commas; may be repeated', collectList)
    .addHelpText('after', examples('add Write the parser', 'add "Ship it" --group Release --depends task-1,task-2'))
    .action(
      answering<AddOptions>(run, (settings, words, { group, depends, priority, label }) =>
        mutateAndSay(
          settings,
          {
            type: 'task.add',
            description: words.join(' '),
            ...(group !== undefined && { group }),
            ...(depends && { dependsOn: [...depends] }),
            ...(priority && { priority }),
            ...(label && { labels: [...label] }),
          },
          (ack) => `Added ${createdIds(ack)}`,
        ),
      ),
    );
}

function addEdit(program: Command, run: Run): void {
  program
    .command('edit')
    .description('change fields of a task; what is not named stays')
    .argument('<task>', 'id such as task-7, or uid')
    .option('--description <text>', 'new description')
    .option('--group <title>', 'group it moves to, made if it is not there')
    .option('--depends <ids>', "all tasks it waits for, with commas; '' for none", collectList)
    .option('--priority <text>', "new priority; '' takes it away")
    .option('--label <labels>', "all labels, with commas; '' for none", collectList)
    .option('--base <revision>', 'refuse if the task changed after this revision', parseRevision)
    .addHelpText('after', examples('edit task-7 --description "Write the lexer" --base 12', "edit task-7 --depends ''"))
    .action(
      answering<EditOptions>(run, async (settings, [task = ''], options) => {
        if (task === '') return noTask;
        const { description, group, depends, priority, label, base } = options;
        const fields = [description, group, depends, priority, label];
        if (fields.every((field) => field === undefined)) {
          return usageFailure('Name at least one of --description, --group, --depends, --priority, --label.');
        }
        return mutateAndSay(
          settings,
          {
            type: 'task.edit',
            task,
            ...(description !== undefined && { description }),
            ...(group !== undefined && { group }),
            ...(depends && { dependsOn: [...depends] }),
            ...(priority !== undefined && { priority: priority === '' ? null : priority }),
            ...(label && { labels: label.length === 0 ? null : [...label] }),
            ...(base !== undefined && { base }),
          },
          () => `Edited ${task}`,
          () => `${task} says that already`,
        );
      }),
    );
}

function addMove(program: Command, run: Run): void {
  program
    .command('move')
    .description('put a task elsewhere: before or after another, or at the end of a group')
    .argument('<task>', 'id such as task-7, or uid')
    .option('--before <task>', 'the task it goes before, in the group of that one')
    .option('--after <task>', 'the task it goes after, in the group of that one')
    .option('--group <title>', 'group whose end it goes to, made if it is not there')
    .option('--base <revision>', 'refuse if the task changed after this revision', parseRevision)
    .addHelpText('after', examples('move task-7 --before task-2', 'move task-7 --group Release'))
    .action(
      answering<MoveOptions>(run, async (settings, [task = ''], { before, after, group, base }) => {
        const places = [before, after, group].filter((place) => place !== undefined);
        if (places.length !== 1) return usageFailure('Name one of --before, --after, --group.');
        if (task === '' || before === '' || after === '') return noTask;
        return mutateAndSay(
          settings,
          {
            type: 'task.move',
            task,
            ...(before !== undefined && { before }),
            ...(after !== undefined && { after }),
            ...(group !== undefined && { group }),
            ...(base !== undefined && { base }),
          },
          () => `Moved ${task}`,
          () => `${task} is there already`,
        );
      }),
    );
}

interface StatusCommand {
  readonly name: string;
  readonly type: 'task.start' | 'task.complete' | 'task.cancel' | 'task.reopen' | 'task.remove';
  readonly description: string;
  readonly verb: string;
  /** Examples. */
  readonly shown?: readonly string[];
}

/** Several tasks go as one Change: all of them or none. */
function addStatusCommand(program: Command, run: Run, { name, type, description, verb, shown }: StatusCommand): void {
  program
    .command(name)
    .description(description)
    .argument('<task...>', 'ids such as task-7, or uids; several are changed together or not at all')
    .option('--base <revision>', 'refuse if one of the tasks changed after this revision', parseRevision)
    .addHelpText('after', examples(...(shown ?? [`${name} task-7`, `${name} task-7 task-8`])))
    .action(
      answering<{ readonly base?: number }>(run, async (settings, named, { base }) => {
        if (named.includes('')) return noTask;
        const tasks = [...new Set(named)];
        const mutations = tasks.map(
          (task): SingleMutation => ({ type, task, ...(base !== undefined && { base }) }) as SingleMutation,
        );
        const [only] = mutations;
        const mutation = mutations.length === 1 && only ? only : { type: 'batch' as const, mutations };
        const list = tasks.join(', ');
        const done = await mutateAndSay(
          settings,
          mutation,
          () => `${verb} ${list}`,
          () => `${verb} already: ${list}`,
        );
        return done.ok ? done : err(atTask(done.error, tasks));
      }),
    );
}

const noTask = usageFailure('A task is named by its id, such as task-7, or its uid.');

/** What the server calls a mutation of a batch is one of the tasks here. */
function atTask(failure: CliFailure, tasks: readonly string[]): CliFailure {
  const task = tasks[Number(failure.facts?.index)];
  if (task === undefined) return failure;
  const message = failure.message.replace(/^Mutation \d+ of \d+ was refused, so none took effect\. /, '');
  return { ...failure, message: `Nothing was changed, because of ${task}: ${message}` };
}

function createdIds(ack: Ack): string {
  return ack.created.map(({ id }) => id).join(', ');
}

/** Help text of a command that shows it in use. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ planroom ${line}`).join('\n')}`;
}
