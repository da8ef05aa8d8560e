import { Console } from 'node:console';
import { type Command, Option } from 'commander';
import { actorSchema } from '../../../shared/protocol/names.ts';
import { Bridge } from '../../mcp/bridge.ts';
import { Home, nowhere } from '../../mcp/home.ts';
import { type CliFailure, type ExitCode, exitCodes } from '../failure.ts';
import { type Io, presentFailure } from '../output.ts';
import type { Settings } from '../settings.ts';
import { oneLine } from '../terminal-text.ts';
import { acting, type Run } from './command.ts';
import { examples } from './tasks.ts';

interface McpOptions {
  readonly tools?: string;
  readonly data?: string;
}

/** What the command line said, and what it left open. */
interface Chosen {
  readonly isUrlFixed: boolean;
  readonly isActorFixed: boolean;
}

const explanation = (dialects: string): string => `
Speaks MCP on stdin and stdout and hands each message to the server, so that an agent that can only start a command has
what the server's /mcp gives. Without a server, and without --url, one is started in the background; it stays.
Say who you are with --as when several agents of one kind share a room: what each saw last hangs on the name.
Without --as it is <your user name>/<name of the agent's program>, such as ann/claude-code.

--tools offers another tool's vocabulary for the plan (docs/dialects.md):
${dialects}

In the configuration of an agent:
  $ claude mcp add plan -- planroom mcp --room release --as ann --tools claude-code
  $ codex mcp add plan -- planroom mcp --room release --as bob --tools codex
`;

/** `mcp`: the server's MCP over stdio. `isNamed`: it may be asked for its help, for which no other command has to wait. */
export async function addMcpCommand(program: Command, run: Run, isNamed: boolean): Promise<void> {
  const dialects = isNamed ? await dialectLines() : '';
  const command = program.command('mcp');
  command
    .description('MCP over stdio, for agents whose configuration starts a command')
    .addOption(new Option('--tools <dialect>', 'whose tools to offer (default: planroom)').env('PLANROOM_TOOLS'))
    .addOption(new Option('--data <folder>', 'use the server of this data folder').env('PLANROOM_DATA'))
    .addHelpText(
      'after',
      `${explanation(dialects)}${examples('mcp', 'mcp --room release --as reviewer', 'mcp --data ./plans --tools cosh')}`,
    )
    .action(
      acting<McpOptions>(
        run,
        (settings, _args, options) => {
          const isDefault = (name: string): boolean => command.getOptionValueSourceWithGlobals(name) === 'default';
          const isUsualUrl = settings.url.replace(/\/$/, '') === usualUrl;
          return serveStdio(settings, options, run.io, {
            isUrlFixed: !isUsualUrl && !isDefault('url'),
            isActorFixed: !isDefault('as'),
          });
        },
        (failure, json) => refuseOverStdio(failure, json, run.io),
      ),
    );
}

async function dialectLines(): Promise<string> {
  const { dialects } = await import('../../../shared/dialects/registry.ts');
  const offered = dialects.filter(({ tools }) => tools.length > 0);
  return offered.map(({ name, title }) => `  ${name.padEnd(13)} ${title}`).join('\n');
}

const usualUrl = 'http://127.0.0.1:4747';

async function serveStdio(settings: Settings, options: McpOptions, io: Io, chosen: Chosen): Promise<ExitCode> {
  const { url, room, actor } = settings;
  // Set to nothing is as good as not set.
  const tools = options.tools || undefined;
  const data = options.data || undefined;
  const say = (text: string): void => void io.stderr.write(`planroom: ${oneLine(text)}\n`);
  // Stdout is for messages alone, whatever a library has to say.
  globalThis.console = new Console(io.stderr);
  const { isUrlFixed } = chosen;
  const home = new Home({ url, isUrlFixed, data, env: io.env, program: process.argv[1] ?? '', say });
  const actorOf = (clientName: string | undefined): string =>
    chosen.isActorFixed ? actor : actorWith(actor, clientName);
  await new Bridge({ input: io.stdin, output: io.stdout, home, room, tools, actorOf, say }).run();
  return exitCodes.ok;
}

/** A client shows what it is answered, and of a process that just ends only that the connection is closed. */
async function refuseOverStdio(failure: CliFailure, json: boolean, io: Io): Promise<ExitCode> {
  presentFailure(failure, json, io);
  // Nobody speaks MCP at a terminal.
  if (io.stdin.isTTY) return failure.exitCode;
  const bridge = new Bridge({
    input: io.stdin,
    output: io.stdout,
    home: nowhere(failure.message),
    room: '',
    actorOf: () => '',
    say: () => undefined,
  });
  await bridge.run();
  return failure.exitCode;
}

/** Agents of different kinds that one person runs are different actors. */
function actorWith(user: string, clientName: string | undefined): string {
  const parsed = actorSchema.safeParse(`${user}/${clientName}`);
  return clientName !== undefined && parsed.success ? parsed.data : user;
}
