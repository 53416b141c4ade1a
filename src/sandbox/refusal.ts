import * as v from 'valibot';
import type { Answer, Call } from './call.ts';
import type { Collections, Records } from './records.ts';

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
function invalid(details: readonly Detail[]): Refusal {
  const message =
    details.length === 1
      ? 'A value was not accepted.'
      : `${details.length} values were not accepted: ${details.map(({ field }) => field).join(', ')}.`;
  return refusal(422, 'validation_failed', message, { details });
}

/** @throws {Refusal} 422 if there is a problem. */
export function requireNone(problems: readonly Detail[]): void {
  if (problems.length > 0) throw invalid(problems);
}

/** 422: one value that was refused. */
export function wrong(field: string, reason: string): Refusal {
  return invalid([{ field, reason }]);
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

/** One problem for each id without a record. */
export function unknownIds(
  field: string,
  name: Kind,
  ids: readonly string[],
  records: Records,
): readonly Detail[] {
  const unknown = ids.filter((id) => !records[name].has(id));
  return unknown.map((id) => ({ field, reason: `there is no ${nouns[name]} ${JSON.stringify(id)}` }));
}

/** What records are called in sentences. */
const nouns = {
  properties: 'property',
  unit_groups: 'unit group',
  units: 'unit',
  unit_attributes: 'unit attribute',
  users: 'user',
  invitations: 'invitation for',
} as const;

/** The kinds of record that have paths. */
export type Kind = keyof typeof nouns;

/** The id that the path has; an address is found in any case of its letters. */
export function idIn(name: Kind, { path }: Pick<Call, 'path'>): string {
  const [id = ''] = Object.values(path);
  return name === 'invitations' ? id.toLowerCase() : id;
}

/** The record that the path names. @throws {Refusal} 404. */
export function recordAt<Name extends Kind>(name: Name, call: Call): Collections[Name] {
  const [typed = ''] = Object.values(call.path);
  return existing(call.records, name, idIn(name, call), typed);
}

/** The record with this id. @throws {Refusal} 404. */
export function existing<Name extends Kind>(
  records: Records,
  name: Name,
  id: string,
  typed = id,
): Collections[Name] {
  const record = records[name].get(id);
  if (record === undefined)
    throw refusal(404, 'not_found', `There is no ${nouns[name]} ${JSON.stringify(typed)}.`);
  return record;
}
