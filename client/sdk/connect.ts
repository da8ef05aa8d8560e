import { err, ok, type Result } from '../../shared/plan/result.ts';
import { actorSchema } from '../../shared/protocol/names.ts';
import { type BackOff, defaultBackOff } from './back-off.ts';
import { PlanroomClient } from './client.ts';
import { defaultEnvironment, type Environment } from './environment.ts';
import { addressesOf, type SocketConstructor } from './web-socket.ts';

export interface ConnectOptions {
  /** Address of the server, as http(s) or ws(s): `http://127.0.0.1:4747`. */
  readonly url: string;
  /** Who this is, to the others in a room: 1 to 128 bytes on one line, not blank. The server makes it `guest` when absent. */
  readonly actor?: string;
  /** Name and version of the program, for the server's log. */
  readonly client?: string;
  /** Default: that of the platform, or of the `ws` package where Node has none. */
  readonly webSocket?: SocketConstructor;
  /** When and how often to try again; `defaultBackOff` where not given. */
  readonly backOff?: Partial<BackOff>;
  /** Time, randomness and HTTP; for tests. */
  readonly environment?: Partial<Environment>;
}

/**
 * A client of the server at `url`. It gives one at once, whether a server is there or not, and connects by itself, now
 * and whenever the connection goes; `client.opened()` tells how the first try went, and `backOff.attemptsMax` bounds how
 * often it tries.
 *
 * Throws a TypeError when `url` is no http(s) or ws(s) address (`nonsense`) or `actor` no name (an empty or blank one):
 * a mistake of the program, which no waiting would mend. `checkOptions` tells the same without throwing, for what a
 * person typed. Nothing else of the SDK throws.
 */
export function connect(options: ConnectOptions): PlanroomClient {
  const checked = checkOptions(options);
  if (!checked.ok) throw new TypeError(checked.error);
  const environment = { ...defaultEnvironment, ...options.environment };
  const { socketUrl, httpUrl } = checked.value;
  return new PlanroomClient({
    httpUrl,
    environment,
    link: {
      url: socketUrl,
      shownUrl: options.url,
      introduction: { actor: options.actor, client: options.client ?? 'planroom-sdk' },
      webSocket: options.webSocket,
      backOff: { ...defaultBackOff, ...options.backOff },
      environment,
    },
  });
}

/** What `connect` would throw for, as a value: for options that a person typed. */
export function checkOptions({
  url,
  actor,
}: Pick<ConnectOptions, 'url' | 'actor'>): Result<{ readonly socketUrl: string; readonly httpUrl: string }, string> {
  const addresses = addressesOf(url);
  if (!addresses) return err(`'${url}' is not an address such as http://127.0.0.1:4747.`);
  if (actor === undefined) return ok(addresses);
  const parsed = actorSchema.safeParse(actor);
  return parsed.success ? ok(addresses) : err(`'${actor}': ${parsed.error.issues[0]?.message ?? 'not an actor name'}.`);
}
