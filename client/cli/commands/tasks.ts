import type { Command } from 'commander';
import type { Ack, SingleMutation } from '../../sdk/index.ts';
import { usageFailure } from '../failure.ts';
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

/** Commands that change tasks: add, edit, and the ways of a status. */
export function addTaskCommands(program: Command, run: Run): void {
  addAdd(program, run);
  addEdit(program, run);
  addStatusCommand(program, run, 'start', 'task.start', 'take tasks in progress', 'Started');
  addStatusCommand(program, run, 'done', 'task.complete', 'complete tasks', 'Completed');
  addStatusCommand(program, run, 'cancel', 'task.cancel', 'cancel tasks: they will not be done', 'Cancelled');
  addStatusCommand(program, run, 'reopen', 'task.reopen', 'take tasks back to pending', 'Reopened');
  addStatusCommand(program, run, 'remove', 'task.remove', 'remove tasks from the plan', 'Removed');
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
            ...(priority !== undefined && { priority }),
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
        );
      }),
    );
}

type StatusMutation = 'task.start' | 'task.complete' | 'task.cancel' | 'task.reopen' | 'task.remove';

/** Several tasks go as one Change: all of them or none. */
function addStatusCommand(
  program: Command,
  run: Run,
  name: string,
  type: StatusMutation,
  description: string,
  verb: string,
): void {
  program
    .command(name)
    .description(description)
    .argument('<task...>', 'ids such as task-7, or uids; several are changed together or not at all')
    .option('--base <revision>', 'refuse if one of the tasks changed after this revision', parseRevision)
    .addHelpText('after', examples(`${name} task-7`, `${name} task-7 task-8`))
    .action(
      answering<{ readonly base?: number }>(run, (settings, tasks, { base }) => {
        const mutations = tasks.map(
          (task): SingleMutation => ({ type, task, ...(base !== undefined && { base }) }) as SingleMutation,
        );
        const [only] = mutations;
        const mutation = mutations.length === 1 && only ? only : { type: 'batch' as const, mutations };
        return mutateAndSay(settings, mutation, () => `${verb} ${tasks.join(', ')}`);
      }),
    );
}

function createdIds(ack: Ack): string {
  return ack.created.map(({ id }) => id).join(', ');
}

/** Help text of a command that shows it in use. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ planroom ${line}`).join('\n')}`;
}
