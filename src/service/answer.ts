import { CliError, type OutcomeUnknown } from '../model/errors.ts';
import { isDeeper, isJson } from '../model/json-text.ts';
import type { Method, WireResponse } from '../model/ports.ts';
import { isRecord } from '../model/records.ts';
import type { Intent } from './guard.ts';
import type { Mishap, Safety } from './retry.ts';

/** One operation as it is sent. */
export interface ServiceRequest extends Intent {
  readonly method: Method;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly safety: Safety;
  /** The kind of record that it is about: `unit_group`. */
  readonly kind?: string | undefined;
  /** The idempotency key. */
  readonly key?: string | undefined;
  /** Accept an answer that is text, not JSON; a page of HTML is never accepted. */
  readonly plainText?: boolean;
  /** A token needs one of these; empty if unknown. */
  readonly scopes?: readonly string[];
  /** Our name of a field that a refusal names. */
  readonly fieldName?: ((spelt: string) => string) | undefined;
  /** Return a `Pause` before every further attempt: the caller checks first whether there is anything left to send. */
  readonly pauses?: boolean | undefined;
  /** Do not repeat an attempt that may have been carried out: the caller checks first, and sends it again. */
  readonly leavesDoubt?: boolean | undefined;
  /** When it must be answered, by `Clock.monotonic`; default: 120 s from now. */
  readonly deadline?: number | undefined;
}

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
  return parse(text);
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
  if (bytes.length > 0 && coding !== '' && coding !== 'identity')
    throw malformed('a compressed body, which was not requested');
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw malformed('text that is not UTF-8', undefined, cause);
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return longNumber.test(text) ? JSON.parse(withLostNumbersQuoted(text)) : value;
  } catch {
    // The engine's message would quote a part of the text, perhaps half of a secret, which is not masked.
    throw malformed('a text that is not JSON');
  }
}

/** What every number has that a double may not hold. */
const longNumber = /\d{16}|\d[eE]\+?\d{3}/;

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
