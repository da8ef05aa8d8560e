/**
 * One task text as a head and the rest, for tools that keep a title and a description apart: the first paragraph is the
 * title.
 */
export interface HeadedText {
  readonly head: string;
  /** Empty when there is no more. */
  readonly rest: string;
}

const gap = '\n\n';

export function splitText(text: string): HeadedText {
  const at = text.indexOf(gap);
  const [head, rest] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + gap.length)];
  return head.trim() === '' || rest === '' ? { head: text, rest: '' } : { head, rest };
}

/** A head of several paragraphs becomes one. */
export function joinText(head: string, rest: string): string {
  return rest === '' ? head : `${head.replace(/\n{2,}/g, '\n')}${gap}${rest}`;
}
