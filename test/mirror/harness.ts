import { expect } from 'vitest';
import * as Y from 'yjs';
import { mirrorLimits } from '../../shared/mirror/limits.ts';
import { lint } from '../../shared/mirror/lint.ts';
import { mergeUpdate } from '../../shared/mirror/merge.ts';
import { readFlat, readSnapshot } from '../../shared/mirror/read.ts';
import { type Outcome, reconcile } from '../../shared/mirror/reconcile.ts';
import { keysOfItem, partsOf, plannedValue, type Scalar } from '../../shared/mirror/schema.ts';
import { type Mirror, recordUpdate, rootOf, writePatch, writePlan } from '../../shared/mirror/write.ts';
import type { ChangeRecord } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { err, ok } from '../../shared/plan/result.ts';
import { PlanHarness } from '../support/plan-harness.ts';
import { expectSound } from '../support/plan-invariants.ts';

/** A room with a mirror and no server: what an endpoint does with the functions of `shared/mirror`, and nothing else. */
export class MirrorRoom {
  readonly harness: PlanHarness;
  readonly mirror: Mirror = { doc: new Y.Doc(), epoch: 'generation' };
  lastUpdate: Uint8Array | undefined;

  constructor(plan?: Plan) {
    this.harness = new PlanHarness(plan);
    writePlan(this.mirror, this.plan);
  }

  get plan(): Plan {
    return this.harness.plan;
  }

  /** A mutation that comes another way: WebSocket, MCP, HTTP. */
  accept(mutation: Mutation, actor?: string): ChangeRecord {
    const record = this.harness.accept(mutation, actor);
    writePatch(this.mirror, this.plan, record.change.patch);
    return record;
  }

  /** Brings the doc to the plan as a server does that has let it fall behind. */
  catchUp(): void {
    writePlan(this.mirror, this.plan);
  }

  with(group: string, ...descriptions: readonly string[]): this {
    for (const description of descriptions) this.accept({ type: 'task.add', group, description });
    return this;
  }

  client(actor = 'ann'): Client {
    return new Client(this, actor);
  }

  /** An update of a client, all the way. */
  receive(update: Uint8Array, actor: string): Outcome {
    const { doc } = this.mirror;
    const verdict = lint(doc, update, { bytesMax: mirrorLimits.syncBytesMax });
    if (verdict.verdict !== 'ok') throw new Error(`${verdict.verdict}: ${verdict.reason}`);
    const before = this.harness.records.length;
    const stamp = {
      at: new Date(Date.UTC(2030, 0, 1) + (this.plan.revision + 1) * 1000).toISOString(),
      actor,
      newUid: () => 'never-kept',
    };
    const recorded = recordUpdate(doc, () => {
      const merged = mergeUpdate(this.mirror, update, verdict.writes, actor);
      if (!merged.ok) throw new Error(merged.error);
      const submit = (mutation: Mutation) => {
        const result = this.harness.submit(mutation, actor);
        return result.ok ? ok(result.value.change.patch) : err(result.error);
      };
      return reconcile(this.mirror, merged.value, { plan: this.plan, submit }, stamp);
    });
    this.lastUpdate = recorded.update;
    this.expectSame();
    const made = this.harness.records.slice(before).map(({ change }) => change.action);
    expect(made).toEqual(recorded.value.accepted ? [recorded.value.accepted.type] : []);
    return recorded.value;
  }

  /** The promise: the doc says what the plan says, and the plan is sound. */
  expectSame(): void {
    expectMirrors(this.mirror, this.plan);
    expectSound(this.plan);
  }

  uid(reference: string): string {
    return this.harness.task(reference).uid;
  }

  group(title: string): string {
    const group = this.plan.findGroup(title);
    if (!group) throw new Error(`there is no group ${title}`);
    return group.uid;
  }
}

/** A client with a doc of its own, online when it syncs. */
export class Client {
  readonly doc = new Y.Doc();
  readonly actor: string;
  private readonly room: MirrorRoom;

  constructor(room: MirrorRoom, actor: string) {
    this.room = room;
    this.actor = actor;
    this.pull();
  }

  get root(): Y.Map<Scalar> {
    return rootOf(this.doc);
  }

  get(uid: string, field: string): Scalar | undefined {
    return this.root.get(`${uid}:${field}`);
  }

  set(uid: string, fields: Record<string, Scalar>): this {
    this.doc.transact(() => {
      for (const [field, value] of Object.entries(fields)) this.root.set(`${uid}:${field}`, value);
    }, 'user');
    return this;
  }

  remove(uid: string): this {
    this.doc.transact(() => {
      for (const key of [...this.root.keys()]) if (key.startsWith(`${uid}:`)) this.root.delete(key);
    }, 'user');
    return this;
  }

  addTask(uid: string, group: string, description: string, more: Record<string, Scalar> = {}): this {
    return this.set(uid, { description, status: 'pending', group, pos: 'z0', ...more });
  }

  pull(): void {
    Y.applyUpdate(this.doc, Y.encodeStateAsUpdate(this.room.mirror.doc, Y.encodeStateVector(this.doc)), 'server');
  }

  /** What happened here since goes to the room, and what came of it comes back. */
  sync(): Outcome {
    const update = Y.encodeStateAsUpdate(this.doc, Y.encodeStateVector(this.room.mirror.doc));
    const outcome = this.room.receive(update, this.actor);
    this.pull();
    expectMirrors({ doc: this.doc, epoch: this.room.mirror.epoch }, this.room.plan);
    return outcome;
  }
}

/** The doc of the room, or of a client, says exactly what the plan says; refusals aside. */
export function expectMirrors(mirror: Mirror, plan: Plan): void {
  const flat = new Map([...readFlat(mirror.doc)].filter(([key]) => !key.startsWith('refused:')));
  expect(Object.fromEntries([...flat].sort())).toEqual(Object.fromEntries([...plannedFlat(mirror, plan)].sort()));
  const read = readSnapshot(flat, plan.room, plan.epoch);
  const { document, ...rows } = plan.toSnapshot();
  const { contentBytes } = read.document;
  const known = contentBytes === undefined ? document : { ...document, content: '', contentBytes };
  expect(Plan.fromSnapshot(read).toSnapshot()).toEqual({ ...rows, document: known });
}

export function plannedFlat(mirror: Mirror, plan: Plan): ReadonlyMap<string, Scalar> {
  const items = ['meta', 'policy', 'doc', ...plan.groups().map(({ uid }) => uid)];
  for (const { uid } of plan.tasks()) items.push(uid);
  const flat = new Map<string, Scalar>();
  for (const key of items.flatMap((item) => keysOfItem(plan, item))) {
    const value = plannedValue(plan, mirror, partsOf(key));
    if (value !== undefined) flat.set(key, value);
  }
  return flat;
}

/** `code key` of each refusal. */
export function told({ refusals }: Outcome): string[] {
  return refusals.map(({ code, key }) => `${code} ${key}`);
}
