import type { Command } from 'commander';
import { ok } from '../../../shared/plan/result.ts';
import { isRoomName, roomNameRule } from '../../../shared/protocol/names.ts';
import type { RoomEntry } from '../../sdk/index.ts';
import { usageFailure } from '../failure.ts';
import { withClient } from '../session.ts';
import { parseRevision } from '../settings.ts';
import { oneLine } from '../terminal-text.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

/** Commands about rooms: rooms, delete. */
export function addRoomCommands(program: Command, run: Run): void {
  program
    .command('rooms')
    .description('list all rooms')
    .action(
      answering(run, async (settings) => {
        const listed = await withClient(settings, (client) => client.rooms());
        if (!listed.ok) return listed;
        const { rooms, warnings } = listed.value;
        return ok({
          json: listed.value,
          lines: rooms.length > 0 ? rooms.map(roomLine) : ['There are no rooms yet. Add a task to make one.'],
          notes: warnings.map(({ room, message }) => `room ${room} cannot be read: ${message}`),
        });
      }),
    );
  program
    .command('delete')
    .description('delete a room with its whole history')
    .argument('<room>', 'name of the room')
    .option('--revision <revision>', 'refuse if the room is not at this revision', parseRevision)
    .addHelpText('after', examples('delete old-plan', 'delete old-plan --revision 41'))
    .action(
      answering<{ readonly revision?: number }>(run, async (settings, [room = ''], { revision }) => {
        if (!isRoomName(room)) return usageFailure(`'${room}' is not a room name: ${roomNameRule}.`);
        const deleted = await withClient(settings, (client) => client.deleteRoom(room, revision));
        if (!deleted.ok) return deleted;
        return ok({
          json: deleted.value,
          lines: [`Deleted room ${room} (it was at revision ${deleted.value.revision})`],
        });
      }),
    );
}

/** `release  12 of 40 open  revision 97  2031-…  Title [status]`. */
export function roomLine(entry: RoomEntry): string {
  const { room, openCount, taskCount, revision, updatedAt, title, status } = entry;
  const document = [
    ...(title === undefined ? [] : [oneLine(title)]),
    ...(status === undefined ? [] : [`[${oneLine(status)}]`]),
  ];
  return [room, `${openCount} of ${taskCount} open`, `revision ${revision}`, updatedAt, document.join(' ')]
    .filter((part) => part !== '')
    .join('  ');
}
