import type { Command } from 'commander';
import { limits } from '../../../shared/plan/limits.ts';
import { Plan } from '../../../shared/plan/plan.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import type { Change, ChangesRead, ClientFailure, PlanroomClient } from '../../sdk/index.ts';
import { usageFailure } from '../failure.ts';
import { historyLines } from '../history-text.ts';
import { mutateAndSay, withClient } from '../session.ts';
import { parseRevision, type Settings } from '../settings.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

const limitDefault = 20;

interface LogOptions {
  readonly since?: number;
  readonly limit?: number;
}

/** Commands about what was: log, revert. */
export function addHistoryCommands(program: Command, run: Run): void {
  program
    .command('log')
    .description('what changed, when and by whom; the newest last')
    .option('--since <revision>', 'the first Changes after this revision; without it the last ones', parseRevision)
    .option(
      '--limit <count>',
      `how many, at most ${limits.changesPerReadMax} (default: ${limitDefault})`,
      parseRevision,
    )
    .addHelpText(
      'after',
      `\n+ is a new row, - one that was removed.\n${examples('log', 'log --since 12', 'log --limit 100 --json')}`,
    )
    .action(
      answering<LogOptions>(run, async (settings, _args, { since, limit = limitDefault }) => {
        if (limit < 1 || limit > limits.changesPerReadMax) {
          return usageFailure(`--limit is a number from 1 to ${limits.changesPerReadMax}.`);
        }
        const read = await withClient(settings, (client) => readHistory(client, settings, since, limit));
        if (!read.ok) return read;
        const { plan, earlier, history } = read.value;
        const last = history.changes[history.changes.length - 1]?.revision;
        return ok({
          json: history,
          lines:
            history.changes.length > 0
              ? historyLines(plan, earlier, history.changes)
              : ['There is no Change after that.'],
          notes: history.more ? [`There are more; go on with --since ${last}.`] : [],
        });
      }),
    );
  program
    .command('revert')
    .description('undo one Change, as far as nobody changed the same since; log shows the revisions')
    .argument('<revision>', 'revision of the Change', parseRevision)
    .addHelpText('after', examples('revert 12'))
    .action(
      answering(run, async (settings, args) => {
        const revision = Number(args[0]);
        if (revision === 0) return usageFailure('The first Change has revision 1.');
        return mutateAndSay(
          settings,
          { type: 'plan.revert', revision },
          () => `Reverted Change ${revision}`,
          () => `There was nothing of Change ${revision} left to undo`,
        );
      }),
    );
}

interface History {
  readonly plan: Plan;
  /** Those before the history, as many as one read gives: they name rows that are gone by now. */
  readonly earlier: readonly Change[];
  readonly history: ChangesRead;
}

async function readHistory(
  client: PlanroomClient,
  { room }: Settings,
  since: number | undefined,
  limit: number,
): Promise<Result<History, ClientFailure>> {
  const snapshot = await client.snapshot(room);
  if (!snapshot.ok) return err(snapshot.error);
  const from = since ?? Math.max(0, snapshot.value.revision - limit);
  const history = await client.changes(room, from, limit);
  if (!history.ok) return history;
  const before = Math.max(0, from - limits.changesPerReadMax);
  const earlier = from > 0 ? await client.changes(room, before, from - before) : undefined;
  if (earlier && !earlier.ok) return earlier;
  return ok({
    plan: Plan.fromSnapshot(snapshot.value),
    earlier: earlier?.value.changes ?? [],
    history: history.value,
  });
}
