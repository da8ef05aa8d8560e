import { type Command, Option } from 'commander';
import { fullListWritePolicies, inProgressPolicies, type Policy } from '../../../shared/plan/model.ts';
import { ok } from '../../../shared/plan/result.ts';
import type { Outcome } from '../output.ts';
import { mutateAndSay, withClient } from '../session.ts';
import type { Settings } from '../settings.ts';
import { answering, type Run } from './command.ts';
import { examples } from './tasks.ts';

/** `policy`: the rules of the room, shown or changed. */
export function addPolicyCommand(program: Command, run: Run): void {
  program
    .command('policy')
    .description('show the rules of the room, or change those that are named')
    .addOption(
      new Option('--in-progress <rule>', 'how many tasks may be in progress at once').choices(inProgressPolicies),
    )
    .option('--strict-terminal', 'a finished task has to be reopened before it is started again')
    .option('--no-strict-terminal', 'a finished task may be started again')
    .addOption(
      new Option(
        '--full-list-writes <rule>',
        'whether a whole list that an agent writes is merged with what others did, or replaces it',
      ).choices(fullListWritePolicies),
    )
    .addHelpText('after', examples('policy', 'policy --in-progress any', 'policy --strict-terminal'))
    .action(
      answering<Partial<Policy>>(run, (settings, _args, { inProgress, strictTerminal, fullListWrites }) => {
        const fields = {
          ...(inProgress !== undefined && { inProgress }),
          ...(strictTerminal !== undefined && { strictTerminal }),
          ...(fullListWrites !== undefined && { fullListWrites }),
        };
        if (Object.keys(fields).length === 0) return show(settings);
        return mutateAndSay(
          settings,
          { type: 'plan.policy', ...fields },
          () => 'Changed the policy',
          () => 'The policy is so already',
        );
      }),
    );
}

async function show(settings: Settings): Promise<Outcome> {
  const read = await withClient(settings, (client) => client.snapshot(settings.room));
  if (!read.ok) return read;
  const { room, epoch, revision, policy } = read.value;
  return ok({
    json: { room, epoch, revision, policy },
    lines: [
      `in progress: ${policy.inProgress}`,
      `strict terminal: ${policy.strictTerminal ? 'yes' : 'no'}`,
      `full-list writes: ${policy.fullListWrites}`,
    ],
  });
}
