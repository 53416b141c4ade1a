import { CliError, type Detail, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Clock, Interruption, type Method } from '../cli/ports.ts';
import { isObject } from '../model/paths.ts';
import { decodeJson, isMarkup, isMarkupType, requestIdOf, type Try } from './answer.ts';
import type { Budget } from './budget.ts';
import type { WireFailure } from './failures.ts';
import { isLasting, retryAfterMs, type Safety } from './retry.ts';

/** What an error body says, whichever of the usual shapes it has. */
interface Refusal {
  readonly code: string | undefined;
  readonly messages: readonly string[];
  readonly details: readonly Detail[];
}

const MAX_MESSAGES = 20;

/** Code units. */
const MAX_LENGTH = 1_000;
const MAX_NAME = 100;

/**
 * Reads `{messages}`, `{error: {code, message, details}}`, `{type, message}`, RFC 9457 `{title, detail, errors}`,
 * OAuth `{error, error_description}`, `{errors: [text]}` and plain texts. Nothing in it is trusted: wrong types and codes of
 * more than 100 characters count as absent; of messages and of details there are 20 at most, of 1,000 characters each. What
 * is said of no field (`{errors: {"": [text]}}`) is a message.
 *
 * @param clean masks secrets: a refusal may echo the token, which is not recognised once it is cut.
 */
function readRefusal(body: unknown, clean: (text: string) => string): Refusal {
  if (typeof body === 'string') return { code: undefined, messages: texts([body], clean), details: [] };
  if (Array.isArray(body)) return readRefusal({ messages: body }, clean);
  if (!isObject(body)) return { code: undefined, messages: [], details: [] };
  const inner = isObject(body['error']) ? body['error'] : body;
  const own = [inner['message'], inner['detail'], inner['error_description'], inner['title']].find(isText);
  const said = readDetails(body['messages']);
  const told = readDetails(inner['details'] ?? inner['errors'] ?? body['errors']);
  return {
    code: [inner['code'], body['error'], body['code'], body['type']].find(isCode),
    messages: texts([...new Set([...ofNoField(said), own, ...ofNoField(told)])], clean),
    details: [...said, ...told]
      .filter(({ field }) => field !== '')
      .slice(0, MAX_MESSAGES)
      .map(({ field, reason }) => ({
        field: cut(clean(field), MAX_NAME),
        reason: cut(clean(reason), MAX_LENGTH),
      })),
  };
}

function ofNoField(details: readonly Detail[]): readonly string[] {
  return details.flatMap(({ field, reason }) => (field === '' ? [reason] : []));
}

function readDetails(value: unknown): readonly Detail[] {
  if (isText(value)) return of('', value);
  if (Array.isArray(value))
    return value.flatMap((entry) => (isText(entry) ? of('', entry) : readDetail(entry)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, reasons]) =>
    [reasons]
      .flat()
      .filter(isText)
      .flatMap((reason) => of(field.trim(), reason)),
  );
}

function of(field: string, reason: string): readonly Detail[] {
  return [{ field, reason }];
}

function readDetail(entry: unknown): readonly Detail[] {
  if (!isObject(entry)) return [];
  const field = [entry['field'], entry['pointer'], entry['name'], entry['path']].find(isText);
  const reason = [entry['reason'], entry['message'], entry['detail']].find(isText);
  return reason === undefined ? [] : of(field?.trim() ?? '', reason);
}

