import { hashOf } from '../model/canonical.ts';
import type { Call, Outcome } from './call.ts';
import { type Change, type Collections, put, type Records, type ReplyRecord } from './records.ts';
import { existing, pageOf, refusal } from './refusal.ts';

/** What records of the inventory are called, in sentences and in paths. */
const nouns = {
  properties: ['property', 'properties'],
  unit_groups: ['unit group', 'unit-groups'],
  units: ['unit', 'units'],
  unit_attributes: ['unit attribute', 'unit-attributes'],
} as const;

type Name = keyof typeof nouns;

/** A call whose path names a record. */
type Addressed = Pick<Call<'getUnit'>, 'records' | 'path'>;

/** How many records the lists of the inventory have on a page. */
export const INVENTORY_PAGE = 500;

/** The record that the path names. @throws {Refusal} 404. */
export function recordAt<Each extends Name>(name: Each, { records, path }: Addressed): Collections[Each] {
  return existing(records[name], nouns[name][0], path.id);
}

/** A handler: 200 or 404, without a body. */
export function existsIn(name: Name) {
  return (call: Addressed): Outcome => {
    recordAt(name, call);
    return { status: 200 };
  };
}

/** A page of a list. */
export function listed<Kept>(
  found: readonly Kept[],
  query: URLSearchParams,
  view: (record: Kept) => unknown,
): Outcome {
  return {
    status: 200,
    body: { count: found.length, items: pageOf(found, query, INVENTORY_PAGE).map(view) },
  };
}

/** A record was created. @param more changes besides. */
export function created<Each extends Name>(
  name: Each,
  record: Collections[Each],
  more: readonly Change[] = [],
): Outcome {
  const { id } = record;
  return {
    status: 201,
    body: { id },
    headers: { location: `/inventory/v1/${nouns[name][1]}/${id}` },
    changes: [put(name, id, record), ...more],
  };
}

/** A record has other values now; also if they are the same. */
export function changed<Each extends Name>(name: Each, record: Collections[Each]): Outcome {
  return { status: 204, changes: [put(name, record.id, record)] };
}

/** A record is gone. */
export function deleted(name: Name, id: string, more: readonly Change[] = []): Outcome {
  return { status: 204, changes: [{ delete: [name, id] }, ...more] };
}

/** The records of a property, oldest first. */
export function recordsIn<Each extends 'unit_groups' | 'units'>(
  name: Each,
  records: Records,
  propertyId: string,
): readonly Collections[Each][] {
  return [...records[name].values()].filter((record) => record.property_id === propertyId);
}

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
  const message =
    'This Idempotency-Key was used before, with another body. Take a new key for a new request.';
  throw refusal(422, 'idempotency_key_reused', message);
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
