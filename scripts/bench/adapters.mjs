import { planroom } from './planroom-adapter.mjs';
import { raw } from './raw-adapter.mjs';

/**
 * What the load generator must know of a server; everything else is the same code for both.
 * @typedef {object} Adapter
 * @property {string} path path of the WebSocket
 * @property {(connection: import('./connection.mjs').Connection, actor: string) => Promise<void>} hello
 * @property {(connection: import('./connection.mjs').Connection, room: string) => Promise<number>} join
 *   becomes a subscriber of the room; gives its revision
 * @property {(connection: import('./connection.mjs').Connection, room: string, tasks: number) => Promise<number>} fill
 *   makes the tasks that writes go to, where the server has such a thing; gives the revision after it
 * @property {(room: string, writer: number, sequence: number, task: number, text: string) => string} write
 * @property {(frame: Buffer, writer: number, onAck: (sequence: number) => void) => void} eachAck
 *   the acks in a frame that came to this writer
 * @property {(frame: Buffer) => boolean} hasChanges cheap
 * @property {(frame: Buffer) => number[]} revisions of the Changes in the frame, in its order; parses it
 * @property {(connection: import('./connection.mjs').Connection, room: string, since?: Position) => Promise<CaughtUp>} catchUp
 *   asks for what brings a client up to date, and waits for it without parsing more than it must
 */

/** @typedef {{ epoch: string, revision: number }} Position */
/** @typedef {{ frames: Buffer[], resume: string, position: Position }} CaughtUp */
/** @typedef {'planroom' | 'raw'} Kind */

/** @type {Record<Kind, Adapter>} */
export const adapters = { planroom, raw };
