import type { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { isWellFormed } from '../plan/text.ts';
import { type ClientMessage, clientMessageSchema } from './client-message.ts';
import type { ErrorBody, ErrorCode } from './error-code.ts';
import { issueText } from './issue-text.ts';

/**
 * One message of a frame, or what is wrong with it. A faulty message does not spoil the others of its frame; `id` and
 * `room` are those of the message when they could be read, so that the fault can be answered to whoever waits for it.
 */
export type DecodedMessage = Result<ClientMessage, MessageFault>;

export interface MessageFault extends ErrorBody {
  readonly id?: string;
  readonly room?: string;
  readonly type?: string;
}

/** Decodes the text of one frame. Never throws. */
export function decodeFrame(text: string): Result<readonly DecodedMessage[], ErrorBody> {
  const parsed = parseBounded(text, limits.jsonDepthMax);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const suspect = isSuspect(text);
  if (!Array.isArray(value)) return ok([decodeMessage(value, suspect)]);
  const { messagesPerFrameMax } = limits;
  if (value.length > messagesPerFrameMax) {
    return fault('too_large', `The frame holds ${value.length} messages; at most ${messagesPerFrameMax} are allowed.`);
  }
  return ok(value.map((message) => decodeMessage(message, suspect)));
}

/** JSON text as a value: bounded in depth, with well-formed strings, and without keys that poison prototypes. */
export function parseJson(text: string, depthMax: number): Result<unknown, ErrorBody> {
  const parsed = parseBounded(text, depthMax);
  const found = parsed.ok && isSuspect(text) ? poison(parsed.value) : undefined;
  return found ? fault('bad_message', found) : parsed;
}

function parseBounded(text: string, depthMax: number): Result<unknown, ErrorBody> {
  const excess = excessOf(text, depthMax);
  if (excess) return err(excess);
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return fault('bad_frame', `This is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

/** Only an escape can smuggle in half a surrogate pair or spell a key in disguise. */
function isSuspect(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__');
}

function decodeMessage(value: unknown, suspect: boolean): DecodedMessage {
  const found = suspect ? poison(value) : undefined;
  if (found) return err({ code: 'bad_message', message: found, ...whose(value) });
  const parsed = clientMessageSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err({
    code: faultCode(parsed.error),
    message: `The message is not understood. ${explainIssues(parsed.error)}`,
    ...whose(value),
  });
}

/** `bad_room_name` when only the name of the room is at fault, else `bad_message`: the same on every endpoint. */
export function faultCode(error: z.ZodError): ErrorCode {
  return error.issues.every((issue) => issue.path[0] === 'room') ? 'bad_room_name' : 'bad_message';
}

/** What a faulty message says about whom to answer, as far as it can be read. */
function whose(value: unknown): Pick<MessageFault, 'id' | 'room' | 'type'> {
  const { id, room, type } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return {
    ...(isLabel(id, limits.mutationIdCharactersMax) && { id }),
    ...(isLabel(room, limits.roomNameCharactersMax) && { room }),
    ...(isLabel(type, typeCharactersMax) && { type }),
  };
}

/** Longer than every type and operation there is. */
const typeCharactersMax = 64;

function isLabel(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value.length <= charactersMax && isWellFormed(value);
}

/** What a schema found wrong, as a sentence or three for whoever sent it. */
export function explainIssues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map(issueText);
  const more = error.issues.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** What is wrong with the size of what the text describes, without making it: brackets and values outside of strings. */
function excessOf(text: string, depthMax: number): ErrorBody | undefined {
  const { jsonValuesMax } = limits;
  let depth = 0;
  // The first one stands behind no separator.
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > depthMax) {
        return { code: 'too_deep', message: `JSON is nested deeper than ${depthMax} levels; flatten it.` };
      }
    } else if (code === comma || code === colon) {
      values += 1;
      if (values > jsonValuesMax) {
        const message = `The JSON holds more than ${jsonValuesMax} keys and values; send it in parts.`;
        return { code: 'too_large', message, facts: { jsonValuesMax } };
      }
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
    }
  }
  return undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Index of the quote that ends the string beginning at `start`, or of the end of the text. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== backslash) return end;
  // Some quotes are escaped: from here on one character after the other, each once.
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === backslash) index += 1;
    else if (code === quote) return index;
  }
  return text.length;
}

/** What must not be taken in, as a sentence; undefined when the value is clean. Its depth is bounded by now. */
function poison(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return isWellFormed(value) ? undefined : 'A text holds half of a surrogate pair; send well-formed Unicode.';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') return `The key '__proto__' is not allowed.`;
    const found = (Array.isArray(value) ? undefined : poison(key)) ?? poison(entry);
    if (found) return found;
  }
  return undefined;
}

function fault(code: ErrorCode, message: string): { readonly ok: false; readonly error: ErrorBody } {
  return { ok: false, error: { code, message } };
}
