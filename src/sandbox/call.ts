import * as v from 'valibot';
import { type Kind, kindText } from '../model/kinds.ts';
import type { DialectName, OperationId } from '../service/operations.ts';
import type { Change, Collections, Records } from './records.ts';

/** Who calls: a person, or a program with its own credentials. */
export type Caller =
  | { readonly kind: 'user'; readonly subjectId: string }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      /** The scopes of the token; `undefined`: all. */
      readonly scopes?: readonly string[];
    };

/** One request as an operation sees it, and the stored records. */
export interface Call {
  /** Decoded placeholders of the path, of which no operation has more than one. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Decoded JSON; `undefined` where the method takes none. */
  readonly body: unknown;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
  /** Decides where the services accept different values. */
  readonly dialect: DialectName;
  readonly records: Records;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; no body where it is `undefined`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer and the changes to store with it. */
export interface Outcome extends Answer {
  readonly changes?: readonly Change[];
}

/** Handles one request. Pure, so that it can run under the lock. @throws {Refusal} */
export type Handler = (call: Call) => Outcome;

/** The handler of each operation. */
export type Handlers = Readonly<Record<OperationId, Handler>>;

/** How the sandbox reads requests and writes answers. Only `Call.dialect` changes what operations do. */
export interface SandboxDialect {
  readonly name: DialectName;
  /** The path template of an operation; `undefined` if the service does not have it. */
  path(id: OperationId): string | undefined;
  /** A token needs one of these scopes; empty if any token is enough. */
  scopes(id: OperationId): readonly string[];
  /** The header with the request id. */
  readonly requestIdHeader: string;
  /** How many requests a second its headers promise. They are named by the service; the form of their values is not documented. */
  readonly requestsPerSecond?: number;
  /** The query under the names that operations read. */
  query(id: OperationId, query: URLSearchParams): URLSearchParams;
  /** The body of a write under the names that operations read. @throws {Refusal} 422 for names in another spelling. */
  body(body: unknown): unknown;
  /** A success as the dialect writes it. */
  success(id: OperationId, answer: Answer): Answer;
  /** A refusal, or a failure of the sandbox, as the dialect writes it. */
  failure(answer: Answer): Answer;
}

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
  name: Name,
  ids: readonly string[],
  records: Records,
): readonly Detail[] {
  const unknown = ids.filter((id) => !records[name].has(id));
  return unknown.map((id) => ({ field, reason: `there is no ${nounOf(name)} ${JSON.stringify(id)}` }));
}

/** The collections whose records have paths, and their kinds. */
export const kindOf = {
  ...{ properties: 'property', unit_groups: 'unit_group', units: 'unit', unit_attributes: 'unit_attribute' },
  ...{ users: 'user', invitations: 'invitation' },
} as const satisfies Partial<Record<keyof Collections, Kind>>;

export type Name = keyof typeof kindOf;

function nounOf(name: Name): string {
  return name === 'invitations' ? 'invitation for' : kindText(kindOf[name]);
}

/** The id that the path has; an address is found in any case of its letters. */
export function idIn(name: Name, { path }: Pick<Call, 'path'>): string {
  const [id = ''] = Object.values(path);
  return name === 'invitations' ? id.toLowerCase() : id;
}

/** The record that the path names. @throws {Refusal} 404. */
export function recordAt<Of extends Name>(name: Of, call: Call): Collections[Of] {
  const [typed = ''] = Object.values(call.path);
  return existing(call.records, name, idIn(name, call), typed);
}

/** The record with this id. @throws {Refusal} 404. */
export function existing<Of extends Name>(
  records: Records,
  name: Of,
  id: string,
  typed = id,
): Collections[Of] {
  const record = records[name].get(id);
  if (record === undefined)
    throw refusal(404, 'not_found', `There is no ${nounOf(name)} ${JSON.stringify(typed)}.`);
  return record;
}
