import { keyOf, type Scalar } from './schema.ts';

interface Keys {
  get(key: string): Scalar | undefined;
}

/**
 * Whether a row is there, in a doc where somebody removed it (all its keys) while somebody else, who did not see that, wrote
 * one of them: removed stays removed unless enough of it is there. A task is when its description is and two of
 * status, group and position are: an edit of a field, or a status, cannot bring a removed one back; undoing its removal
 * does, and so does a new task whose maker forgot one of them. The same rule in whichever order the two arrive.
 */
export function isTaskThere(view: Keys, uid: string): boolean {
  if (view.get(keyOf(uid, 'description')) === undefined) return false;
  const others = ['status', 'group', 'pos'].filter((field) => view.get(keyOf(uid, field)) !== undefined);
  return others.length >= 2;
}

/** A group is there when its title and its position are. */
export function isGroupThere(view: Keys, uid: string): boolean {
  return view.get(keyOf(uid, 'title')) !== undefined && view.get(keyOf(uid, 'pos')) !== undefined;
}
