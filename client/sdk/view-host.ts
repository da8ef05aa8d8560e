import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import type { Environment } from './environment.ts';
import type { ClientFailure } from './failure.ts';
import type { MutationIds } from './mutation-ids.ts';

/** What a view needs of its client. */
export interface ViewHost {
  readonly environment: Environment;
  readonly ids: MutationIds;
  /** Name by which the server knows this client. */
  readonly actor: () => string;
  readonly nextSequence: () => number;
  readonly send: (message: ClientMessage) => void;
  readonly isOpen: () => boolean;
  /** Why there is no connection, where that is known. */
  readonly connectionFailure: () => ClientFailure | undefined;
  /** There is something to send. */
  readonly wake: () => void;
  /** The view is over. */
  readonly onOver: () => void;
}
