import { usageError } from '../errors.ts';

/** One value of the authorization header and which issue of it this is. */
export interface Token {
  readonly header: string;
  readonly generation: number;
}

/** What a session shows to the service. */
export interface Credentials {
  /** Where they came from, for sentences: `INNCTL_TOKEN`, `profile chain`. */
  readonly source: string;
  readonly grant: 'token' | 'client-credentials';
  /** The token to send now; fetches one when there is none or it has expired. Parallel callers share one fetch. */
  current(signal: AbortSignal): Promise<Token>;
  /**
   * After a 401: a newer token than `stale`, `undefined` when this kind cannot be renewed.
   * Once per generation, shared by all callers.
   */
  renew(stale: Token, signal: AbortSignal): Promise<Token | undefined>;
}

/**
 * A token that was given and cannot be renewed.
 *
 * @throws {CliError} `usage` when it cannot stand in a header: empty, with blanks, control or non-ASCII characters.
 */
export function bearerCredentials(token: string, source: string): Credentials {
  if (!isSendable(token)) {
    throw usageError(
      `The token of ${source} ${token === '' ? 'is empty' : 'holds blanks, line breaks or characters outside ASCII'}.`,
      'Give the bare token, without "Bearer" and without quotes.',
    );
  }
  return {
    source,
    grant: 'token',
    current: async () => ({ header: `Bearer ${token}`, generation: 1 }),
    renew: async () => undefined,
  };
}

/** Whether a token can stand in a header as it is. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}
