import type { Group } from '../plan/model.ts';
import { compareRows } from '../plan/plan.ts';
import { type Placing, placings } from './diff-order.ts';
import { type Collector, type Comparison, textOf } from './difference.ts';
import { isGroupThere } from './presence.ts';
import { groupFields, keyOf } from './schema.ts';

/** Compares the groups that an update touched, one by one, and puts them in order at the end. */
export class GroupDiff {
  private readonly comparison: Comparison;
  private readonly found: Collector;
  private readonly moved = new Map<string, string>();
  private readonly added: { readonly uid: string; readonly order: string }[] = [];
  private readonly removed = new Set<string>();

  constructor(comparison: Comparison, found: Collector) {
    this.comparison = comparison;
    this.found = found;
  }

  add(uid: string): void {
    const { view } = this.comparison;
    if (textOf(this.found, view, uid, 'title') === undefined) return;
    const order = view.get(keyOf(uid, 'pos'));
    this.added.push({ uid, order: typeof order === 'string' ? order : '' });
    this.verify(uid, undefined);
  }

  compare(group: Group, fields: ReadonlySet<string>): void {
    const { view } = this.comparison;
    const { uid } = group;
    if (!isGroupThere(view, uid)) {
      this.removed.add(uid);
      this.found.step('group.remove', keyOf(uid, 'title'), { type: 'group.remove', group: uid });
      return;
    }
    const differs = (field: string): boolean =>
      fields.has(field) && view.get(keyOf(uid, field)) !== groupFields.get(field)?.of(group);
    if (differs('title')) {
      const title = textOf(this.found, view, uid, 'title');
      if (title !== undefined)
        this.found.step('group.edit', keyOf(uid, 'title'), { type: 'group.edit', group: uid, title });
    }
    if (differs('pos')) {
      const pos = textOf(this.found, view, uid, 'pos');
      if (pos !== undefined) this.moved.set(uid, pos);
    }
    if (differs('verified') || differs('evidence')) this.verify(uid, group);
    if (differs('revision')) this.found.claim(keyOf(uid, 'revision'));
  }

  finish(): void {
    const { plan, view } = this.comparison;
    this.added.sort(compareRows);
    for (const { uid, order } of this.added) {
      const title = String(view.get(keyOf(uid, 'title')));
      this.found.step('group.add', keyOf(uid, 'title'), { type: 'group.add', uid, title });
      if (order !== '') this.moved.set(uid, order);
    }
    if (this.moved.size === 0) return;
    const line = plan.groups().filter(({ uid }) => !this.removed.has(uid));
    for (const place of placings([...line, ...this.added], this.moved)) this.move(place);
  }

  /** Evidence is kept with what it shows; it goes when that is taken back. */
  private verify(uid: string, group: Group | undefined): void {
    const { view } = this.comparison;
    const verified = view.get(keyOf(uid, 'verified')) ?? false;
    const evidence = view.get(keyOf(uid, 'evidence')) ?? '';
    if (typeof verified !== 'boolean') {
      this.found.refuse('invalid', keyOf(uid, 'verified'), "'verified' must be true or false.");
    } else if (typeof evidence !== 'string') {
      this.found.refuse('invalid', keyOf(uid, 'evidence'), "'evidence' must be text.");
    } else if (verified) {
      // Evidence that is left out stays as it is, so it is taken away by beginning anew.
      if (evidence === '' && group?.evidence) this.setVerified(uid, { verified: false });
      this.setVerified(uid, { verified, evidence });
    } else if (group?.testsVerified) {
      this.setVerified(uid, { verified });
    } else if (evidence !== '') {
      this.found.refuse(
        'invalid',
        keyOf(uid, 'evidence'),
        'Evidence is kept only of a group whose tests are verified.',
      );
    }
  }

  private setVerified(uid: string, fields: { readonly verified: boolean; readonly evidence?: string }): void {
    this.found.step('group.edit', keyOf(uid, 'verified'), { type: 'group.verify', group: uid, ...fields });
  }

  private move({ uid, after, before, staying }: Placing): void {
    const move = { type: 'group.move', group: uid } as const;
    this.found.quietStep(
      'group.move',
      keyOf(uid, 'pos'),
      { ...move, ...(after !== undefined && { after }), ...(before !== undefined && { before }) },
      ...(staying !== undefined && staying !== after ? [{ ...move, after: staying }] : []),
    );
  }
}
