import fc from 'fast-check';
import { fitsBytes, limits } from '../../shared/plan/limits.ts';
import {
  emptyDocument,
  fullListWritePolicies,
  type Group,
  inProgressPolicies,
  type PlanDocument,
  type Snapshot,
  statuses,
  type Task,
} from '../../shared/plan/model.ts';
import { isBlank } from '../../shared/plan/text.ts';

/** Snapshots that a room can have, with text chosen to break a line-based format. */

const pieces = [
  ...['\n', '\r', '\r\n', '#', '## ', '# ', '- [ ] ', '- [x] ', '- depends: ', '- id: task-9', '* title: x', '> ', '>'],
  ...['\u0085', '\ufeff', '\u2028', '\u3000', '\t', ' ', '😀', '\\', '\\n', '"', '""', ',', '[', ']', ':', '`', '```'],
  ...['<!--', '-->', '<!-- planroom plan, format 1 -->', 'a', 'task-1', '(untitled)', '\0', '{}', 'é', 'ﬁ'],
];

/** Well-formed text of few characters, empty and blank text included. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
);
const nastyWord = nastyText.filter((text) => text !== '');
const nastyDescription = nastyText.filter((text) => !isBlank(text));

const document: fc.Arbitrary<PlanDocument> = fc.oneof(
  fc.constant(emptyDocument),
  fc.record(
    {
      content: nastyWord,
      title: nastyWord,
      author: nastyWord,
      status: nastyWord,
      revision: fc.constant(1),
      updatedAt: fc.constant('x'),
    },
    { requiredKeys: ['content', 'revision', 'updatedAt'] },
  ),
);

const policy = fc.record({
  inProgress: fc.constantFrom(...inProgressPolicies),
  strictTerminal: fc.boolean(),
  fullListWrites: fc.constantFrom(...fullListWritePolicies),
});

const taskFields = fc.record(
  {
    number: fc.integer({ min: 1, max: limits.taskNumberMax }),
    description: nastyDescription,
    status: fc.constantFrom(...statuses),
    startedBy: nastyWord,
    dependsOn: fc.array(nastyText, { maxLength: 3 }),
    priority: nastyWord.filter((text) => fitsBytes(text, limits.priorityBytesMax)),
    labels: fc.array(nastyWord, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['number', 'description', 'status', 'startedBy', 'dependsOn'] },
);
const groupFields = fc.record({
  title: fc.oneof(nastyText, fc.constant('')),
  evidence: fc.oneof(fc.constant(false), fc.constant(true), nastyWord),
  tasks: fc.array(taskFields, { maxLength: 4 }),
});

export const snapshots: fc.Arbitrary<Snapshot> = fc
  .record({ document, policy, groups: fc.array(groupFields, { maxLength: 4 }) })
  .map((parts) => {
    const groups: Group[] = [];
    const tasks: Task[] = [];
    const numbers = new Set<number>();
    parts.groups.forEach(({ title, evidence, tasks: members }, g) => {
      const uid = `group-${g}`;
      groups.push({
        uid,
        title,
        order: `a${g}`,
        revision: 1,
        testsVerified: evidence !== false,
        ...(typeof evidence === 'string' && { evidence }),
      });
      members.forEach(({ startedBy, number, ...fields }, t) => {
        if (numbers.has(number)) return;
        numbers.add(number);
        const started = fields.status === 'in_progress' && { startedBy };
        const marks = { createdBy: 'ann', createdRevision: 1, updatedBy: 'ann', updatedAt: 'x', revision: 1 };
        tasks.push({ uid: `${uid}-${t}`, group: uid, order: `a${t}`, number, ...fields, ...started, ...marks });
      });
    });
    return {
      room: 'room',
      epoch: 'epoch',
      revision: 1,
      updatedAt: 'x',
      policy: parts.policy,
      document: parts.document,
      groups,
      tasks,
    };
  });
