import { z } from 'zod';
import { fitsBytes, limits } from '../plan/limits.ts';
import { isWellFormed } from '../plan/text.ts';

/** `release`, `db-migration`, `a_1`: lower case letters, digits, `-` and `_`, the first a letter or digit. */
export const roomNamePattern = /^[a-z0-9][a-z0-9_-]*$/;

export const roomNameRule = `a room name is 1 to ${limits.roomNameCharactersMax} of a-z 0-9 _ - and begins with a letter or digit`;

export const roomNameSchema = z
  .string()
  .max(limits.roomNameCharactersMax, roomNameRule)
  .regex(roomNamePattern, roomNameRule);

export function isRoomName(name: string): boolean {
  return name.length <= limits.roomNameCharactersMax && roomNamePattern.test(name);
}

const actorRule = `an actor name is 1 to ${limits.actorNameBytesMax} bytes of text without control characters`;

/** A person or an agent: free text that fits on a line. */
export const actorSchema = z
  .string()
  .min(1, actorRule)
  .max(limits.actorNameBytesMax, actorRule)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, actorRule)
  .refine((name) => fitsBytes(name, limits.actorNameBytesMax) && isWellFormed(name) && name.trim() !== '', actorRule);

/** Made by the client, one for each mutation; printable ASCII without blanks. */
export const mutationIdSchema = z
  .string()
  .max(limits.mutationIdCharactersMax)
  .regex(
    /^[!-~]+$/,
    `a mutationId is 1 to ${limits.mutationIdCharactersMax} printable ASCII characters without blanks`,
  );

/** Made by the caller of a tool, one for each call; shorter than a mutationId, for a call may make several mutations. */
export const operationIdSchema = mutationIdSchema.max(limits.mutationIdCharactersMax - 4);

export const epochSchema = z.string().min(1).max(64);
export const revisionSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
