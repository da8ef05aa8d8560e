import { nanoid } from 'nanoid';

/** What the client takes from outside: time, timers, randomness and HTTP. Tests put their own in. */
export interface Environment {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Calls back once after the delay, unless cancelled by the function it returns. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
  /** A uid that nobody made before. */
  readonly newUid: () => string;
  /** What all mutationIds of one client begin with: unique among clients, printable ASCII. */
  readonly newIdPrefix: () => string;
  readonly fetch: (url: string, init: HttpRequest) => Promise<HttpResponse>;
}

interface HttpRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface HttpResponse {
  readonly status: number;
  text(): Promise<string>;
}

const idPrefixCharacters = 12;

export const defaultEnvironment: Environment = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  newUid: () => nanoid(),
  newIdPrefix: () => nanoid(idPrefixCharacters),
  fetch: (url, init) => fetch(url, init),
};
