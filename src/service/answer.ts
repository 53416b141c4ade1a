import { CliError, type OutcomeUnknown } from '../cli/errors.ts';
import type { WireResponse } from '../cli/ports.ts';
import { isDeeper, isJson } from '../model/json-text.ts';
import { isObject, isRecord } from '../model/records.ts';
import type { Mishap } from './retry.ts';
import type { ServiceRequest } from './send.ts';

/** A success. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; `undefined` without a body. A text if the request accepts one. */
  readonly body: unknown;
  readonly requestId: string | undefined;
  /** The doubt about a write that counts as done although no answer confirmed it. */
  readonly doubt?: OutcomeUnknown;
}

/** An attempt that was not a success. */
export interface Failed {
  readonly mishap: Mishap;
  readonly error: CliError;
}

/** The result of one attempt. */
export type Try = { readonly answer: Answer } | Failed;

/** A success with its body decoded; a mishap if it cannot be read, or reports an error. */
export function readAnswer(request: ServiceRequest, { status, headers, bytes }: WireResponse): Try {
  const requestId = requestIdOf(headers);
  try {
    const body = decodeJson(bytes, headers, request.plainText);
    const answer = { status, headers, body, requestId };
    if (request.safety !== 'read' && reportsFailure(body)) throw malformed('a success that reports an error');
    return { answer };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    return unconfirmed(request, { status, requestId }, cause);
  }
}

/** A success that counts as no answer, as a mishap. @param cause says what was received. */
export function unconfirmed(
  { does, url }: ServiceRequest,
  { status, requestId }: Pick<Answer, 'status' | 'requestId'>,
  cause: CliError,
): Failed {
  const what = `${cause.message} (${status} from ${new URL(url).host}).`;
  const facts = { hint: cause.hint, cause, status, requestId };
  const error = new CliError(cause.code, `Could not ${does}: ${what}`, facts);
  return { mishap: { kind: 'unconfirmed' }, error };
}

/** A success that is not the answer to what was sent. */
export function nothingConfirms(): CliError {
  return malformed('nothing that confirms it');
}

const requestIdHeaders = ['x-request-id', 'x-correlation-id', 'traceparent'];

/** Characters. A longer value is ignored. */
const LONGEST_REQUEST_ID = 200;

/**
 * The service's id of a request, for its support; `undefined` without one of at most 200 characters. `...-tracking-id`
 * comes before the ids that gateways set.
 *
 * @param headers names in lower case.
 */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  const tracking = Object.keys(headers).filter((name) => name.endsWith('-tracking-id'));
  const values = [...tracking, ...requestIdHeaders].map((name) => headers[name]?.trim() ?? '');
  return values.find((value) => value !== '' && value.length <= LONGEST_REQUEST_ID);
}

/** Some gateways answer 200 and report an error in the body. */
function reportsFailure(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { error, errors, messages, success } = body;
  return success === false || isFilled(error) || isFilled(errors) || isFilled(messages);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

/**
 * The JSON value of an answer's body; `undefined` when it is empty. An integer that a number cannot hold exactly, and a
 * number that is too large for any, is returned as a text with all its digits: two ids must not become one.
 *
 * @param takesText return a text that does not claim to be JSON unchanged.
 * @throws {CliError} `malformed_answer` when it is not UTF-8, not JSON, or nested deeper than 100.
 */
export function decodeJson(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
  takesText = false,
): unknown {
  refuseCoding(bytes, headers);
  const isDeep = isDeeper(bytes, MAX_DEPTH);
  const text = decodeText(bytes);
  if (text.trim() === '') return undefined;
  if (isMarkup(text)) throw malformed('an HTML or XML page', checkTheUrl);
  const isDeepJson = isDeep && /^\s*[[{]/.test(text);
  const claimsJson = /\bjson\b/i.test(headers['content-type'] ?? '');
  if (takesText && !isDeepJson && !claimsJson && !isJson(text)) return text;
  if (isDeep) throw malformed(`JSON nested deeper than ${MAX_DEPTH}`);
  return parse(text, headers['content-type']);
}

/** The hint about an answer that is a page. */
export const checkTheUrl = 'Check the URL, and whether a proxy or a login page is in between.';

/** Whether a text is a page of HTML or XML: the service itself sends none. */
export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Whether the headers announce a page of HTML or XML. */
export function isMarkupType(headers: Readonly<Record<string, string>>): boolean {
  return /^\s*[a-z]+\/(?:[^;,\s]*\+)?(?:html|xml)\b/i.test(headers['content-type'] ?? '');
}

function refuseCoding(bytes: Uint8Array, headers: Readonly<Record<string, string>>): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (bytes.length > 0 && coding !== '' && coding !== 'identity') {
    const name = /^[a-z0-9_-]{1,20}$/.test(coding) ? ` (${coding})` : '';
    throw malformed(`a compressed body${name}, which was not requested`);
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('text that is not UTF-8', undefined, cause);
  }
}

function parse(text: string, contentType: string | undefined): unknown {
  try {
    return exactly(text);
  } catch {
    // The engine's message would quote a part of the text, perhaps half of a secret, which is not masked.
    const type =
      contentType === undefined || contentType.length > 100 ? '' : ` (content type ${contentType})`;
    throw malformed(`a text that is not JSON${type}`);
  }
}

function exactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return hasLongNumbers(value) ? JSON.parse(withLostNumbersQuoted(json)) : value;
}

/** @param json well-formed. */
function withLostNumbersQuoted(json: string): string {
  let inString = false;
  return json.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') inString = !inString;
    const isLong = !inString && /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
    const isEndless = !inString && /^-?\d/.test(token) && !Number.isFinite(Number(token));
    return isLong || isEndless ? `"${token}"` : token;
  });
}

function malformed(what: string, hint?: string, cause?: unknown): CliError {
  return new CliError('malformed_answer', `the service answered with ${what}`, { hint, cause });
}

/** Deeper answers are refused: no record is nested like that. */
const MAX_DEPTH = 100;

/** Whether a number in what JSON.parse returned may be inexact; going through a value is faster than through its text. */
function hasLongNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (!isObject(value)) return false;
  if (Array.isArray(value)) return value.some(hasLongNumbers);
  // Object.keys would create a list for each record; an object from JSON inherits no names.
  for (const name in value) if (hasLongNumbers(value[name])) return true;
  return false;
}
