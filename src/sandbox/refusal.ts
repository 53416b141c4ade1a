import * as v from 'valibot';
import type { Answer } from './call.ts';

/** A problem with one value. */
export interface Detail {
  readonly field: string;
  readonly reason: string;
}

/** An error answer, thrown from where the reason is found. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(sentence: string, answer: Answer) {
    super(sentence);
    this.answer = answer;
  }
}

/** A refusal in the sandbox's error format: `{"error":{"code","message","details"}}`. */
export function refusal(
  status: number,
  code: string,
  message: string,
  { details = [], headers = {} }: Pick<Answer, 'headers'> & { readonly details?: readonly Detail[] } = {},
): Refusal {
  return new Refusal(message, { status, body: { error: { code, message, details } }, headers });
}

/** 422: values that were refused, all of them named. */
export function invalid(details: readonly Detail[]): Refusal {
  const message =
    details.length === 1
      ? 'A value was not accepted.'
      : `${details.length} values were not accepted: ${details.map(({ field }) => field).join(', ')}.`;
  return refusal(422, 'validation_failed', message, { details });
}

/** 422: one value that was refused. */
export function wrong(field: string, reason: string): Refusal {
  return invalid([{ field, reason }]);
}

/** 404: there is no such record. */
export function notFound(noun: string, id: string): Refusal {
  return refusal(404, 'not_found', `There is no ${noun} ${JSON.stringify(id)}.`);
}

/** The value as the schema reads it. @throws {Refusal} 422 with every field that is missing, unknown or wrong. */
export function check<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  throw invalid(parsed.issues.map(detailOf));
}

/** A schema of one of these names. */
export function oneOf(names: readonly string[]) {
  return v.picklist(names, (issue) => `${issue.received} is not one of ${names.join(', ')}`);
}

function detailOf(issue: v.BaseIssue<unknown>): Detail {
  const field = v.getDotPath(issue) ?? 'body';
  const isKey = issue.path !== undefined && (issue.type === 'strict_object' || issue.type === 'object');
  if (isKey && issue.expected === 'never') return { field, reason: 'is not a known field' };
  if (isKey && issue.received === 'undefined') return { field, reason: 'is missing' };
  return { field, reason: issue.message };
}

const pointer = v.pipe(
  v.string('must be a text'),
  v.regex(/^\/([^~]|~0|~1)*$/, 'must be a path that begins with / (RFC 6901)'),
);

/** The segments of a JSON Pointer. */
export function segmentsOf(pointer: string): readonly string[] {
  const [, ...segments] = pointer.split('/');
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** More than any record has fields, in every language. */
const MOST_STEPS = 500;

const schema = v.pipe(
  v.array(
    v.object(
      {
        op: v.picklist(
          ['add', 'remove', 'replace', 'move', 'copy', 'test'],
          'must be one of add, remove, replace, move, copy, test',
        ),
        path: pointer,
        from: v.exactOptional(pointer),
        value: v.optional(v.unknown()),
      },
      'must be an operation with op and path',
    ),
    'must be an array of operations',
  ),
  v.maxLength(MOST_STEPS, `must have at most ${MOST_STEPS} operations`),
);

/** One operation of a JSON Patch (RFC 6902). */
export type Step = v.InferOutput<typeof schema>[number];

/** @throws {Refusal} 422 when the body is no array of operations. */
export function parsePatch(body: unknown): readonly Step[] {
  return check(schema, body);
}

/** Whether a filter lets a record pass: it is not given, or one of the record's values is wanted. */
export function isAmong(wanted: readonly string[], ...values: readonly (string | undefined)[]): boolean {
  return wanted.length === 0 || values.some((value) => value !== undefined && wanted.includes(value));
}

/** The values of a list parameter, given repeatedly, comma-separated or both. */
export function listParameter(query: URLSearchParams, name: string): readonly string[] {
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** A true-or-false parameter; `undefined` when it is not given. */
export function flagParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw wrong(name, `${JSON.stringify(value)} is neither true nor false`);
}

/** The requested page of the items. A larger size than the maximum is reduced silently, as in the real service. */
export function pageOf<T>(items: readonly T[], query: URLSearchParams, most: number): readonly T[] {
  const size = Math.min(countParameter(query, 'page_size') ?? most, most);
  const number = countParameter(query, 'page_number') ?? 1;
  return items.slice((number - 1) * size, number * size);
}

function countParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count) && count >= 1) return count;
  throw wrong(name, `${JSON.stringify(value)} is not a whole number of at least 1`);
}

/** @throws {Refusal} 422 with one detail for each id without a record. */
export function requireKnown(
  field: string,
  noun: string,
  ids: readonly string[],
  all: ReadonlyMap<string, unknown>,
): void {
  const unknown = ids.filter((id) => !all.has(id));
  if (unknown.length === 0) return;
  throw invalid(unknown.map((id) => ({ field, reason: `there is no ${noun} ${JSON.stringify(id)}` })));
}

/** The record with this id. @throws {Refusal} 404. */
export function existing<Kept>(all: ReadonlyMap<string, Kept>, noun: string, id: string): Kept {
  const record = all.get(id);
  if (record === undefined) throw notFound(noun, id);
  return record;
}

/** 409, which the public service does not document: the dialect maps it to 422. */
export function taken(field: string, message: string): Refusal {
  return refusal(409, 'already_exists', message, { details: [{ field, reason: 'is taken' }] });
}
