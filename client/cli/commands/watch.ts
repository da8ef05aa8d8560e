import type { Command } from 'commander';
import type { ClientFailure, PlanroomClient, RoomsEvent, RoomView } from '../../sdk/index.ts';
import { RowNames } from '../change-text.ts';
import { type ExitCode, exitCodes, fromClient } from '../failure.ts';
import { type Io, presentFailure } from '../output.ts';
import { connectAs } from '../session.ts';
import type { Settings } from '../settings.ts';
import { oneLine } from '../terminal-text.ts';
import { acting, type Run } from './command.ts';
import { roomLine } from './rooms.ts';
import { examples } from './tasks.ts';

/** `watch`: what happens, as it happens, until SIGINT or SIGTERM. */
export function addWatchCommand(program: Command, run: Run): void {
  program
    .command('watch')
    .description('follow the Changes of the room, one line each; with --json one JSON value per line')
    .option('--rooms', 'follow the list of rooms instead')
    .addHelpText(
      'after',
      `\n+ is a new row, - one that was removed. Ends with exit code 0 on Ctrl-C. It comes back by itself when the server was away, without missing a Change.\n${examples('watch --room release', 'watch --json | jq .action', 'watch --rooms')}`,
    )
    .action(
      acting<{ readonly rooms?: boolean }>(run, (settings, _args, { rooms = false }) =>
        new Watch(settings, run.io).run(rooms),
      ),
    );
}

class Watch {
  private readonly settings: Settings;
  private readonly io: Io;
  private readonly client: PlanroomClient;
  private readonly ended: Promise<ExitCode>;
  private end: (exitCode: ExitCode) => void = () => undefined;

  constructor(settings: Settings, io: Io) {
    this.settings = settings;
    this.io = io;
    this.client = connectAs(settings, Number.POSITIVE_INFINITY);
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** Settles when a signal ends the watch, or the server is not there at the start, or will not have us any more. */
  async run(rooms: boolean): Promise<ExitCode> {
    process.once('SIGINT', () => this.end(exitCodes.ok));
    process.once('SIGTERM', () => this.end(exitCodes.ok));
    void this.begin(rooms);
    const exitCode = await this.ended;
    this.client.close();
    return exitCode;
  }

  private async begin(rooms: boolean): Promise<void> {
    const opened = await this.client.opened();
    if (!opened.ok) {
      this.fail(opened.error);
      return;
    }
    this.client.on('status', ({ status, failure }) => {
      if (status === 'waiting' && failure) this.note(`${failure.message}; trying again`);
      if (status === 'open') this.note('connected again');
      if (status === 'over' && failure && failure.code !== 'closed') this.fail(failure);
    });
    if (rooms) this.client.watchRooms((event) => this.onRooms(event));
    else await this.follow();
  }

  /** Follows the room of the settings; when it is deleted, the one that takes its name next. */
  private async follow(): Promise<void> {
    const { room } = this.settings;
    const joined = await this.client.join(room);
    if (!joined.ok) {
      this.fail(joined.error);
      return;
    }
    const { epoch, revision } = joined.value.confirmed;
    const what =
      revision === 0
        ? `room ${room} does not exist yet; waiting for it`
        : `watching room ${room} from revision ${revision}`;
    this.say({ type: 'watching', room, epoch, revision }, what, true);
    this.listen(joined.value);
  }

  private listen(view: RoomView): void {
    const { room } = view;
    const names = new RowNames(view.plan);
    view.on('change', ({ cause, changes }) => {
      const { epoch, revision } = view.confirmed;
      if (cause === 'snapshot') {
        names.learn(view.plan);
        this.say(
          { type: 'snapshot', room, epoch, revision },
          `${revision} too much was missed to tell it change by change`,
        );
      }
      for (const change of changes) {
        this.say({ type: 'change', room, epoch, ...change }, names.describe(change));
      }
    });
    view.on('deleted', ({ epoch, revision }) => {
      this.say({ type: 'deleted', room, epoch, revision }, `room ${room} was deleted at revision ${revision}`);
      void this.follow();
    });
  }

  private onRooms(event: RoomsEvent): void {
    if (event.type === 'rooms') {
      const { rooms, warnings } = event;
      this.say({ type: 'rooms', rooms, warnings }, `watching ${rooms.length} rooms`, true);
      if (!this.settings.json) for (const entry of rooms) this.say(undefined, roomLine(entry));
      for (const { room, message } of warnings) this.note(`room ${room} cannot be read: ${message}`);
    } else {
      const text = event.entry ? `${roomLine(event.entry)}  ${oneLine(event.action)}` : `${event.room}  deleted`;
      this.say(event, text);
    }
  }

  /** One line on stdout. What only says that the watch has begun is, for people, a note. */
  private say(json: unknown, line: string, isNote = false): void {
    if (this.settings.json) this.io.stdout.write(`${JSON.stringify(json)}\n`);
    else if (isNote) this.note(line);
    else this.io.stdout.write(`${line}\n`);
  }

  private note(text: string): void {
    if (!this.settings.json) this.io.stderr.write(`note: ${oneLine(text)}\n`);
  }

  private fail(failure: ClientFailure): void {
    // Closing is how we end ourselves.
    if (failure.code === 'closed') return;
    const translated = fromClient(failure, this.settings.url);
    presentFailure(translated, this.settings.json, this.io);
    this.end(translated.exitCode);
  }
}
