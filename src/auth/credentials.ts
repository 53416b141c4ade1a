import { usageError } from '../errors.ts';
import type { Credentials, Token } from '../http/authorization.ts';
import type { Ending } from '../transport.ts';
import { singleFlight } from './single-flight.ts';

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

/** The token itself, as others than the service take it. A secret. */
export function bare({ header }: Pick<Token, 'header'>): string {
  return header.replace(/^Bearer /, '');
}

/** Whether a token can stand in a header as it is. */
export function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/**
 * Credentials that are opened when a token is first needed: what keeps them may have to be asked. Whoever is interrupted does
 * not wait for that.
 *
 * @param open is called once, again only where it failed or nobody waited for it.
 */
export function deferred(
  source: string,
  grant: Credentials['grant'],
  open: (signal: AbortSignal) => Promise<Credentials>,
): Credentials {
  let opened: Credentials | undefined;
  const opening = singleFlight(async (signal) => {
    opened = await open(signal);
    return opened;
  });
  const credentials = async (signal: Ending) => opened ?? opening(signal);
  return {
    source,
    grant,
    current: async (signal) => (await credentials(signal)).current(signal),
    renew: async (stale, signal) => (await credentials(signal)).renew(stale, signal),
    settled: async () => opened?.settled?.(),
  };
}
