import { type Command, Option } from 'commander';
import type { ExitCode } from '../failure.ts';
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
  serve(options: ServeOptions): Promise<number>;
}

/** `serve`: the server itself. It is loaded by address, because the client's code does not know the server's. */
export function addServeCommand(program: Command, run: Run): void {
  program
    .command('serve')
    .description('run the server; the last line of start-up is its address')
    .addOption(new Option('--host <host>', 'address to bind (default: 127.0.0.1)').env('PLANROOM_HOST'))
    .addOption(new Option('--port <port>', 'port, 0 for a free one (default: 4747)').env('PLANROOM_PORT'))
    .addOption(new Option('--data <folder>', 'folder where plans are kept').env('PLANROOM_DATA'))
    .addOption(
      new Option('--files <folders>', 'folders that file tools may read and write, separated as in PATH').env(
        'PLANROOM_FILES',
      ),
    )
    .addHelpText('after', examples('serve', 'serve --port 0 --data ./plans'))
    .action(async ({ host, port, data, files }: ServeOptions) => {
      const { serve } = (await import(new URL('../../../server/main.js', import.meta.url).href)) as ServerModule;
      run.exitCode = (await serve({
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(data !== undefined && { data }),
        ...(files !== undefined && { files }),
      })) as ExitCode;
    });
}
