import { MutationIds } from '../../../client/sdk/mutation-ids.ts';
import type { ViewHost } from '../../../client/sdk/view-host.ts';
import type { ClientMessage } from '../../../shared/protocol/client-message.ts';
import { HandTimers } from './hand-timers.ts';

interface HostOfTest extends ViewHost {
  readonly timers: HandTimers;
  readonly sent: ClientMessage[];
  /** Views that are over. */
  readonly overCount: () => number;
}

/** What a view needs of a client, without a client. */
export function viewHost(options: Partial<ViewHost> = {}): HostOfTest {
  const timers = new HandTimers();
  const sent: ClientMessage[] = [];
  let over = 0;
  let sequence = 0;
  return {
    timers,
    sent,
    overCount: () => over,
    environment: timers.environment,
    ids: new MutationIds('test'),
    actor: () => 'ann',
    nextSequence: () => {
      sequence += 1;
      return sequence;
    },
    send: (message) => sent.push(message),
    isOpen: () => true,
    connectionFailure: () => undefined,
    wake: () => undefined,
    onOver: () => {
      over += 1;
    },
    ...options,
  };
}
