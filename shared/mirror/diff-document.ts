import type { SingleMutation } from '../plan/mutation.ts';
import { type Collector, type Comparison, textOf } from './difference.ts';
import { documentFields, documentItem, isMirrored, keyOf, policyFields, policyItem, type Scalar } from './schema.ts';

/** Body and labels of the document, each by itself; the body first, for without one there is nothing to label. */
export function diffDocument({ plan, view }: Comparison, fields: ReadonlySet<string>, found: Collector): void {
  for (const [field, { writable, of }] of documentFields) {
    const key = keyOf(documentItem, field);
    if (!fields.has(field) || view.get(key) === of(plan.document)) continue;
    if (!writable) found.claim(key);
    else if (field === 'content' && !isMirrored(plan.document)) {
      found.refuse(
        'too_long',
        key,
        'The document is too large for offline clients; write it through another endpoint.',
      );
    } else {
      const text = view.get(key) === undefined ? '' : textOf(found, view, documentItem, field);
      if (text !== undefined) found.step('document', key, documentMutation(field, text));
    }
  }
}

function documentMutation(field: string, text: string): SingleMutation {
  if (field === 'status' && text !== '') return { type: 'document.status', status: text };
  return { type: 'document.write', [field]: text };
}

export function diffPolicy({ plan, view }: Comparison, fields: ReadonlySet<string>, found: Collector): void {
  for (const [field, { of }] of policyFields) {
    const key = keyOf(policyItem, field);
    const value: Scalar | undefined = view.get(key);
    if (!fields.has(field) || value === of(plan.policy)) continue;
    if (value === undefined) found.refuse('invalid', key, 'A policy of the room can be changed, but not removed.');
    else found.step('policy', key, { type: 'plan.policy', [field]: value });
  }
}
