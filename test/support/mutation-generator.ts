import fc from 'fast-check';
import { toMarkdown } from '../../shared/plan/markdown.ts';
import { fullListWritePolicies, inProgressPolicies, statuses, taskId } from '../../shared/plan/model.ts';
import type { Mutation, MutationType, SingleMutation } from '../../shared/plan/mutation.ts';
import { mutationTypes } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';

/** What somebody is about to do. It becomes a mutation when it is looked at beside the plan of that moment. */
export interface Intent {
  readonly type: MutationType;
  readonly actor: string;
  /** Where choices come from, one after the other. */
  readonly choices: readonly number[];
  readonly steps: readonly Intent[];
}

/** Every mutation type there is: the compiler asks for a maker of a new one. */
const singles = mutationTypes.filter((type): type is SingleMutation['type'] => type !== 'batch');

/** What the others need to have something to work on, or what has most rules. */
const often = ['task.add', 'task.start', 'tasks.replace', 'document.write', 'document.status'] as const;

const fields = {
  actor: fc.constantFrom('ann', 'bob', 'cy'),
  choices: fc.array(fc.nat({ max: 0xffff }), { minLength: 24, maxLength: 24 }),
};
const single = fc.record<Intent>({
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<SingleMutation['type']>(...often) },
    { weight: 6, arbitrary: fc.constantFrom(...singles) },
  ),
  steps: fc.constant([]),
  ...fields,
});

export const intents: fc.Arbitrary<Intent> = fc.oneof(
  { weight: 9, arbitrary: single },
  {
    weight: 1,
    arbitrary: fc.record<Intent>({
      type: fc.constant('batch'),
      steps: fc.array(single, { minLength: 1, maxLength: 4 }),
      ...fields,
    }),
  },
);

/** The mutation of an intent: mostly on rows that are there, sometimes on ones that are not, now and then with a stale base. */
export function toMutation(intent: Intent, plan: Plan): Mutation {
  const [first, ...more] = intent.steps.map((step) => toSingle(step, plan));
  return first ? { type: 'batch', mutations: [first, ...more] } : toSingle(intent, plan);
}

function toSingle({ type, choices }: Intent, plan: Plan): SingleMutation {
  return makers[type as SingleMutation['type']](new Chooser(plan, choices));
}

const texts = ['one', 'two', 'Two ', 'three\nlines', 'vier 😀', ' ', 'five', 'six', '- [ ] seven', 'eight'] as const;
const titles = ['A', 'B', '', 'a "C"', 'Tasks'] as const;

class Chooser {
  readonly plan: Plan;
  private readonly choices: readonly number[];
  private next = 0;

  constructor(plan: Plan, choices: readonly number[]) {
    this.plan = plan;
    this.choices = choices;
  }

  number(below: number): number {
    const choice = this.choices[this.next % this.choices.length] ?? 0;
    this.next += 1;
    return choice % below;
  }
  of<Value>(values: readonly Value[]): Value {
    return values[this.number(values.length)] as Value;
  }
  /** The field, or nothing at all. */
  maybe<Name extends string, Value>(name: Name, value: () => Value): { [Field in Name]?: Value } {
    return this.number(2) === 0 ? ({ [name]: value() } as { [Field in Name]?: Value }) : {};
  }
  task(): string {
    const tasks = [...this.plan.tasks()];
    const task = tasks[this.number(tasks.length + 1)];
    if (!task) return this.of(['task-1', 'task-99', 'no-such-uid']);
    return this.number(2) === 0 ? task.uid : taskId(task);
  }
  group(): string {
    const groups = this.plan.groups();
    return groups[this.number(groups.length + 1)]?.uid ?? this.of(titles);
  }
  base(): { base?: number } {
    switch (this.number(6)) {
      case 0:
        return { base: this.plan.revision };
      case 1:
        return { base: this.number(this.plan.revision + 2) };
      default:
        return {};
    }
  }
  dependsOn(): string[] {
    return Array.from({ length: this.number(3) }, () => this.of([this.task(), 'ghost', 'k1']));
  }
  labels(): string[] {
    return Array.from({ length: this.number(3) }, () => this.of(['x', 'y, z']));
  }
}

type Makers = {
  readonly [Type in SingleMutation['type']]: (choose: Chooser) => Extract<SingleMutation, { type: Type }>;
};

const onTask = <Type extends 'task.start' | 'task.complete' | 'task.cancel' | 'task.reopen' | 'task.remove'>(
  type: Type,
) => {
  return (c: Chooser) => ({ type, task: c.task(), ...c.base() });
};

