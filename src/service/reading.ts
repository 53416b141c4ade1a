import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { normalise } from '../model/fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { type Answer, checkTheUrl, isMarkupType } from './answer.ts';
import type { Call, CallOptions } from './client.ts';
import type { OperationId, PathValues } from './operations.ts';
import { type Earlier, earlierOf } from './send.ts';
import { isMissing } from './settling.ts';

/** A list from the service: its records, and the total if stated. */
export interface ListAnswer {
  readonly items: readonly ServiceRecord[];
  readonly count: number | undefined;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
}

/**
 * Carries out an operation whose answer is read. It is retried when `read` throws a `CliError`, as after a truncated answer; a creation
 * only if an answer has shown that keys are honoured.
 *
 * @returns what `read` made of the answer.
 * @throws {CliError} what `read` threw last.
 */
export async function ask<Id extends OperationId, Result>(
  call: Call,
  id: Id,
  path: PathValues<Id>,
  read: (answer: Answer) => Result,
  options: Omit<CallOptions, 'pauses'> = {},
): Promise<Result> {
  for (let earlier: Earlier | undefined; ; ) {
    const answer = await call(id, path, { ...options, earlier });
    try {
      return read(answer);
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      earlier = earlierOf(answer, cause);
    }
  }
}

/**
 * Reads a list tolerantly: `{count, items}`, a named key, a bare array, or no content (204).
 *
 * @param key the name under which the public service wraps this list.
 * @param bare the field for a record that is a bare string.
 * @param required the fields that each record must have.
 * @throws {CliError} `malformed_answer` when it is not a list, or a record lacks a required field.
 */
export function readList(answer: Answer, key: string, bare: string, required: readonly string[]): ListAnswer {
  const { body, requestId } = answer;
  if (body === undefined && answer.status === 204) return { items: [], count: 0, requestId };
  const items = Array.isArray(body) ? body : isRecord(body) ? (body['items'] ?? body[key]) : undefined;
  if (!Array.isArray(items)) throw not(`a list under "items" or "${key}"`);
  return {
    items: items.map((item) => {
      if (typeof item === 'string') return withFields({ [bare]: item }, required);
      if (!isRecord(item)) throw not('a list of objects');
      return withFields(normalise(item), required);
    }),
    count: isRecord(body) ? countIn(body['count']) : undefined,
    requestId,
  };
}

/** A value as a number of records; `undefined` if it is none. */
export function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function not(expected: string): CliError {
  return new CliError('malformed_answer', `the service's answer is not ${expected}`);
}

/** The record, if it has what an answer must have, and names its properties by ids. */
function withFields(record: ServiceRecord, required: readonly string[]): ServiceRecord {
  const missing = required.filter((field) => isUnset(record[field]));
  if (missing.length > 0) throw not(`a whole record: it lacks ${missing.join(', ')}`);
  const odd = ['properties', 'property_roles'].find((field) => !isListOf(record[field], isReference));
  if (odd !== undefined) throw not(`a whole record: its ${odd} are no list of ids`);
  return record;
}

/** Services leave out what is not set, or write null. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return isUnset(value) || (Array.isArray(value) && value.every(isEntry));
}

/** A property of a user or an invitation: an id, or `{id, roles}`. */
function isReference(entry: unknown): boolean {
  if (!isRecord(entry)) return isText(entry);
  return isText(entry['id']) && isListOf(entry['roles'], isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/**
 * Reads one record.
 *
 * @param required the fields that it must have.
 * @throws {CliError} `malformed_answer` when it is no object, or lacks a required field.
 */
export function readRecord(answer: Answer, required: readonly string[]): ServiceRecord {
  if (!isRecord(answer.body)) throw not('a record');
  return withFields(normalise(answer.body), required);
}

/**
 * Reads the record with an id.
 *
 * @param field the one with the id, which is required. Letter case is ignored.
 * @throws {CliError} `malformed_answer` when it is no record, lacks a required field, or shows another id.
 */
export function readRecordOf(
  answer: Answer,
  required: readonly string[],
  field: string,
  id: string,
): ServiceRecord {
  const record = readRecord(answer, required);
  const shown = record[field];
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  if (text.toLowerCase() === id.toLowerCase()) return record;
  throw not(`about ${quote(id)}: it shows ${quote(text)}`);
}

/**
 * Reads a number of records: a bare integer, or `{count}`.
 *
 * @throws {CliError} `malformed_answer` when it is none.
 */
export function readCount(answer: Answer): number {
  const { body } = answer;
  const count = countIn(isRecord(body) ? body['count'] : body);
  if (count === undefined) throw not('a number of records');
  return count;
}

/** Whether a record exists, by HEAD. @param asked what `readHead` reads. */
export async function isThere(asked: Promise<void>): Promise<boolean> {
  return !(await isMissing(asked.catch(unlessPage)));
}

/**
 * Accepts a success of HEAD unless it is about a page: of a login page or an error page of a gateway only the type is
 * known.
 *
 * @throws {CliError} `html_answer` when it is about a page.
 */
export function readHead({ headers }: Answer): void {
  if (isMarkupType(headers))
    throw new CliError('html_answer', "the service's answer is about a page, not about a record", {
      hint: checkTheUrl,
    });
}

/** For `catch`: a page says nothing about the record, whatever its status. @throws the error, of a page with exit 1. */
function unlessPage(cause: unknown): never {
  const isPage = cause instanceof CliError && cause.code === 'html_answer';
  throw isPage ? cause.with({ exitCode: ExitCode.failed }) : cause;
}
