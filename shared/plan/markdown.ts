import { limits } from './limits.ts';
import {
  exportHeader,
  factNames,
  fitsInCommaList,
  fitsOnLine,
  isExport,
  readCommaList,
  readList,
  readScalar,
  writeList,
  writeScalar,
} from './markdown-format.ts';
import type { Group, PlanDocument, Policy, Snapshot, Status, Task } from './model.ts';
import { fullListWritePolicies, inProgressPolicies, taskId, taskNumber } from './model.ts';
import { collapse, trim } from './text.ts';

export interface ParsedTask {
  /** The number the text states, at most `limits.taskNumberMax`. Two tasks may state the same. */
  readonly number?: number;
  readonly description: string;
  readonly status: Status;
  readonly dependsOn: readonly string[];
  /** Only in progress. */
  readonly startedBy?: string;
  readonly priority?: string;
  readonly labels?: readonly string[];
}
export interface ParsedGroup {
  readonly title: string;
  readonly testsVerified: boolean;
  readonly evidence?: string;
  readonly tasks: readonly ParsedTask[];
}
export interface ParsedPlan {
  readonly document?: Pick<PlanDocument, 'content' | 'title' | 'author' | 'status'>;
  readonly policy?: Partial<Policy>;
  readonly groups: readonly ParsedGroup[];
}

/**
 * Reads a plan from Markdown. Total and linear in the length of the text; what it does not understand it skips.
 *
 * A plain text follows the line grammar of [S0.4]: `## ` starts a group, `- [ ] ` an open and `- [x] ` a finished task,
 * `- depends:` names what the last task of the group waits for; indentation, nesting and code fences mean nothing. Only
 * a text that begins with the export header may carry more (see `toMarkdown`).
 *
 * No limit is checked here, but reading stops at the first group or task more than a room may hold.
 */
export function parseMarkdown(text: string): ParsedPlan {
  return readPlan(text).plan;
}

/** `parseMarkdown`, and the numbers of the lines it skipped although they are not blank, the first line being 1. */
export function readPlan(text: string): { readonly plan: ParsedPlan; readonly skipped: readonly number[] } {
  const isRich = isExport(text);
  const reader = new Reader(isRich);
  const skipped: number[] = [];
  for (let from = 0, number = 1; from <= text.length && !reader.isFull; number += 1) {
    const lineEnd = text.indexOf('\n', from);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const isHeader = isRich && number === 1;
    if (end > from && !reader.read(text.slice(from, end)) && !isHeader) skipped.push(number);
    from = end + 1;
  }
  return { plan: reader.finish(), skipped };
}

/**
 * The plan as Markdown: pleasant in any viewer, the same text for the same plan, and a plain task list to a reader that
 * knows [S0.4] alone (a cancelled task is open to it: only a completed one is done).
 *
 * `parseMarkdown` gives everything back but uids, order keys, times, revisions and who made or changed a row;
 * a dependency on a uid becomes one on the id, and a number above `limits.taskNumberMax` is not kept. A document body
 * comes back byte for byte; one that the snapshot knows only by size (`contentBytes`) is left out with its labels.
 */