const makers: Makers = {
  'document.write': (c) => ({
    type: 'document.write',
    ...(c.number(4) > 0 ? { content: c.of([...texts, '']) } : {}),
    ...c.maybe('title', () => c.of(['T', ''])),
    ...c.maybe('author', () => c.of(['ann', ''])),
    ...c.maybe('status', () => c.of(['draft', ''])),
    ...(c.number(4) === 0 ? { mode: c.of(['create', 'update'] as const) } : {}),
    ...c.base(),
  }),
  'document.status': (c) => ({ type: 'document.status', status: c.of(['draft', 'ready', 'done', '']), ...c.base() }),
  'group.add': (c) => ({ type: 'group.add', title: c.of(titles) }),
  'group.edit': (c) => ({ type: 'group.edit', group: c.group(), title: c.of(titles), ...c.base() }),
  'group.move': (c) => ({
    type: 'group.move',
    group: c.group(),
    ...(c.number(2) === 0 ? c.maybe('before', () => c.group()) : c.maybe('after', () => c.group())),
    ...c.base(),
  }),
  'group.remove': (c) => ({ type: 'group.remove', group: c.group(), withTasks: c.number(3) === 0, ...c.base() }),
  'group.verify': (c) => ({
    type: 'group.verify',
    group: c.group(),
    ...c.maybe('verified', () => c.number(3) > 0),
    ...c.maybe('evidence', () => c.of(['all pass', ''])),
    ...c.base(),
  }),
  'task.add': (c) => ({
    type: 'task.add',
    description: c.of(texts),
    ...c.maybe('group', () => c.group()),
    ...c.maybe('dependsOn', () => c.dependsOn()),
    ...c.maybe('priority', () => 'high'),
    ...c.maybe('labels', () => c.labels()),
    ...c.maybe('uid', () => c.of(['own-uid-1', 'own-uid-2', 'own-uid-3'])),
  }),
  'task.edit': (c) => ({
    type: 'task.edit',
    task: c.task(),
    ...c.maybe('description', () => c.of(texts)),
    ...c.maybe('group', () => c.group()),
    ...c.maybe('dependsOn', () => c.dependsOn()),
    ...c.maybe('priority', () => c.of(['high', null])),
    ...c.maybe('labels', () => c.of([c.labels(), null])),
    ...c.base(),
  }),
  'task.move': (c) => ({
    type: 'task.move',
    task: c.task(),
    ...(c.number(4) === 0 ? { group: c.group() } : {}),
    ...(c.number(2) === 0 ? c.maybe('before', () => c.task()) : c.maybe('after', () => c.task())),
    ...c.base(),
  }),
  'task.start': onTask('task.start'),
  'task.complete': onTask('task.complete'),
  'task.cancel': onTask('task.cancel'),
  'task.reopen': onTask('task.reopen'),
  'task.remove': onTask('task.remove'),
  'tasks.clean': (c) => ({ type: 'tasks.clean', keepPending: c.number(3) > 0, ...c.base() }),
  'tasks.replace': (c) => ({
    type: 'tasks.replace',
    items: listItems(c),
    ...(c.number(4) > 0 ? { base: c.number(3) > 0 ? c.plan.revision : c.number(c.plan.revision + 2) } : {}),
    ...(c.number(4) === 0 ? { shown: [...c.plan.tasks()].map((task) => task.uid).filter(() => c.number(3) > 0) } : {}),
  }),
  'plan.load': (c) => ({
    type: 'plan.load',
    markdown: c.of([
      toMarkdown(c.plan.toSnapshot()),
      '## A\n- [ ] one\n- depends: task-2\n- [x] two',
      '',
      '## A\n## A',
    ]),
    ...c.base(),
  }),
  'plan.policy': (c) => ({
    type: 'plan.policy',
    ...c.maybe('inProgress', () => c.of(inProgressPolicies)),
    ...c.maybe('strictTerminal', () => c.number(2) === 0),
    ...c.maybe('fullListWrites', () => c.of(fullListWritePolicies)),
  }),
  'plan.revert': (c) => ({ type: 'plan.revert', revision: Math.max(1, c.plan.revision - c.number(4)) }),
};

/** The list of the moment with some tasks dropped, changed, moved or added: what a writer of full lists sends. */
function listItems(c: Chooser): Extract<SingleMutation, { type: 'tasks.replace' }>['items'] {
  const kept = [...c.plan.tasks()].filter(() => c.number(6) > 0);
  if (c.number(3) === 0) kept.reverse();
  const known = kept.map((task) => ({
    description: c.number(5) === 0 ? c.of(texts) : task.description,
    status: c.number(4) === 0 ? c.of(statuses) : task.status,
    ...(c.number(4) === 0 ? { task: task.uid } : {}),
    ...(c.number(6) === 0 ? { group: c.of(titles) } : {}),
  }));
  const added = Array.from({ length: c.number(3) }, (_, index) => ({
    description: c.of(texts),
    key: `k${index}`,
    dependsOn: c.dependsOn(),
    ...c.maybe('status', () => c.of(statuses)),
  }));
  const place = c.number(known.length + 1);
  return [...known.slice(0, place), ...added, ...known.slice(place)];
}
