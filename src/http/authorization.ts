import type { Ending } from '../transport.ts';

/** One value of the authorization header and which issue of it this is. */
export interface Token {
  readonly header: string;
  readonly generation: number;
  /** Milliseconds since the epoch; `undefined` where its end is not known. */
  readonly expiresAt?: number | undefined;
}

/** What a session shows to the service. */
export interface Credentials {
  /** Where they came from, for sentences: `INNCTL_TOKEN`, `profile chain`. */
  readonly source: string;
  readonly grant: 'token' | 'client-credentials' | 'user';
  /** The token to send now; fetches one when there is none or it has expired. Parallel callers share one fetch. */
  current(signal: Ending): Promise<Token>;
  /**
   * After a 401: a newer token than `stale`, `undefined` when this kind cannot be renewed.
   * Once per generation, shared by all callers.
   */
  renew(stale: Token, signal: Ending): Promise<Token | undefined>;
  /** Settles when nothing is under way any more that must come to its end before the connection is closed. */
  settled?(): Promise<void>;
}