export function toMarkdown(plan: Omit<Snapshot, 'epoch'>): string {
  const lines = [exportHeader, '', ...writePreamble(plan)];
  const byGroup = new Map<string, Task[]>(plan.groups.map((group) => [group.uid, []]));
  for (const task of plan.tasks) byGroup.get(task.group)?.push(task);
  const idByUid = new Map(plan.tasks.map((task) => [task.uid, taskId(task)]));
  for (const group of plan.groups) {
    lines.push('', ...writeGroup(group));
    const tasks = byGroup.get(group.uid) ?? [];
    if (tasks.length > 0) lines.push('');
    for (const task of tasks) lines.push(...writeTask(task, idByUid));
  }
  return `${lines.join('\n')}\n`;
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** One line after the other, from the top. */
class Reader {
  private readonly rich: boolean;
  private readonly groups: (Omit<Mutable<ParsedGroup>, 'tasks'> & { readonly tasks: Mutable<ParsedTask>[] })[] = [];
  private readonly document: Mutable<Partial<PlanDocument>> = {};
  private readonly policy: Mutable<Partial<Policy>> = {};
  private readonly body: string[] = [];
  private taskCount = 0;

  constructor(rich: boolean) {
    this.rich = rich;
  }

  get isFull(): boolean {
    return this.taskCount > limits.tasksPerRoomMax || this.groups.length > limits.groupsPerRoomMax;
  }

  /** Whether the line meant something; a blank one does. */
  read(raw: string): boolean {
    const line = trim(raw);
    if (line === '') return true;
    if (line.startsWith('## ')) {
      this.groups.push({ title: line.slice(3), testsVerified: false, tasks: [] });
      return true;
    }
    const group = this.groups[this.groups.length - 1];
    if (!group) return this.rich && this.readPreamble(raw, line);
    const mark = /^- \[([ xX])\] /.exec(line)?.[1];
    const task = group.tasks[group.tasks.length - 1];
    if (mark !== undefined) {
      this.taskCount += 1;
      group.tasks.push({ description: line.slice(6), status: mark === ' ' ? 'pending' : 'completed', dependsOn: [] });
      return true;
    }
    if (line.startsWith('- depends:')) {
      if (task) task.dependsOn = readCommaList(line.slice('- depends:'.length));
      return task !== undefined;
    }
    const fact = this.rich ? readFact(line) : undefined;
    if (fact && task) readTaskFact(task, fact);
    else if (fact) readGroupFact(group, fact);
    return fact !== undefined && knownFacts.has(fact.name);
  }

  finish(): ParsedPlan {
    const content = this.body.join('\n');
    return {
      ...(content !== '' && { document: { ...this.document, content } }),
      ...(Object.keys(this.policy).length > 0 && { policy: this.policy }),
      groups: this.groups,
    };
  }

  /** Before the first group: title, body in quoted lines, and facts of the document and the room. */
  private readPreamble(raw: string, line: string): boolean {
    if (raw.startsWith('>')) {
      this.body.push(raw.slice(raw[1] === ' ' ? 2 : 1));
      return true;
    }
    const isTitle = line.startsWith('# ');
    if (isTitle) this.document.title ??= line.slice(2);
    const fact = readFact(line);
    if (!fact) return isTitle;
    const { name, value } = fact;
    if (name === factNames.title || name === factNames.author || name === factNames.status) {
      this.document[name] = readScalar(value);
    } else if (name === factNames.strictTerminal && (value === 'yes' || value === 'no')) {
      this.policy.strictTerminal = value === 'yes';
    } else if (name === factNames.inProgress) {
      const known = inProgressPolicies.find((policy) => policy === value);
      if (known) this.policy.inProgress = known;
    } else if (name === factNames.fullListWrites) {
      const known = fullListWritePolicies.find((policy) => policy === value);
      if (known) this.policy.fullListWrites = known;
    }
    return knownFacts.has(name);
  }
}

const knownFacts: ReadonlySet<string> = new Set(Object.values(factNames));

interface Fact {
  readonly name: string;
  readonly value: string;
}

function readFact(line: string): Fact | undefined {
  if (!line.startsWith('- ') && !line.startsWith('* ')) return undefined;
  const colon = line.indexOf(':');
  if (colon < 0) return { name: line.slice(2), value: '' };
  return { name: line.slice(2, colon), value: trim(line.slice(colon + 1)) };
}

function readGroupFact(group: Omit<Mutable<ParsedGroup>, 'tasks'>, { name, value }: Fact): void {
  if (name === factNames.title) group.title = readScalar(value);
  if (name !== factNames.testsVerified) return;
  group.testsVerified = true;
  const evidence = readScalar(value);
  if (evidence !== '') group.evidence = evidence;
}

/** The box is what people tick, so a ticked task is completed whatever else is written. */
function readTaskFact(task: Mutable<ParsedTask>, { name, value }: Fact): void {
  switch (name) {
    case factNames.text:
      task.description = readScalar(value);
      break;
    case factNames.id: {
      const number = taskNumber(value);
      if (number !== undefined && number <= limits.taskNumberMax) task.number = number;
      break;
    }
    case factNames.status:
      if (task.status !== 'completed' && (value === 'in_progress' || value === 'cancelled')) task.status = value;
      break;
    case factNames.startedBy:
      if (task.status === 'in_progress' && value !== '') task.startedBy = readScalar(value);
      break;
    case factNames.priority:
      if (value !== '') task.priority = readScalar(value);
      break;
    case factNames.labels:
      task.labels = readList(value).filter((label) => label !== '');
      break;
    case factNames.exactDepends:
      task.dependsOn = readList(value);
      break;
    default:
  }
}

function writePreamble({ document, policy }: Pick<Snapshot, 'document' | 'policy'>): string[] {
  const hasBody = document.revision > 0 && document.contentBytes === undefined;
  const { title, author, status } = hasBody ? document : {};
  const facts = [
    ...(title !== undefined && !fitsOnLine(title) ? [writeFact(factNames.title, JSON.stringify(title))] : []),
    ...(author === undefined ? [] : [writeFact(factNames.author, writeScalar(author))]),
    ...(status === undefined ? [] : [writeFact(factNames.status, writeScalar(status))]),
    writeFact(factNames.inProgress, policy.inProgress),
    writeFact(factNames.strictTerminal, policy.strictTerminal ? 'yes' : 'no'),
    writeFact(factNames.fullListWrites, policy.fullListWrites),
  ];
  const heading = title === undefined ? [] : [`# ${headingOf(title)}`, ''];
  const body = hasBody ? ['', ...document.content.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))] : [];
  return [...heading, ...facts, ...body];
}

