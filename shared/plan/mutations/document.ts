import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import type { PlanDocument } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { assertNever, err, ok, type Result } from '../result.ts';
import { requireBase, requireText } from '../rules.ts';
import { baseField } from './fields.ts';

const label = z.string().max(limits.documentLabelBytesMax);

/** Replaces the body. A label that is absent keeps its value, an empty one clears it [S3]. */
export const documentWrite = z.strictObject({
  type: z.literal('document.write'),
  content: z.string().max(limits.contentBytesMax).optional(),
  title: label.optional(),
  author: label.optional(),
  status: label.optional(),
  /** `create`: only if there is no document yet; `update`: only if there is one; absent: either. */
  mode: z.enum(['create', 'update']).optional(),
  base: baseField,
});

/** Sets the free status label and nothing else [S3]. */
export const documentStatus = z.strictObject({
  type: z.literal('document.status'),
  status: label,
  base: baseField,
});

type Write = z.infer<typeof documentWrite>;
export type DocumentMutation = Write | z.infer<typeof documentStatus>;

export function decideDocument(plan: Plan, mutation: DocumentMutation): Result<Decision, Rejection> {
  switch (mutation.type) {
    case 'document.write':
      return decideWrite(plan, mutation);
    case 'document.status':
      return decideStatus(plan, mutation.status, mutation.base);
    default:
      return assertNever(mutation);
  }
}

/** Whether the plan has a document. One that an earlier step of the same batch wrote has no revision yet, but a time. */
export function hasDocument(plan: Plan): boolean {
  return plan.document.revision > 0 || plan.document.updatedAt !== '';
}

function decideWrite(plan: Plan, mutation: Write): Result<Decision, Rejection> {
  const { content, title, author, status } = mutation;
  if (content === '') {
    return rejection('blank_text', 'The content of the document must not be empty. Send the whole Markdown text.');
  }
  const texts = checkDocumentTexts(mutation);
  if (!texts.ok) return texts;
  const exists = requireExistence(plan, mutation);
  if (!exists.ok) return exists;
  const guard = requireDocumentBase(plan, mutation.base);
  if (!guard.ok) return guard;
  if (content === undefined && !hasDocument(plan)) {
    return rejection('document_not_found', 'The plan has no document yet: write its content first.');
  }
  const draft = new Draft(plan);
  draft.writeDocument({
    content,
    title: title === '' ? null : title,
    author: author === '' ? null : author,
    status: status === '' ? null : status,
  });
  return ok(draft.finish());
}

/** Body and labels, as far as they are given, are well-formed text within their limits. */
export function checkDocumentTexts(
  texts: Pick<Write, 'content' | 'title' | 'author' | 'status'>,
): Result<void, Rejection> {
  const fields = [
    ['content', texts.content, limits.contentBytesMax],
    ['title', texts.title, limits.documentLabelBytesMax],
    ['author', texts.author, limits.documentLabelBytesMax],
    ['status', texts.status, limits.documentLabelBytesMax],
  ] as const;
  for (const [what, text, bytesMax] of fields) {
    if (text === undefined) continue;
    const checked = requireText(what, text, bytesMax, 'allowed');
    if (!checked.ok) return err(checked.error);
  }
  return ok(undefined);
}

function requireExistence(plan: Plan, mutation: Write): Result<void, Rejection> {
  if (mutation.mode === 'update' && !hasDocument(plan)) {
    return rejection('document_not_found', 'The plan has no document yet, so there is nothing to update. Create it.');
  }
  if (mutation.mode === 'create' && hasDocument(plan)) {
    const current = plan.document.revision;
    return rejection(
      'conflict',
      `The document is there already, at revision ${current}. Update it, or use another room.`,
      { expected: 0, current },
    );
  }
  return ok(undefined);
}

/** The document guard looks at the document alone; 0 stands for «there is none» [S3]. */
function requireDocumentBase(plan: Plan, base: number | undefined): Result<void, Rejection> {
  const guard = requireBase(plan, base);
  if (!guard.ok) return guard;
  const current = plan.document.revision;
  if (base === undefined || current <= base) return ok(undefined);
  return rejection(
    'conflict',
    `The document changed at revision ${current}, after your base ${base}${byAuthor(plan.document)}. Re-read it and retry.`,
    { expected: base, current },
  );
}

function byAuthor(document: PlanDocument): string {
  return document.author ? ` (author '${document.author.slice(0, 100)}')` : '';
}

function decideStatus(plan: Plan, status: string, base: number | undefined): Result<Decision, Rejection> {
  if (status === '') return rejection('blank_text', 'The status must not be empty. Any label will do, such as draft.');
  const text = requireText('status', status, limits.documentLabelBytesMax, 'allowed');
  if (!text.ok) return text;
  if (!hasDocument(plan)) {
    return rejection('document_not_found', 'The plan has no document yet. Write it before you set its status.');
  }
  const guard = requireDocumentBase(plan, base);
  if (!guard.ok) return guard;
  const draft = new Draft(plan);
  draft.writeDocument({ status });
  return ok(draft.finish());
}
