import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Method } from '../transport.ts';
import { decodeJson, isMarkup, isMarkupType } from './decode.ts';
import { type Refusal, readRefusal } from './refusal.ts';
import { requestIdOf } from './request-id.ts';

/** An answer that is not a success: its head and what its body says. */
export interface Rejection {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: Refusal;
  /** The body is a page of HTML or XML: whoever sent it may not be the service. */
  readonly isPage: boolean;
  /** What such a page calls itself: gateways say here what is wrong. `undefined` when it does not. */
  readonly title: string | undefined;
}

/** Code units: how far into a page its title is looked for, and how much of it is told. */
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
 * Reads an answer that is not a success; a body that cannot be read is as good as none.
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

/** A code says more than nothing; a URL, as problem details have for a type, tells people nothing. */
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
  if (code === 'html_answer') return 'Check the URL, and whether a proxy or a log-in page stands in between.';
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