function texts(values: readonly unknown[], clean: (text: string) => string): readonly string[] {
  return values
    .filter(isText)
    .slice(0, MAX_MESSAGES)
    .map((text) => cut(clean(text), MAX_LENGTH));
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function isCode(value: unknown): value is string {
  return isText(value) && value.length <= MAX_NAME;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** An answer that is not a success: its head and what its body says. */
export interface Rejection {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: Refusal;
  /** The body is a page of HTML or XML: its sender may not be the service. */
  readonly isPage: boolean;
  /** What such a page calls itself: gateways say here what is wrong. `undefined` when it does not. */
  readonly title: string | undefined;
}

/** Code units: how far into a page its title is looked for, and how much of it is shown. */
const TITLE_WITHIN = 4_000;
const MAX_TITLE = 100;

const exitCodes: Readonly<Record<number, ExitCode>> = {
  401: ExitCode.notLoggedIn,
  403: ExitCode.forbidden,
  404: ExitCode.notFound,
  408: ExitCode.unavailable,
  410: ExitCode.notFound,
  429: ExitCode.unavailable,
  502: ExitCode.unavailable,
  503: ExitCode.unavailable,
  504: ExitCode.unavailable,
};

const refusals = new Set([409, 412, 415, 422]);

/** What a proxy says of itself or of the caller, and is believed in HTML too, like a redirect and any 5xx. */
const believedOfProxies = new Set([401, 408, 429]);

/**
 * Reads an answer that is not a success; a body that cannot be read counts as none.
 *
 * @param clean masks secrets, before texts are cut.
 * @param method of the request: what answers HEAD comes without its body, and only its type is known.
 */
export function readRejection(
  status: number,
  headers: Rejection['headers'],
  bytes: Uint8Array,
  clean: (text: string) => string,
  method?: Method,
): Rejection {
  const refusal = readRefusal(lenientBody(bytes, headers), clean);
  const text = new TextDecoder().decode(bytes);
  const isPage = isMarkup(text) || (method === 'HEAD' && isMarkupType(headers));
  return { status, headers, refusal, isPage, title: isPage ? titleOf(text, clean) : undefined };
}

function titleOf(page: string, clean: (text: string) => string): string | undefined {
  const [, title = ''] = /<title>([^<]+)<\/title>/i.exec(page.slice(0, TITLE_WITHIN)) ?? [];
  return clean(title).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE) || undefined;
}

/** Whether a 409 means that a request with the same idempotency key is still being worked on. */
export function isInProgress({ status, headers, refusal }: Rejection): boolean {
  if (status !== 409) return false;
  const words = [refusal.code ?? '', ...refusal.messages].join(' ');
  return headers['retry-after'] !== undefined || /in.?progress|being processed/i.test(words);
}

/**
 * The rejection as an error.
 *
 * @param does what was attempted, as the end of `Could not ...`.
 * @param url where it was sent; a redirect names both origins.
 */
export function rejectionError(rejection: Rejection, does: string, url: string): CliError {
  const { status, headers, refusal } = rejection;
  const code = codeOf(rejection);
  return new CliError(code, sentenceOf(rejection, does, url), {
    status,
    requestId: requestIdOf(headers),
    details: refusal.details,
    exitCode: exitCodes[status] ?? (refusals.has(status) ? ExitCode.refused : ExitCode.failed),
    hint: hintOf(code, status),
  });
}

function sentenceOf(
  { status, headers, refusal, isPage, title }: Rejection,
  does: string,
  url: string,
): string {
  const { host, origin } = new URL(url);
  if (status === 304) {
    return `Could not ${does}: ${origin} answered 304 (not modified) to a request without a condition.`;
  }
  if (status >= 300 && status < 400) {
    const location = headers['location'] ?? '';
    const where = URL.canParse(location, url) ? `to ${new URL(location, url).origin}` : 'somewhere else';
    return `Could not ${does}: ${origin} redirects ${where} (${status}), and redirects are not followed.`;
  }
  const silence = status === 404 ? 'nothing was found there' : 'the answer gives no reason';
  const page = `a page came instead of an answer${title === undefined ? '' : `: "${title}"`}`;
  const reason = isPage ? page : refusal.messages.join('; ') || wordIn(refusal) || silence;
  return `Could not ${does}: ${reason.replace(/\.$/, '')} (${status} from ${host}).`;
}

/** A code, if it is no URL, which problem details have for a type. */
function wordIn({ code }: Refusal): string | undefined {
  return code === undefined || /[:/]/.test(code) ? undefined : code;
}

function codeOf({ status, isPage }: Rejection): string {
  if (status === 304) return 'malformed_answer';
  if (status >= 300 && status < 400) return 'redirected';
  if (isPage && status < 500 && !believedOfProxies.has(status)) return 'html_answer';
  return statusCodes[status] ?? (status >= 500 ? 'service_error' : 'refused');
}

const statusCodes: Readonly<Record<number, string>> = {
  401: 'not_logged_in',
  403: 'forbidden',
  404: 'not_found',
  408: 'unavailable',
  409: 'conflict',
  410: 'not_found',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

function hintOf(code: string, status: number): string | undefined {
  if (code === 'html_answer') return 'Check the URL, and whether a proxy or a login page is in between.';
  if (status === 401) return 'The service does not accept the token: give a new one.';
  if (status === 403) return 'Ask for the missing right or scope, or use another profile.';
  return undefined;
}

function lenientBody(bytes: Uint8Array, headers: Rejection['headers']): unknown {
  try {
    return decodeJson(bytes, headers);
  } catch {
    // A proxy's page or a plain text instead of JSON: only the text says something.
    const isPlain = headers['content-type']?.startsWith('text/plain') === true;
    return isPlain ? new TextDecoder().decode(bytes) : undefined;
  }
}

/** What the error of a rejection depends on. */
interface Rejected {
  readonly url: string;
  readonly does: string;
  /** Of these a token needs one. */
  readonly scopes?: readonly string[] | undefined;
  /** The name that a field has here, for one that the service names; its own where there is no other. */
  readonly fieldName?: ((spelt: string) => string) | undefined;
}

/** What to do where a token lacks scopes. */
export type ScopeHint = (missing: MissingScopes) => Promise<string | undefined>;

/**
 * An answer that is not a success, as a mishap with its error.
 *
 * @param now milliseconds since the epoch.
 */
export async function rejected(
  rejection: Rejection,
  request: Rejected,
  now: number,
  scopeHint: ScopeHint,
): Promise<Try> {
  const { status, headers, refusal } = rejection;
  const { does, url, scopes = [], fieldName = (spelt) => spelt } = request;
  const details = refusal.details.map(({ field, reason }) => ({ field: fieldName(field), reason }));
  const error = rejectionError({ ...rejection, refusal: { ...refusal, details } }, does, url);
  const missing = error.code === 'forbidden' ? missingScopes(headers, scopes) : undefined;
  const hint = missing && (await scopeHint(missing));
  return {
    mishap: {
      kind: 'answer',
      status,
      retryAfterMs: retryAfterMs(headers, now),
      inProgress: isInProgress(rejection),
    },
    error: hint === undefined ? error : error.withHint(hint),
  };
}

/** What a verdict needs to know of a request. */
interface Attempted {
  readonly safety: Safety;
  readonly does: string;
}

/** No server, or no host of that name. */
const unreachable = new Set<string>(['refused', 'dns', 'connect-timeout']);

/** A broken exchange as an error: try later, unless trying cannot help. */
export function failureError(failure: WireFailure, { does }: Attempted): CliError {
  const code = failure.kind === 'refused' ? 'connection_refused' : failure.kind.replaceAll('-', '_');
  return new CliError(code, `Could not ${does}: ${failure.message}`, {
    cause: failure,
    requestId: failure.requestId,
    exitCode: isLasting(failure) ? ExitCode.failed : ExitCode.unavailable,
    hint: failureHint(failure),
  });
}

function failureHint({ kind }: WireFailure): string | undefined {
  if (unreachable.has(kind)) return 'Check the address (innctl config list), or try again later.';
  if (kind === 'too-many-files')
    return 'Raise the limit with ulimit -n, or lower --concurrency where the command takes it.';
  if (kind !== 'proxy' && kind !== 'proxy-refused') return undefined;
  return 'Check HTTPS_PROXY (HTTP_PROXY for http), or go around the proxy with NO_PROXY.';
}

/**
 * What the caller gets when no further try is made: the last error, or that the outcome is unknown. A refusal says
 * nothing about an earlier try: it may be of our own creation.
 *
 * @param inDoubt whether any try may have been carried out.
 */
export function verdict(error: CliError, request: Attempted, inDoubt: boolean): CliError {
  return request.safety === 'read' || !inDoubt ? error : doubtAbout(error);
}

/** The doubt about an earlier try that a later one ended with. */
export function doubtAbout(error: CliError): OutcomeUnknown {
  return new OutcomeUnknown(`${error.message} The outcome is unknown: it may have been carried out.`, {
    cause: error,
    status: error.status,
    requestId: error.requestId,
    details: error.details,
  });
}

/**
 * Says when the next try is due, which this run will not make.
 *
 * @param why the end of the sentence.
 */
export function tryLater(error: CliError, delayMs: number, clock: Clock, why: string): CliError {
  const seconds = Math.ceil(delayMs / 1000);
  const at = new Date(Math.min(clock.now() + delayMs, 8.64e15)).toISOString();
  return new CliError(error.code, `${error.message} The next try is due in ${seconds} s (${at})${why}.`, {
    cause: error,
    status: error.status,
    requestId: error.requestId,
    details: error.details,
    exitCode: error.exitCode,
    hint: `Try again then, or ${why === '' ? 'allow more tries with --max-attempts' : 'give more time with --timeout'}.`,
  });
}

/**
 * The exchange was ended by the time limit or by the person, not by the wire.
 *
 * @param inDoubt whether this try or an earlier one may have been carried out.
 */
export function endedFromOutside(
  cause: unknown,
  request: Attempted,
  budget: Pick<Budget, 'expired'>,
  inDoubt: boolean,
): unknown {
  if (cause instanceof CliError) return cause;
  const { does, safety } = request;
  const isDoubtful = inDoubt && safety !== 'read';
  const inFlight = `The outcome of the request to ${does} is unknown`;
  if (budget.expired) {
    if (isDoubtful)
      return new OutcomeUnknown(`${inFlight}: the time was over before an answer came.`, { cause });
    return new CliError('timeout', `Could not ${does}: the time was over before an answer came.`, {
      cause,
      exitCode: ExitCode.unavailable,
      hint: 'Give more time with --timeout.',
    });
  }
  if (!(cause instanceof Interruption) || !isDoubtful) return cause;
  return new OutcomeUnknown(`${inFlight}: interrupted before an answer came.`, {
    cause,
    exitCode: cause.exitCode,
  });
}

/** What a token would need to be let in. */
export interface MissingScopes {
  readonly scopes: readonly string[];
  /** Any of them will do; otherwise it needs all. */
  readonly isOneEnough: boolean;
}

/** Scopes and characters. Whatever names more is no challenge that anybody could answer. */
const MOST_SCOPES = 5;
const LONGEST_SCOPE = 100;
const LONGEST_CHALLENGE = 4_000;

/** RFC 6749, section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const parameters = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g;

/**
 * The scopes that a 403 is about; `undefined` if unknown. What the answer itself names wins: all that RFC 6750,
 * section 3, lets it list.
 *
 * @param headers names in lower case.
 * @param known of which a token needs one for this operation.
 */
export function missingScopes(
  headers: Readonly<Record<string, string>>,
  known: readonly string[],
): MissingScopes | undefined {
  const named = scopesIn(headers['www-authenticate'] ?? '');
  if (named.length > 0) return { scopes: named, isOneEnough: false };
  return known.length === 0 ? undefined : { scopes: known, isOneEnough: true };
}

/** `Bearer error="insufficient_scope", scope="a b"`; nothing where a part of it is not what a scope may be. */
function scopesIn(challenge: string): readonly string[] {
  if (challenge.length > LONGEST_CHALLENGE || !/(?:^|,)\s*bearer\b/i.test(challenge)) return [];
  const values = new Map<string, string>();
  for (const [, name = '', quoted, bare = ''] of challenge.matchAll(parameters)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, quoted ?? bare);
  }
  if ((values.get('error') ?? 'insufficient_scope') !== 'insufficient_scope') return [];
  const scopes = [...new Set((values.get('scope') ?? '').split(' '))].filter((scope) => scope !== '');
  const isUsable = scopes.every((scope) => scope.length <= LONGEST_SCOPE && scopeToken.test(scope));
  return isUsable && scopes.length <= MOST_SCOPES ? scopes : [];
}
