import { NIL, v5, validate } from 'uuid';
import { quote } from '../checks/text.ts';
import { invalidInput } from '../errors.ts';
import { canonical } from './canonical.ts';
import type { KeyUse } from './history.ts';

/** Services forget a key after a day; a request must not be under way when they do. */
const KEY_LIFE_MS = 23 * 60 * 60_000;

/** A clock that went back further than this cannot tell how old a key is. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Ids of runs that are no UUIDs become namespaces below this one. */
const NAMESPACE = v5('innctl', NIL);

/**
 * The idempotency key of one creation in one run: the same on every machine.
 *
 * @param generation how many keys the same creation had before that are of no use any more.
 */
export function deriveKey(runId: string, name: string, body: unknown, generation: number): string {
  const namespace = validate(runId) ? runId : v5(runId, NAMESPACE);
  return v5(`${name}${canonical(body)}${generation === 0 ? '' : `#${generation}`}`, namespace);
}

/**
 * Whether a key still stands for the creation that it was first sent with: the service knows it, and nothing came of it
 * for certain.
 *
 * @param now milliseconds since the epoch.
 */
export function isUsable({ since, isSpent }: KeyUse, now: number): boolean {
  return !isSpent && now - since < KEY_LIFE_MS && now - since >= -CLOCK_SLACK_MS;
}

/** @throws {CliError} exit 2 when the text cannot be the id of a run. */
export function checkRunId(text: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(text)) return text;
  throw invalidInput([
    { field: '--run-id', reason: `${quote(text)} must be 1 to 128 visible ASCII characters without blanks` },
  ]);
}
