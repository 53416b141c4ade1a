import * as v from 'valibot';
import type { Check } from '../checks/property-fields.ts';
import { notText } from '../checks/property-values.ts';
import type { Kind } from './entry.ts';
import { contractFieldsOf, contractLocationFields } from './names.ts';

const MOST_REMEMBERED = 1_000;

/** What an entry of one kind may be. Null, empty and blank fields are left out before. */
export type EntrySchema = v.GenericSchema<unknown, Record<string, unknown>>;

/** What the JSON Schema says of a field, besides its type. */
export type Hints = Readonly<Record<string, unknown>>;

/** A text that a check judges; the check's words are the message. */
export function text(problem: Check, hints: Hints) {
  return v.pipe(
    v.string(({ input }) => notTextReason(input)),
    v.check(
      (value) => judgedText(value, problem) === undefined,
      ({ input }) => judgedText(input, problem) ?? '',
    ),
    v.metadata(hints),
  );
}

function notTextReason(value: unknown): string {
  if (value === null) return 'is empty';
  if (typeof value !== 'object') return notText;
  return `must be a text, and ${Array.isArray(value) ? 'is a list' : 'holds fields and values'}`;
}

/** A cell with a line break looks like two rows, and a block of YAML like one line. */
function judgedText(value: string, problem: Check): string | undefined {
  return /[\n\r]/.test(value) ? 'has a line break' : problem(value);
}

/** A field that may be left out; null is the same as nothing. */
export function optional<Schema extends v.GenericSchema>(schema: Schema) {
  return v.nullish(schema);
}

/** What an earlier run said of an entry: it is passed over. */
export function errorField() {
  return optional(v.pipe(v.string(), v.metadata({ description: 'why it was not done; passed over' })));
}

/** What the JSON Schema says of a field that the contract does not name; it is one for all services. */
export function ofDialect(description: string): string {
  return `${description} (services of the dialect apaleo)`;
}

/** The field that says what an entry is, where its other fields do not. */
export function kindField(kind: Kind) {
  return optional(v.literal(kind));
}

/** Fields that the contract does not name; they pass through as they are. */
export function extra(kind: Kind) {
  return v.pipe(
    v.unknown(),
    v.metadata({
      description: 'fields of your service that the contract does not name',
      type: 'object',
      propertyNames: { not: { enum: contractFieldsOf[kind] } },
      ...(kind === 'property' ? { properties: { location: insideLocation } } : {}),
    }),
  );
}

const insideLocation = { type: 'object', propertyNames: { not: { enum: contractLocationFields } } };

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
