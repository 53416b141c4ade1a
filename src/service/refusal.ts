import { CliError, type Detail, detailsFor, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { type Clock, Interruption, type Method, type WireResponse } from '../model/ports.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import {
  type Answer,
  checkTheUrl,
  decodeJson,
  type Failed,
  isMarkup,
  isMarkupType,
  requestIdOf,
  type ServiceRequest,
} from './answer.ts';
import { isLasting, retryAfterMs, type WireFailure } from './retry.ts';

const MAX_MESSAGES = 20;

/** Code units. */
const MAX_LENGTH = 1_000;
const MAX_NAME = 100;

/** The names of texts in the usual shapes of error bodies, the most telling first. */
const sentenceNames = ['message', 'detail', 'error_description', 'title'];
const fieldNames = ['field', 'pointer', 'name', 'path'];
const reasonNames = ['reason', 'message', 'detail'];

/**
 * Reads `{messages}`, `{error: {code, message, details}}`, `{type, message}`, RFC 9457 `{title, detail, errors}`,
 * OAuth `{error, error_description}`, `{errors: [text]}`, lists and plain texts. The body is untrusted: wrong types and
 * codes of more than 100 characters count as absent; of messages and of details 20 are kept, of 1,000 characters each.
 * A reason without a field (`{errors: {"": [text]}}`) is a message.
 *
 * @param clean masks secrets: a refusal may echo the token, which is not recognised once it is cut.
 */
function readRefusal(body: unknown, clean: (text: string) => string) {
  const outer = isRecord(body) ? body : { messages: body };
  const inner = isRecord(outer['error']) ? outer['error'] : outer;
  const reasons = [
    ...readDetails(outer['messages']),
    ...detailsFor('', textUnder(inner, sentenceNames)),
    ...readDetails(inner['details'] ?? inner['errors'] ?? outer['errors']),
  ];
  const general = new Set(reasons.filter(({ field }) => field === '').map(({ reason }) => reason));
  const details = reasons.filter(({ field }) => field !== '').slice(0, MAX_MESSAGES);
  return {
    code: [inner['code'], outer['error'], outer['code'], outer['type']]
      .filter(isText)
      .find((code) => code.length <= MAX_NAME),
    messages: [...general].slice(0, MAX_MESSAGES).map((text) => cut(clean(text), MAX_LENGTH)),
    details: details.map(({ field, reason }) => ({
      field: cut(clean(field), MAX_NAME),
      reason: cut(clean(reason), MAX_LENGTH),
    })),
  };
}

/** The reasons in a text, a list, or an object of fields; the field is empty where none is named. */
function readDetails(value: unknown): readonly Detail[] {
  if (Array.isArray(value)) return value.flatMap(readDetail);
  if (!isRecord(value)) return readDetail(value);
  return Object.entries(value).flatMap(([field, reasons]) =>
    [reasons]
      .flat()
      .filter(isText)
      .map((reason) => ({ field: field.trim(), reason })),
  );
}

function readDetail(entry: unknown): readonly Detail[] {
  if (isText(entry)) return [{ field: '', reason: entry }];
  if (!isRecord(entry)) return [];
  return detailsFor(textUnder(entry, fieldNames)?.trim() ?? '', textUnder(entry, reasonNames));
}

