import { usageError } from '../errors.ts';
import type { Credentials } from '../http/authorization.ts';

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