/** A star, so that in a viewer the facts of a group are a list of their own, apart from the tasks. */
function writeFact(name: string, value: string): string {
  return `* ${name}: ${value}`;
}

function writeGroup({ title, testsVerified, evidence }: Group): string[] {
  const exact = fitsOnLine(title);
  const facts = [
    ...(exact ? [] : [writeFact(factNames.title, JSON.stringify(title))]),
    ...(testsVerified && evidence === undefined ? [`* ${factNames.testsVerified}`] : []),
    ...(testsVerified && evidence !== undefined ? [writeFact(factNames.testsVerified, writeScalar(evidence))] : []),
  ];
  return [`## ${headingOf(title)}`, ...(facts.length > 0 ? ['', ...facts] : [])];
}

function headingOf(title: string): string {
  return fitsOnLine(title) ? title : collapse(title) || '(untitled)';
}

function writeTask(task: Task, idByUid: ReadonlyMap<string, string>): string[] {
  const { description, status, startedBy, priority, labels } = task;
  const exact = fitsOnLine(description);
  const lines = [`- [${status === 'completed' ? 'x' : ' '}] ${exact ? description : collapse(description)}`];
  const fact = (name: string, value: string | undefined): void => {
    if (value !== undefined) lines.push(`  - ${name}: ${value}`);
  };
  fact(factNames.text, exact ? undefined : JSON.stringify(description));
  fact(factNames.id, taskId(task));
  fact(factNames.status, status === 'in_progress' || status === 'cancelled' ? status : undefined);
  fact(factNames.startedBy, startedBy === undefined ? undefined : writeScalar(startedBy));
  const dependsOn = task.dependsOn.map((dependency) => idByUid.get(dependency) ?? dependency);
  const listed = dependsOn.filter(fitsInCommaList);
  fact('depends', listed.length > 0 ? listed.join(', ') : undefined);
  fact(factNames.exactDepends, listed.length < dependsOn.length ? JSON.stringify(dependsOn) : undefined);
  fact(factNames.priority, priority === undefined ? undefined : writeScalar(priority));
  fact(factNames.labels, labels === undefined ? undefined : writeList(labels));
  return lines;
}
