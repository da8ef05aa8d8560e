import type { z } from 'zod';
import type { Files } from '../../shared/dialects/dialect.ts';
import type { Result } from '../../shared/plan/result.ts';
import type { ErrorBody } from '../../shared/protocol/error-code.ts';
import type { RoomRegistry } from '../room/registry.ts';

/** On whose behalf, and over which rooms, an operation runs. */
export interface OperationContext {
  readonly rooms: RoomRegistry;
  readonly actor: string;
  /** The folders that file tools reach. */
  readonly files: Files;
  /** For a caller that brings no mutationId of its own. */
  readonly newId: () => string;
}

/**
 * One thing that a caller may ask for. Added once, it is there on every endpoint, with the same input, answer and error
 * codes.
 */
export interface Operation<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** `read` changes nothing; `call` has an effect. */
  readonly kind: 'read' | 'call';
  /** One line for people and for documents made from the registry. */
  readonly doc: string;
  readonly input: Schema;
  readonly run: (input: z.output<Schema>, context: OperationContext) => Promise<Result<unknown, ErrorBody>>;
}

/** Keeps the input type of one operation while the registry holds all of them alike. */
export function defineOperation<Schema extends z.ZodType>(operation: Operation<Schema>): Operation {
  return operation as unknown as Operation;
}
