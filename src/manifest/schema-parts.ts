import * as v from 'valibot';
import type { Check } from '../checks/property-fields.ts';
import type { Kind } from './entry.ts';
import { fieldsOf, locationFields } from './names.ts';

const MOST_REMEMBERED = 1_000;

/** What an entry of one kind may be. Null, empty and blank fields are left out before. */
export type EntrySchema = v.GenericSchema<unknown, Record<string, unknown>>;

/** What the JSON Schema says of a field, besides its type. */
export type Hints = Readonly<Record<string, unknown>>;

/** A text that a check judges; the check's words are the message. */
export function text(problem: Check, hints: Hints) {
  return v.pipe(
    v.string('must be a text, in quotes'),
    v.check(
      (value) => problem(value) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
    v.metadata(hints),
  );
}

/** A field that may be left out; null is the same as nothing. */
export function optional<Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema);
}

/** The field that says what an entry is, where its other fields do not. */
export function kindField(kind: Kind) {
  return optional(v.literal(kind));
}

/** Fields that the contract does not name; they pass through as they are. */
export function extra(kind: Kind) {
  const named = fieldsOf[kind].filter((field) => field !== 'extra');
  return v.pipe(
    v.unknown(),
    v.metadata({
      description: 'fields of your service that the contract does not name',
      type: 'object',
      propertyNames: { not: { enum: named.filter((field) => field !== 'location') } },
      ...(kind === 'property' ? { properties: { location: insideLocation } } : {}),
    }),
  );
}

const insideLocation = { type: 'object', propertyNames: { not: { enum: locationFields } } };

/** A check that remembers what it said of some texts: time zones and languages take long, and repeat. */
export function remembering(check: Check): Check {
  const known = new Map<string, string | undefined>();
  return (value) => {
    if (known.has(value)) return known.get(value);
    const problem = check(value);
    if (known.size < MOST_REMEMBERED) known.set(value, problem);
    return problem;
  };
}
