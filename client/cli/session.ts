import { err, ok, type Result } from '../../shared/plan/result.ts';
import { type Ack, type ClientFailure, connect, type Mutation, type PlanroomClient, taskId } from '../sdk/index.ts';
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
    if (!opened.ok) return err(fromClient(opened.error, settings.url));
    const result = await work(client);
    return result.ok ? result : err(fromClient(result.error, settings.url));
  } finally {
    client.close();
  }
}

export function connectAs({ url, actor }: Settings, attempts: number): PlanroomClient {
  return connect({ url, actor, client: 'planroom-cli', backOff: { attemptsMax: attempts } });
}

/** An answer that says whether there was anything to do. */
export interface Done extends Ack {
  readonly changed: boolean;
}

/** Sends one mutation to the room of the settings. The plan itself is not fetched, unless a task is not in it. */
export async function mutateRoom(
  client: PlanroomClient,
  settings: Settings,
  mutation: Mutation,
): Promise<Result<Done, ClientFailure>> {
  const done = await sendMutation(client, settings, mutation);
  return done.ok ? done : err(await withMeantTask(client, settings, done.error));
}

/** Adds to the facts the task that somebody meant by `7`, `#7` or `TASK-7`, if it is there. */
async function withMeantTask(
  client: PlanroomClient,
  { room }: Settings,
  failure: ClientFailure,
): Promise<ClientFailure> {
  const reference = String(failure.facts?.task ?? '');
  const number = /^(?:#|task[-_ ]?)?0*([1-9][0-9]{0,14})$/i.exec(reference)?.[1];
  if (failure.code !== 'task_not_found' || number === undefined) return failure;
  const read = await client.snapshot(room);
  const task = read.ok ? read.value.tasks.find((each) => each.number === Number(number)) : undefined;
  return task ? { ...failure, facts: { ...failure.facts, meant: taskId(task) } } : failure;
}

async function sendMutation(
  client: PlanroomClient,
  { room }: Settings,
  mutation: Mutation,
): Promise<Result<Done, ClientFailure>> {
  const joined = await client.join(room, { mode: 'notice' });
  if (!joined.ok) return joined;
  const before = joined.value.confirmed.revision;
  const answered = await joined.value.mutate(mutation);
  // What changes nothing has no Change, so the plan stays where it is.
  return answered.ok ? ok({ ...answered.value, changed: answered.value.revision > before }) : answered;
}

/** `mutateRoom` for a command whose answer is a sentence: one when it changed the plan, one when there was no need to. */
export async function mutateAndSay(
  settings: Settings,
  mutation: Mutation,
  say: (done: Done) => string,
  sayUnchanged = (): string => 'Nothing changed: it is so already',
) {
  const result = await withClient(settings, (client) => mutateRoom(client, settings, mutation));
  if (!result.ok) return result;
  const done = result.value;
  return ok({
    json: done,
    lines: [withPlace(done.changed ? say(done) : sayUnchanged(), done)],
    notes: done.nags.map((nag) => nag.message),
  });
}

/** The sentence, and where the plan stands now. */
export function withPlace(sentence: string, { room, revision }: Pick<Ack, 'room' | 'revision'>): string {
  return `${oneLine(sentence)} (room ${room}, revision ${revision})`;
}
