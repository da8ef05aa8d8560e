import type * as Y from 'yjs';
import {
  defaultPolicy,
  fullListWritePolicies,
  type Group,
  inProgressPolicies,
  type PlanDocument,
  type Policy,
  type Snapshot,
  statuses,
  type Task,
} from '../plan/model.ts';
import { compareRows } from '../plan/plan.ts';
import { isGroupThere, isTaskThere } from './presence.ts';
import {
  decodeList,
  documentItem,
  keyOf,
  metaItem,
  parseJson,
  partsOf,
  policyItem,
  refusedItem,
  type Scalar,
} from './schema.ts';
import { rootOf } from './write.ts';

/** A doc, or what stands for one, as a flat map. */
export interface View {
  get(key: string): Scalar | undefined;
}

export function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

/** What the doc says, key by key. Anything but a scalar is not there, whoever wrote it. */
export function readFlat(doc: Y.Doc): ReadonlyMap<string, Scalar> {
  const flat = new Map<string, Scalar>();
  for (const [key, value] of rootOf(doc).entries()) if (isScalar(value)) flat.set(key, value);
  return flat;
}

/** The keys of the root as they are at each call; what is no scalar is not there. */
export function liveView(doc: Y.Doc): View {
  const root = rootOf(doc);
  return {
    get: (key) => {
      const value: unknown = root.get(key);
      return isScalar(value) ? value : undefined;
    },
  };
}

/**
 * The plan that a doc describes, as far as it does: rows that are not whole are left out, and what only the server writes
 * may be missing (a task made offline has number 0). For clients that show a doc; the server never believes it.
 */
export function readSnapshot(flat: ReadonlyMap<string, Scalar>, room: string, epoch: string): Snapshot {
  const items = new Set<string>();
  for (const key of flat.keys()) items.add(partsOf(key).item);
  for (const item of [documentItem, policyItem, metaItem, refusedItem]) items.delete(item);
  const groups: Group[] = [];
  const tasks: Task[] = [];
  for (const uid of items) {
    const row = new Row(flat, uid);
    if (isTaskThere(flat, uid)) tasks.push(readTask(row));
    else if (isGroupThere(flat, uid)) groups.push(readGroup(row));
  }
  groups.sort(compareRows);
  const place = new Map(groups.map((group, index) => [group.uid, index]));
  const known = tasks.filter((task) => place.has(task.group));
  known.sort((a, b) => (place.get(a.group) ?? 0) - (place.get(b.group) ?? 0) || compareRows(a, b));
  const [revision, updatedAt] = new Row(flat, metaItem).mark('updated');
  return {
    room,
    epoch,
    revision,
    updatedAt,
    policy: readPolicy(new Row(flat, policyItem)),
    document: readDocument(new Row(flat, documentItem)),
    groups,
    tasks: known,
  };
}

/** The fields of one item, each undefined unless it is of its kind. */
class Row {
  readonly uid: string;
  private readonly view: View;

  constructor(view: View, uid: string) {
    this.view = view;
    this.uid = uid;
  }

  value(field: string): Scalar | undefined {
    return this.view.get(keyOf(this.uid, field));
  }
  text(field: string): string | undefined {
    const value = this.value(field);
    return typeof value === 'string' ? value : undefined;
  }
  number(field: string): number | undefined {
    const value = this.value(field);
    return typeof value === 'number' ? value : undefined;
  }
  list(field: string): readonly string[] | undefined {
    return decodeList(this.value(field) ?? '');
  }
  /** A number and the texts after it; what is missing is 0 or empty. */
  mark(field: string): readonly [number, string, string] {
    const parts = parseJson(this.text(field) ?? '');
    const [number, first, second]: readonly unknown[] = Array.isArray(parts) ? parts : [];
    return [
      typeof number === 'number' ? number : 0,
      typeof first === 'string' ? first : '',
      typeof second === 'string' ? second : '',
    ];
  }
}

function readTask(row: Row): Task {
  const [createdRevision, createdBy] = row.mark('created');
  const [revision, updatedAt, updatedBy] = row.mark('updated');
  return {
    uid: row.uid,
    number: row.number('number') ?? 0,
    group: row.text('group') ?? '',
    order: row.text('pos') ?? '',
    description: row.text('description') ?? '',
    status: statuses.find((status) => status === row.value('status')) ?? 'pending',
    startedBy: row.text('startedBy'),
    dependsOn: row.list('dependsOn') ?? [],
    priority: row.text('priority'),
    labels: row.list('labels'),
    createdBy,
    createdRevision,
    updatedBy,
    updatedAt,
    revision,
  };
}

function readGroup(row: Row): Group {
  return {
    uid: row.uid,
    title: row.text('title') ?? '',
    order: row.text('pos') ?? '',
    testsVerified: row.value('verified') === true,
    evidence: row.text('evidence'),
    revision: row.number('revision') ?? 0,
  };
}

function readDocument(row: Row): PlanDocument {
  const [revision, updatedAt] = row.mark('updated');
  return {
    title: row.text('title'),
    content: row.text('content') ?? '',
    contentBytes: row.number('contentBytes'),
    author: row.text('author'),
    status: row.text('status'),
    revision,
    updatedAt,
  };
}

function readPolicy(row: Row): Policy {
  const inProgress = row.text('inProgress');
  const lists = row.text('fullListWrites');
  const strict = row.value('strictTerminal');
  return {
    inProgress: inProgressPolicies.find((policy) => policy === inProgress) ?? defaultPolicy.inProgress,
    strictTerminal: typeof strict === 'boolean' ? strict : defaultPolicy.strictTerminal,
    fullListWrites: fullListWritePolicies.find((policy) => policy === lists) ?? defaultPolicy.fullListWrites,
  };
}
