import { err, ok, type Result } from '../../shared/plan/result.ts';
import { type Ack, type ClientFailure, connect, type Mutation, type PlanroomClient } from '../sdk/index.ts';
import { type CliFailure, fromClient } from './failure.ts';
import type { Settings } from './settings.ts';
import { oneLine } from './terminal-text.ts';

/** A server that goes away under a command gets this many tries, a few seconds, to come back. */
const attemptsMax = 6;

/** Runs one command's work with a client, which is closed afterwards. The first failure to connect ends it. */
export async function withClient<T>(
  settings: Settings,
  work: (client: PlanroomClient) => Promise<Result<T, ClientFailure>>,
): Promise<Result<T, CliFailure>> {
  const client = connectAs(settings, attemptsMax);
  try {
    const opened = await client.opened();
    if (!opened.ok) return err(fromClient(opened.error));
    const result = await work(client);
    return result.ok ? result : err(fromClient(result.error));
  } finally {
    client.close();
  }
}

export function connectAs({ url, actor }: Settings, attempts: number): PlanroomClient {
  return connect({ url, actor, client: 'planroom-cli', backOff: { attemptsMax: attempts } });
}

/** Sends one mutation to the room of the settings. The plan itself is not fetched. */
function mutateRoom(settings: Settings, mutation: Mutation): Promise<Result<Ack, CliFailure>> {
  return withClient(settings, async (client) => {
    const joined = await client.join(settings.room, { mode: 'notice' });
    return joined.ok ? joined.value.mutate(mutation) : joined;
  });
}

/** `mutateRoom` for a command whose answer is a sentence. */
export async function mutateAndSay(settings: Settings, mutation: Mutation, say: (ack: Ack) => string) {
  const result = await mutateRoom(settings, mutation);
  if (!result.ok) return result;
  const ack = result.value;
  return ok({
    json: ack,
    lines: [`${oneLine(say(ack))} (room ${ack.room}, revision ${ack.revision})`],
    notes: ack.nags.map((nag) => nag.message),
  });
}
