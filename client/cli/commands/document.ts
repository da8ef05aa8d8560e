import type { Command } from 'commander';
import { ok } from '../../../shared/plan/result.ts';
import { cliFailure, exitCodes, usageFailure } from '../failure.ts';
import { readText } from '../files.ts';
import type { Outcome } from '../output.ts';
import { mutateAndSay, withClient } from '../session.ts';
import { parseRevision, type Settings } from '../settings.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

interface WriteOptions {
  readonly file?: string;
  readonly title?: string;
  readonly author?: string;
  readonly status?: string;
  readonly base?: number;
}

/** `doc show`, `doc write`, `doc status`: the Markdown document of the plan. */
export function addDocumentCommands(program: Command, run: Run): void {
  const doc = program.command('doc').description('show or write the document of the plan; alone: print it');
  doc.addHelpText('after', examples('doc', 'doc write notes.md --title Notes', 'doc status approved'));
  // The argument catches words that are no command of it; the help does not show it.
  doc
    .usage('[options] [command]')
    .argument('[command]')
    .action(
      answering(run, async (settings, [word]) =>
        word === undefined
          ? show(settings)
          : usageFailure(`There is no command 'doc ${word}'. There are: doc show, doc write, doc status.`),
      ),
    );
  doc.command('show').description('print the document').action(answering(run, show));
  doc
    .command('write')
    .description('replace the body, the labels, or both; what is not given stays')
    .argument('[file]', 'file with the body, - for stdin')
    .option('--file <file>', 'the same as an option')
    .option('--title <text>', "title; '' takes it away")
    .option('--author <text>', "author; '' takes it away")
    .option('--status <text>', "free status label; '' takes it away")
    .option(
      '--base <revision>',
      'refuse if the document changed after this revision; 0: only if there is none',
      parseRevision,
    )
    .addHelpText(
      'after',
      examples('doc write plan.md --title "The plan" --author ann', 'doc write - --base 12 < plan.md'),
    )
    .action(answering<WriteOptions>(run, (settings, [file], options) => write(run, settings, file, options)));
  doc
    .command('status')
    .description('set the status label of the document')
    .argument('<label>', 'any text, such as draft or approved')
    .option('--base <revision>', 'refuse if the document changed after this revision', parseRevision)
    .action(
      answering<{ readonly base?: number }>(run, (settings, [status = ''], { base }) =>
        mutateAndSay(
          settings,
          { type: 'document.status', status, ...(base !== undefined && { base }) },
          () => `The document is '${status}'`,
          () => `The document is '${status}' already`,
        ),
      ),
    );
}

async function show(settings: Settings): Promise<Outcome> {
  const read = await withClient(settings, (client) => client.document(settings.room));
  if (!read.ok) return read;
  if (read.value.revision > 0) return ok({ json: read.value, text: read.value.content });
  return cliFailure('document_not_found', 'The plan has no document yet.', exitCodes.rejected);
}

async function write(
  run: Run,
  settings: Settings,
  argument: string | undefined,
  { file = argument, title, author, status, base }: WriteOptions,
) {
  if (argument !== undefined && argument !== file) return usageFailure('Name the file once.');
  if (file === undefined && title === undefined && author === undefined && status === undefined) {
    return usageFailure('Name a file (- for stdin), or at least one of --title, --author, --status.');
  }
  const text = file === undefined ? undefined : await readText(file, run.io);
  if (text && !text.ok) return text;
  return mutateAndSay(
    settings,
    {
      type: 'document.write',
      ...(text && { content: text.value }),
      ...(title !== undefined && { title }),
      ...(author !== undefined && { author }),
      ...(status !== undefined && { status }),
      ...(base !== undefined && { base }),
    },
    () => 'Wrote the document',
    () => 'The document says that already',
  );
}
