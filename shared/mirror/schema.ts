import { fitsBytes, utf8Bytes } from '../plan/limits.ts';
import type { Group, PlanDocument, Policy, Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { mirrorLimits } from './limits.ts';

/**
 * What the doc of a room looks like: one root map with flat keys `<item>:<field>`, each with a string, a finite number or a
 * boolean. An item is a row, by its uid, or one of `doc`, `policy`, `meta` and `refused`, which are too short for a uid.
 * No nested types: concurrent edits of one row then meet field by field, and one that is edited and removed at the same
 * time leaves fields that can be seen and judged.
 *
 * Lists are JSON text. Dependencies are kept as anybody wrote them, so no separator is safe; and a list is written as a
 * whole by the plan's mutations as well. What only the server knows of a row and changes with it is one JSON text too
 * (`created`, `updated`): each key that is overwritten leaves ten bytes in the doc for ever.
 */
export type Scalar = string | number | boolean;

export const rootName = 'plan';
export const schemaVersion = 1;
/** Every key has this shape; a lint holds updates to it. Read keys into a Map all the same: `constructor` fits it. */
export const keyPattern = /^[A-Za-z0-9_-]{1,64}:[A-Za-z0-9]{1,24}$/;

export const documentItem = 'doc';
export const policyItem = 'policy';
export const metaItem = 'meta';
export const refusedItem = 'refused';

/** A doc, and the random id of its generation: clients that hold state of another one must start anew. */
export interface MirrorMark {
  readonly epoch: string;
}

interface Field<Row> {
  /** False: the server alone writes it. */
  readonly writable: boolean;
  /** Undefined: the key is absent. */
  readonly of: (row: Row) => Scalar | undefined;
}

type Fields<Row> = ReadonlyMap<string, Field<Row>>;

const open = <Row>(of: Field<Row>['of']): Field<Row> => ({ writable: true, of });
const closed = <Row>(of: Field<Row>['of']): Field<Row> => ({ writable: false, of });

export const taskFields: Fields<Task> = new Map([
  ['description', open((task) => task.description)],
  ['status', open((task) => task.status)],
  ['group', open((task) => task.group)],
  ['pos', open((task) => task.order)],
  ['dependsOn', open((task) => encodeList(task.dependsOn))],
  ['priority', open((task) => task.priority)],
  ['labels', open((task) => encodeList(task.labels ?? []))],
  ['number', closed((task) => task.number)],
  ['startedBy', closed((task) => task.startedBy)],
  /** `[revision, actor]` */
  ['created', closed((task) => JSON.stringify([task.createdRevision, task.createdBy]))],
  /** `[revision, time, actor]` */
  ['updated', closed((task) => JSON.stringify([task.revision, task.updatedAt, task.updatedBy]))],
]);

export const groupFields: Fields<Group> = new Map([
  ['title', open((group) => group.title)],
  ['pos', open((group) => group.order)],
  ['verified', open((group) => group.testsVerified)],
  ['evidence', open((group) => group.evidence)],
  ['revision', closed((group) => group.revision)],
]);

export const documentFields: Fields<PlanDocument> = new Map([
  ['content', open((document) => (isMirrored(document) ? document.content || undefined : undefined))],
  ['title', open((document) => document.title)],
  ['author', open((document) => document.author)],
  ['status', open((document) => document.status)],
  /** Size in UTF-8 of a body that is too large for the mirror; other endpoints read it. */
  [
    'contentBytes',
    closed((document) => (isMirrored(document) ? undefined : (document.contentBytes ?? utf8Bytes(document.content)))),
  ],
  /** `[revision, time]` */
  [
    'updated',
    closed(({ revision, updatedAt }) =>
      revision === 0 && updatedAt === '' ? undefined : JSON.stringify([revision, updatedAt]),
    ),
  ],
]);

export const policyFields: Fields<Policy> = new Map([
  ['inProgress', open((policy) => policy.inProgress)],
  ['strictTerminal', open((policy) => policy.strictTerminal)],
  ['fullListWrites', open((policy) => policy.fullListWrites)],
]);

export const metaFields: Fields<Pick<Plan, 'revision' | 'updatedAt'> & MirrorMark> = new Map([
  ['schema', closed(() => schemaVersion)],
  ['epoch', closed((meta) => meta.epoch)],
  /** `[revision, time]` of the plan */
  ['updated', closed((meta) => JSON.stringify([meta.revision, meta.updatedAt]))],
]);

/** Whether the doc holds the body itself. */
export function isMirrored(document: PlanDocument): boolean {
  return document.contentBytes === undefined && fitsBytes(document.content, mirrorLimits.contentBytesMax);
}

export function keyOf(item: string, field: string): string {
  return `${item}:${field}`;
}

export interface KeyParts {
  readonly item: string;
  readonly field: string;
}

export function partsOf(key: string): KeyParts {
  const colon = key.indexOf(':');
  return { item: key.slice(0, colon), field: key.slice(colon + 1) };
}

/** What the doc must say under this key to say the same as the plan; undefined: nothing. Refusals are not the plan's. */
export function plannedValue(plan: Plan, mark: MirrorMark, { item, field }: KeyParts): Scalar | undefined {
  switch (item) {
    case documentItem:
      return documentFields.get(field)?.of(plan.document);
    case policyItem:
      return policyFields.get(field)?.of(plan.policy);
    case metaItem:
      return metaFields.get(field)?.of({ revision: plan.revision, updatedAt: plan.updatedAt, epoch: mark.epoch });
    default:
      return plannedRowValue(plan, item, field);
  }
}

function plannedRowValue(plan: Plan, uid: string, field: string): Scalar | undefined {
  const task = plan.task(uid);
  if (task) return taskFields.get(field)?.of(task);
  const group = plan.group(uid);
  return group && groupFields.get(field)?.of(group);
}

const documentKeys = keysOf(documentItem, documentFields);
const policyKeys = keysOf(policyItem, policyFields);
export const metaKeys = keysOf(metaItem, metaFields);
const rowFields = new Map<string, unknown>([...taskFields, ...groupFields]);

/** Every key that the item can have. For a row that is not in the plan: those of a task and of a group. */
export function keysOfItem(plan: Plan, item: string): readonly string[] {
  if (item === documentItem) return documentKeys;
  if (item === policyItem) return policyKeys;
  if (item === metaItem) return metaKeys;
  return keysOf(item, plan.task(item) ? taskFields : plan.group(item) ? groupFields : rowFields);
}

function keysOf(item: string, fields: ReadonlyMap<string, unknown>): readonly string[] {
  return Array.from(fields.keys(), (field) => keyOf(item, field));
}

/** No entries, no key. */
function encodeList(list: readonly string[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

/** The entries of a list; undefined for what is not JSON text of an array of strings. */
export function decodeList(text: Scalar): readonly string[] | undefined {
  if (typeof text !== 'string' || text.length > mirrorLimits.listCharactersMax) return undefined;
  const list = parseJson(text);
  return Array.isArray(list) && list.every((entry) => typeof entry === 'string') ? list : undefined;
}

/** Undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
