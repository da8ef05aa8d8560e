import type { Command } from 'commander';
import { usageFailure } from '../failure.ts';
import { mutateAndSay } from '../session.ts';
import { parseRevision } from '../settings.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

interface Guard {
  readonly base?: number;
}

const baseHelp = 'refuse if the group changed after this revision';

/** `group add`, `rename`, `move`, `remove`. */
export function addGroupCommands(program: Command, run: Run): void {
  const group = program.command('group').description('add, rename, move or remove groups');
  group.addHelpText(
    'after',
    examples('group add Release', 'group rename Tasks Build', 'group remove Build --with-tasks'),
  );
  group
    .command('add')
    .description('add an empty group at the end')
    .argument('<title>')
    .addHelpText('after', examples('group add "Release 2"'))
    .action(
      answering(run, (settings, [title = '']) =>
        mutateAndSay(settings, { type: 'group.add', title }, () => `Added group '${title}'`),
      ),
    );
  group
    .command('rename')
    .description('give a group another title')
    .argument('<group>', 'title or uid')
    .argument('<title>', 'its new title')
    .option('--base <revision>', baseHelp, parseRevision)
    .addHelpText('after', examples('group rename Tasks Build'))
    .action(
      answering<Guard>(run, (settings, [name = '', title = ''], { base }) =>
        mutateAndSay(
          settings,
          { type: 'group.edit', group: name, title, ...(base !== undefined && { base }) },
          () => `Renamed group '${name}' to '${title}'`,
          () => `The title was '${title}' already`,
        ),
      ),
    );
  addMove(group, run);
  addRemove(group, run);
}

function addMove(group: Command, run: Run): void {
  group
    .command('move')
    .description('put a group elsewhere')
    .argument('<group>', 'title or uid')
    .option('--before <group>', 'the group it goes before')
    .option('--after <group>', 'the group it goes after')
    .option('--base <revision>', baseHelp, parseRevision)
    .addHelpText('after', examples('group move Release --after Build'))
    .action(
      answering<Guard & { readonly before?: string; readonly after?: string }>(
        run,
        async (settings, [name = ''], { before, after, base }) => {
          if ((before === undefined) === (after === undefined))
            return usageFailure('Name one of --before and --after.');
          return mutateAndSay(
            settings,
            {
              type: 'group.move',
              group: name,
              ...(before !== undefined && { before }),
              ...(after !== undefined && { after }),
              ...(base !== undefined && { base }),
            },
            () => `Moved group '${name}'`,
            () => `Group '${name}' is there already`,
          );
        },
      ),
    );
}

function addRemove(group: Command, run: Run): void {
  group
    .command('remove')
    .description('remove a group')
    .argument('<group>', 'title or uid')
    .option('--with-tasks', 'and its tasks; else it has to be empty')
    .option('--base <revision>', baseHelp, parseRevision)
    .addHelpText('after', examples('group remove Build', 'group remove Build --with-tasks'))
    .action(
      answering<Guard & { readonly withTasks?: boolean }>(run, (settings, [name = ''], { withTasks = false, base }) =>
        mutateAndSay(
          settings,
          { type: 'group.remove', group: name, withTasks, ...(base !== undefined && { base }) },
          () => `Removed group '${name}'`,
        ),
      ),
    );
}
