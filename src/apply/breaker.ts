import { CliError } from '../errors.ts';
import type { Result } from './result.ts';

/** Why nobody, or nothing but a way to nobody, answers: the next row would end like this one. */
const passing = new Set([
  'connection_refused',
  'dns',
  'tls',
  'proxy',
  'connect_timeout',
  'reset',
  'timeout',
  'cut',
  'unavailable',
  'rate_limited',
]);

/** So many rows in a row, with one reason, end a run. */
const MOST_IN_A_ROW = 10;

/**
 * Watches the rows of a run as they end.
 *
 * @returns for each row, whether it was the last of too many in a row that the connection failed for one reason.
 */
export function createBreaker(): (result: Result) => boolean {
  let last: string | undefined;
  let length = 0;
  return ({ outcome, error }) => {
    if (outcome === 'not_attempted') return false;
    const reason = outcome === 'done' ? undefined : reasonIn(error);
    length = reason !== undefined && reason === last ? length + 1 : 1;
    last = reason;
    return reason !== undefined && length >= MOST_IN_A_ROW;
  };
}

/** The code that says what the connection did: the error's own, or that of what left its outcome in doubt. */
function reasonIn(error: unknown): string | undefined {
  if (!(error instanceof CliError)) return undefined;
  return passing.has(error.code) ? error.code : reasonIn(error.cause);
}
