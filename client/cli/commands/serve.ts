import type { Command } from 'commander';
import type { ExitCode } from '../failure.ts';
import { setting } from '../settings.ts';
import type { Run } from './command.ts';
import { examples } from './tasks.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly files?: string;
}

interface ServerModule {
  /** Settles with the exit code when the server has ended. Prints its own lines. */
  serve(options: ServeOptions, json: boolean): Promise<number>;
}

/** `serve`: the server itself. It is loaded by address, because the client's code does not know the server's. */
export function addServeCommand(program: Command, run: Run): void {
  program
    .command('serve')
    .description('run the server; the last line of start-up is its address, with --json {url, folder, pid}')
    .addOption(setting('--host <host>', 'address to bind (default: 127.0.0.1)', 'PLANROOM_HOST'))
    .addOption(setting('--port <port>', 'port, 0 for a free one (default: 4747)', 'PLANROOM_PORT'))
    .addOption(
      setting(
        '--data <folder>',
        'folder where plans are kept (default: planroom in $XDG_DATA_HOME, or ~/.local/share/planroom)',
        'PLANROOM_DATA',
      ),
    )
    .addOption(
      setting(
        '--files <folders>',
        'folders that file tools may read and write, separated as in PATH',
        'PLANROOM_FILES',
      ),
    )
    .addHelpText(
      'after',
      `\nPLANROOM_LOG sets the log on stderr: silent, fatal, error, warn (the default), info, debug or trace.\n${examples('serve', 'serve --port 0 --data ./plans')}`,
    )
    .action(async (options: ServeOptions, command: Command) => {
      const { host, port, data, files } = options;
      const { json } = command.optsWithGlobals<{ json: boolean }>();
      const { serve } = (await import(new URL('../../../server/main.js', import.meta.url).href)) as ServerModule;
      const given = {
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(data !== undefined && { data }),
        ...(files !== undefined && { files }),
      };
      run.exitCode = (await serve(given, json)) as ExitCode;
    });
}
