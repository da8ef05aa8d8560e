import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Run } from './commands/command.ts';
import { addDocumentCommands } from './commands/document.ts';
import { addGroupCommands } from './commands/groups.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addImportCommand } from './commands/import.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addPolicyCommand } from './commands/policy.ts';
import { addRoomCommands } from './commands/rooms.ts';
import { addServeCommand } from './commands/serve.ts';
import { addTaskCommands, examples } from './commands/tasks.ts';
import { addWatchCommand } from './commands/watch.ts';
import { type ExitCode, exitCodes } from './failure.ts';
import { type Io, presentFailure } from './output.ts';
import { addCommonOptions } from './settings.ts';

const epilogue = `
Exit codes: 0 ok, 2 bad usage, 3 conflict, 4 rejected or not found, 5 cannot reach the server or store error.
${examples('serve', 'add Write the parser --group Build', 'start task-1', 'show --ready', 'watch --room main')}`;

/** Runs the command that the arguments name, and gives its exit code. Throws only for bugs. */
export async function runProgram(args: readonly string[], io: Io): Promise<ExitCode> {
  const run: Run = { io, exitCode: exitCodes.ok };
  const wantsJson = isJsonWanted(args);
  const version = packageVersion();
  const program = addCommonOptions(new Command('planroom'));
  program
    .description('One live plan, shared by every agent, terminal tab and person on a job.')
    .version(version, '-V, --version')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        const isVersion = wantsJson && text === `${version}\n`;
        io.stdout.write(isVersion ? `${JSON.stringify({ version })}\n` : text);
      },
      // Under --json the failure is one line of JSON, written below.
      writeErr: (text) => wantsJson || io.stderr.write(text),
    })
    .showHelpAfterError('(add --help for how it is used)')
    .addHelpText('after', epilogue)
    .exitOverride();
  addServeCommand(program, run);
  addRoomCommands(program, run);
  addTaskCommands(program, run);
  addGroupCommands(program, run);
  addPlanCommands(program, run);
  addImportCommand(program, run);
  addHistoryCommands(program, run);
  addPolicyCommand(program, run);
  addDocumentCommands(program, run);
  addWatchCommand(program, run);
  await addMcpCommand(program, run, args.includes('mcp'));
  try {
    await program.parseAsync(args, { from: 'user' });
    return run.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCodes.ok;
    const message =
      error.code === 'commander.help' ? 'Name a command; --help lists them.' : withoutPrefix(error.message);
    if (wantsJson) presentFailure({ code: 'usage', message, exitCode: exitCodes.badUsage }, true, io);
    return exitCodes.badUsage;
  }
}

/** Looked up before parsing, so that a mistake in the arguments is answered as JSON too. */
function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
}

function withoutPrefix(message: string): string {
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

function packageVersion(): string {
  // The same file, seen from the sources and from the build.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // Not here.
    }
  }
  return 'unknown';
}