function textUnder(record: ServiceRecord, names: readonly string[]): string | undefined {
  return names.map((name) => record[name]).find(isText);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * An answer that is not a success: its head, and what its body says.
 *
 * - `isPage`: the body is a page of HTML or XML; its sender may not be the service.
 */
export type Rejection = Readonly<ReturnType<typeof readRejection>>;

/**
 * Reads an answer that is not a success; a body that cannot be read counts as none.
 *
 * @param clean masks secrets, before texts are cut.
 * @param method of the request: an answer to HEAD has no body, only its type is known.
 */
export function readRejection(
  { status, headers, bytes }: WireResponse,
  clean: (text: string) => string,
  method?: Method,
) {
  const refusal = readRefusal(lenientBody(bytes, headers), clean);
  const text = new TextDecoder().decode(bytes);
  const isPage = isMarkup(text) || (method === 'HEAD' && isMarkupType(headers));
  return { status, headers, refusal, isPage };
}

/** The JSON of a body, or its text if it claims to be plain text. */
function lenientBody(bytes: Uint8Array, headers: Answer['headers']): unknown {
  try {
    return decodeJson(bytes, headers);
  } catch {
    const isPlain = headers['content-type']?.startsWith('text/plain') === true;
    return isPlain ? new TextDecoder().decode(bytes) : undefined;
  }
}

/** Whether a 409 means that a request with the same idempotency key is in progress. */
export function isInProgress({ status, headers, refusal }: Rejection): boolean {
  if (status !== 409) return false;
  const words = [refusal.code ?? '', ...refusal.messages].join(' ');
  return headers['retry-after'] !== undefined || /in.?progress|being processed/i.test(words);
}

/** Error code and exit code by status. */
const statuses: Readonly<Record<number, readonly [code: string, exitCode: ExitCode]>> = {
  304: ['malformed_answer', ExitCode.failed],
  401: ['not_logged_in', ExitCode.notLoggedIn],
  403: ['forbidden', ExitCode.forbidden],
  404: ['not_found', ExitCode.notFound],
  408: ['unavailable', ExitCode.unavailable],
  409: ['conflict', ExitCode.refused],
  410: ['not_found', ExitCode.notFound],
  412: ['refused', ExitCode.refused],
  415: ['refused', ExitCode.refused],
  422: ['refused', ExitCode.refused],
  429: ['rate_limited', ExitCode.unavailable],
  502: ['unavailable', ExitCode.unavailable],
  503: ['unavailable', ExitCode.unavailable],
  504: ['unavailable', ExitCode.unavailable],
};

/** What proxies say of themselves or of the caller: believed in HTML too, like redirects and server errors. */
const believedOfProxies = new Set([401, 408, 429]);

/**
 * The rejection as an error.
 *
 * @param does what was attempted, to complete `Could not ...`.
 * @param url where it was sent; a redirect names both origins.
 */
export function rejectionError(rejection: Rejection, does: string, url: string): CliError {
  const { status, headers, refusal, isPage } = rejection;
  const isRedirect = status >= 300 && status < 400;
  const otherwise = isRedirect ? 'redirected' : status >= 500 ? 'service_error' : 'refused';
  const [known = otherwise, exitCode = ExitCode.failed] = statuses[status] ?? [];
  const isOfProxy = isPage && !isRedirect && status < 500 && !believedOfProxies.has(status);
  return new CliError(isOfProxy ? 'html_answer' : known, `Could not ${does}: ${reasonOf(rejection, url)}`, {
    status,
    requestId: requestIdOf(headers),
    details: refusal.details,
    exitCode,
    hint: isOfProxy ? checkTheUrl : hints[status],
  });
}

const hints: Readonly<Record<number, string>> = {
  401: 'The service does not accept the token: give a new one.',
  403: 'Ask for the missing right or scope, or use another profile.',
};

function reasonOf({ status, headers, refusal, isPage }: Rejection, url: string): string {
  const { host, origin } = new URL(url);
  if (status === 304) return `${origin} answered 304 (not modified) to a request without a condition.`;
  if (status >= 300 && status < 400) {
    const location = headers['location'] ?? '';
    const where = URL.canParse(location, url) ? `to ${new URL(location, url).origin}` : 'somewhere else';
    return `${origin} redirects ${where} (${status}), and redirects are not followed.`;
  }
  const silence = status === 404 ? 'nothing was found there' : 'the answer gives no reason';
  const { code = '', messages } = refusal;
  // The type of problem details is a URL.
  const word = /[:/]/.test(code) ? '' : code;
  const reason = isPage ? 'a page came instead of an answer' : messages.join('; ') || word || silence;
  return `${reason.replace(/\.$/, '')} (${status} from ${host}).`;
}

/** A 403, with the scopes that a token would need. */
export class Forbidden extends CliError {
  readonly missing: MissingScopes;

  constructor(error: CliError, missing: MissingScopes) {
    super(error.code, error.message, error);
    this.missing = missing;
  }
}

/**
 * An answer that is not a success, as a mishap with its error.
 *
 * @param now milliseconds since the epoch.
 */
export function rejected(
  rejection: Rejection,
  { does, url, scopes = [], fieldName = (spelt) => spelt }: ServiceRequest,
  now: number,
): Failed {
  const { status, headers, refusal } = rejection;
  const details = refusal.details.map(({ field, reason }) => ({ field: fieldName(field), reason }));
  const error = rejectionError({ ...rejection, refusal: { ...refusal, details } }, does, url);
  const missing = error.code === 'forbidden' ? missingScopes(headers, scopes) : undefined;
  const wanted = retryAfterMs(headers, now);
  const inProgress = isInProgress(rejection);
  return {
    mishap: { kind: 'answer', status, retryAfterMs: wanted, inProgress },
    error: missing === undefined ? error : new Forbidden(error, missing),
  };
}

const checkTheAddress = 'Check the address (innctl config list), or try again later.';
const checkTheProxy = 'Check HTTPS_PROXY (HTTP_PROXY for http), or go around the proxy with NO_PROXY.';

const failureHints: Readonly<Partial<Record<WireFailure['kind'], string>>> = {
  refused: checkTheAddress,
  dns: checkTheAddress,
  'connect-timeout': checkTheAddress,
  'too-many-files': 'Raise the limit with ulimit -n, or lower --concurrency where the command takes it.',
  proxy: checkTheProxy,
  'proxy-refused': checkTheProxy,
};

/** A broken exchange as an error: exit 7, or 1 where trying again cannot help. */
export function failureError(failure: WireFailure, does: string): CliError {
  const { kind, message, requestId } = failure;
  const code = kind === 'refused' ? 'connection_refused' : kind.replaceAll('-', '_');
  return new CliError(code, `Could not ${does}: ${message}`, {
    cause: failure,
    requestId,
    exitCode: isLasting(failure) ? ExitCode.failed : ExitCode.unavailable,
    hint: failureHints[kind],
  });
}

/** What the error about an attempt depends on. */
type Attempted = Pick<ServiceRequest, 'safety' | 'does'>;

/**
 * The error when no further attempt is made: the last one, or that the outcome is unknown. A refusal says nothing about
 * an earlier attempt: it may be caused by our own creation.
 *
 * @param inDoubt whether any attempt may have been carried out.
 */
export function verdict(error: CliError, { safety }: Attempted, inDoubt: boolean): CliError {
  return safety === 'read' || !inDoubt ? error : doubtAbout(error);
}

/** The doubt about an earlier attempt, where the last one ended with this error. */
export function doubtAbout(error: CliError): OutcomeUnknown {
  const { message, status, requestId, details } = error;
  const facts = { cause: error, status, requestId, details };
  return new OutcomeUnknown(`${message} The outcome is unknown: it may have been carried out.`, facts);
}

/**
 * Says when the next attempt is due, which this run does not make.
 *
 * @param isLate whether there is no time for it; otherwise no more attempts are allowed.
 */
export function tryLater(error: CliError, delayMs: number, clock: Clock, isLate: boolean): CliError {
  const seconds = Math.ceil(delayMs / 1000);
  const at = new Date(Math.min(clock.now() + delayMs, 8.64e15)).toISOString();
  return error.with({
    message: `${error.message} The next try is due in ${seconds} s (${at})${isLate ? ', later than there is time for' : ''}.`,
    hint: `Try again then, or ${isLate ? 'give more time with --timeout' : 'allow more tries with --max-attempts'}.`,
  });
}

/**
 * The error of an exchange that was ended by the time limit or by the person, not by the wire.
 *
 * @param inDoubt whether this attempt or an earlier one may have been carried out.
 */
export function endedFromOutside(
  cause: unknown,
  { does, safety }: Attempted,
  isExpired: boolean,
  inDoubt: boolean,
): unknown {
  const isInterrupted = !isExpired && cause instanceof Interruption;
  if (cause instanceof CliError || !(isExpired || isInterrupted)) return cause;
  const why = `${isExpired ? 'the time was over' : 'interrupted'} before an answer came.`;
  const exitCode = isInterrupted ? cause.exitCode : undefined;
  if (inDoubt && safety !== 'read')
    return new OutcomeUnknown(`The outcome of the request to ${does} is unknown: ${why}`, {
      cause,
      exitCode,
    });
  if (isInterrupted) return cause;
  return new CliError('timeout', `Could not ${does}: ${why}`, { cause, exitCode: ExitCode.unavailable });
}

/** What a token would need to be accepted. */
export interface MissingScopes {
  readonly scopes: readonly string[];
  /** One of them is enough; otherwise it needs all. */
  readonly isOneEnough: boolean;
}

/** The scopes of a challenge, as RFC 6750 writes them; at most 500 characters. */
const scopeParameter = /^bearer\b.*[ ,]scope="([\x21\x23-\x5b\x5d-\x7e ]{1,500})"/i;

/**
 * The scopes that a 403 is about; `undefined` if unknown. Those that the answer names win (RFC 6750, section 3).
 *
 * @param headers names in lower case.
 * @param known scopes of which a token needs one for this operation.
 */
export function missingScopes(
  headers: Readonly<Record<string, string>>,
  known: readonly string[],
): MissingScopes | undefined {
  const [, named = ''] = scopeParameter.exec(headers['www-authenticate'] ?? '') ?? [];
  const scopes = named.split(' ').filter((scope) => scope !== '');
  if (scopes.length > 0) return { scopes, isOneEnough: false };
  return known.length === 0 ? undefined : { scopes: known, isOneEnough: true };
}
