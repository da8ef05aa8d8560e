import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeRecord } from '../../shared/plan/change.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import { storeError } from './sqlite-error.ts';
import type { RoomHead, RowsPage } from './sqlite-messages.ts';
import type { StoreError } from './store.ts';

/** Rows turned into JSON in one turn of the event loop, about 1 ms. */
const rowsPerTurn = 1_000;

/** The snapshot's JSON in pieces, made over several turns: a full room takes longer than others should wait. */
export async function encodeSnapshot(snapshot: Snapshot): Promise<string[]> {
  const { groups, tasks, ...head } = snapshot;
  const parts = [JSON.stringify(head).slice(0, -1), ',"groups":', JSON.stringify(groups), ',"tasks":['];
  for (let at = 0; at < tasks.length; at += rowsPerTurn) {
    if (at > 0) {
      parts.push(',');
      await nextTurn();
    }
    parts.push(JSON.stringify(tasks.slice(at, at + rowsPerTurn)).slice(1, -1));
  }
  parts.push(']}');
  return parts;
}

/** The page's records; undefined when it is not what `append` stored. */
export function parsePage(page: RowsPage): ChangeRecord[] | undefined {
  const rows = parse(page.json);
  if (!Array.isArray(rows) || rows.length !== page.count) return undefined;
  const records: ChangeRecord[] = [];
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== 3) return undefined;
    const [change, undo, nags] = row;
    if (change?.revision !== page.from + records.length) return undefined;
    records.push({ change, undo, nags });
  }
  return records;
}

/** The snapshot of the head; 'damaged' when it is not what `saveSnapshot` stored. */
export function parseSnapshot(room: string, head: RoomHead): Snapshot | 'damaged' | undefined {
  if (!head.snapshot) return undefined;
  // Written by us and unharmed, as its checksum says.
  const snapshot = parse(head.snapshot.json) as Snapshot | null | undefined;
  const isIts =
    snapshot?.room === room && snapshot.epoch === head.epoch && snapshot.revision === head.snapshot.revision;
  return isIts ? snapshot : 'damaged';
}

/** The sight in the text; undefined when it is not the one that was asked for. */
export function parseSight(json: string | undefined, actor: string, dialect: string): Sight | undefined {
  // Written by us and unharmed, as its checksum says.
  const sight = parse(json ?? '') as Sight | null | undefined;
  return sight?.actor === actor && sight.dialect === dialect ? sight : undefined;
}

export function damaged(room: string, page: RowsPage): StoreError {
  const last = page.from + page.count - 1;
  return storeError('store_corrupt', room, `a Change from ${page.from} to ${last} is damaged`);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
