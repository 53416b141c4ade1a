import { hashOf } from '../model/canonical.ts';
import type { Call, Outcome } from './call.ts';
import type { Change, Records, ReplyRecord } from './records.ts';
import { refusal } from './refusal.ts';

const KEY_LIFE_MS = 86_400_000;

/** @throws {Refusal} 400 when the text cannot be a key. */
export function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw refusal(400, 'bad_idempotency_key', 'An Idempotency-Key has 1 to 255 visible ASCII characters.');
}

/**
 * Repeats the stored answer when the call's key was used within 24 hours; otherwise carries the call out and stores its
 * answer together with its changes. Refusals are not stored: the next try may succeed.
 *
 * @param body must be the same in a repetition.
 * @throws {Refusal} 422 `idempotency_key_reused` when the key was used with another body.
 */
export function answerOnce(call: Call, body: unknown, carryOut: () => Outcome): Outcome {
  const { idempotencyKey, records, now } = call;
  if (idempotencyKey === undefined) return carryOut();
  const hash = hashOf(body);
  const before = records.replies.get(idempotencyKey);
  if (before !== undefined && before.expires > now) return repeat(before, hash);
  const { changes = [], ...answer } = carryOut();
  const reply: ReplyRecord = { hash, headers: {}, body: undefined, ...answer, expires: now + KEY_LIFE_MS };
  return {
    ...answer,
    changes: [...expired(records, now), ...changes, { put: ['replies', idempotencyKey, reply] }],
  };
}

function repeat({ hash, status, headers, body }: ReplyRecord, hashNow: string): Outcome {
  if (hash === hashNow) return { status, body, headers: { ...headers, 'idempotent-replayed': 'true' } };
  throw refusal(
    422,
    'idempotency_key_reused',
    'This Idempotency-Key was used before, with another body. Take a new key for a new request.',
  );
}

/** Keys are stored in the order in which they expire, so the search ends at the first that is still valid. */
function expired(records: Records, now: number): readonly Change[] {
  const changes: Change[] = [];
  for (const [id, { expires }] of records.replies) {
    if (expires > now) break;
    changes.push({ delete: ['replies', id] });
  }
  return changes;
}
