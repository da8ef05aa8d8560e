import { taskId } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, ChangeLine, ChangeRun, Look, ToolReply } from './dialect.ts';
import { headline, listed } from './planroom-text.ts';
import { failure } from './reply.ts';

/** Most pushes never reach a model, so every reply says what others did since this actor's last call. */

const actorsMax = 5;
const tasksPerActorMax = 6;

/** What a tool says, under the headline and the digest. `structured` fields go beside room and revision. */
export interface Told {
  readonly lines: readonly string[];
  readonly fields?: { readonly [key: string]: unknown };
}

/** Answers from the plan as it is, with the digest, and remembers that the actor has seen it. */
export async function digestReply(
  call: Call,
  tell: (look: Look) => Told | ToolReply,
  since?: Look['sight'],
): Promise<ToolReply> {
  const first = await call.look();
  if (!first.ok) return failure(first.error);
  const sight = since ?? first.value.sight;
  const run = sight ? await call.changesSince(sight.revision) : undefined;
  if (run && !run.ok) return failure(run.error);
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan } = look.value;
  const told = tell(look.value);
  if ('isError' in told) return told;
  const digest = sight ? othersDid(plan, run?.value, sight.revision, call.actor) : [];
  // What came while this was read is told the next time.
  const revision = run?.value?.isAll ? run.value.to : plan.revision;
  return {
    isError: false,
    text: [headline(plan), ...digest, ...told.lines].join('\n'),
    structured: { room: plan.room, revision: plan.revision, ...told.fields },
    sight: { revision, shown: null },
  };
}

/** What others did after a revision, in a line or none. */
function othersDid(plan: Plan, run: ChangeRun | undefined, since: number, actor: string): readonly string[] {
  if (!run) return [`Others made this room anew since r${since}.`];
  if (!run.isAll) return [`Others since r${since}: too many changes to tell; read what you need again.`];
  const byActor = new Map<string, Map<string, Set<string>>>();
  for (const change of run.lines) {
    if (change.actor === actor) continue;
    const deeds = byActor.get(change.actor) ?? new Map<string, Set<string>>();
    byActor.set(change.actor, deeds);
    note(deeds, plan, change);
  }
  if (byActor.size === 0) return [];
  const told = [...byActor].slice(0, actorsMax).map(([name, deeds]) => `${name} ${sentence(deeds)}`);
  const rest = byActor.size - told.length;
  return [`Others since r${since}: ${told.join('; ')}${rest > 0 ? `; and ${rest} more actors` : ''}.`];
}

function note(deeds: Map<string, Set<string>>, plan: Plan, { action, tasks, document }: ChangeLine): void {
  const add = (deed: string, name: string | undefined): void => {
    const names = deeds.get(deed) ?? new Set<string>();
    deeds.set(deed, names);
    if (name !== undefined) names.add(name);
  };
  for (const { uid, deed } of tasks) {
    const task = plan.task(uid);
    add(deed, task ? taskId(task) : 'a task');
  }
  if (document) add('wrote', 'the document');
  if (!document && tasks.length === 0) add(action, undefined);
}

function sentence(deeds: ReadonlyMap<string, ReadonlySet<string>>): string {
  return [...deeds].map(([verb, names]) => `${verb} ${listed([...names], tasksPerActorMax)}`.trimEnd()).join(', ');
}
