import { isIPv4 } from 'node:net';
import { quote } from '../model/text.ts';

/** A parsed value, or why the text is invalid. Reasons continue a sentence that starts with the field's name. */
export type Parsed<T> =
  | { readonly value: T; readonly reason?: undefined }
  | { readonly reason: string; readonly value?: undefined };

export function valid<T>(value: T): Parsed<T> {
  return { value };
}

export function invalid(reason: string): Parsed<never> {
  return { reason };
}

/** The built-in profile, which needs no service. */
export const SANDBOX = 'sandbox';

/** Checks the name of a profile: `chain`, `hotel-7`. The names of inherited properties would be lost as keys of a file. */
export function parseProfileName(text: string): Parsed<string> {
  return /^(?!(?:constructor|prototype)$)[a-z0-9][a-z0-9_-]{0,63}$/.test(text)
    ? valid(text)
    : invalid(
        `${quote(text)} is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9`,
      );
}

/** Code units. */
const MAX_URL_LENGTH = 2_048;

/** The rules for URLs in this run. */
export interface UrlRules {
  /** Whether http to other hosts is allowed. */
  readonly insecureHttp: boolean;
}

/** The URL of a service: https, or http to this machine; a path is kept, trailing slashes are not. */
export function parseServiceUrl(text: string, { insecureHttp }: UrlRules): Parsed<string> {
  const problem = formProblem(text);
  if (problem !== undefined) return invalid(problem);
  if (text.includes('?')) return invalid('has a query, which the URL of a service cannot have');
  const url = new URL(text);
  const read = url.href.replace(/\/+$/, '');
  // It must be read as it was typed: 2130706433 is 127.0.0.1, and .. leads to another path.
  if (read.toLowerCase() !== text.replace(/\/+$/, '').toLowerCase())
    return invalid(`is read as ${read}; if that is intended, write it that way`);
  if (isInsecure(text) && !insecureHttp)
    return invalid(
      `http to ${url.host} would send credentials unencrypted; use https (--insecure-http allows http only for credentials that are not stored)`,
    );
  return valid(read);
}

/**
 * What is wrong with the URL of an OAuth endpoint that a server gave, or `undefined`. It must be https, or http to this machine;
 * it may have a query.
 */
export function endpointProblem(value: unknown): string | undefined {
  const problem = formProblem(value);
  if (problem !== undefined) return problem;
  return isInsecure(String(value))
    ? 'is not encrypted: https is needed, and http is for this machine alone'
    : undefined;
}

/** The URL is not quoted: it may contain a secret. */
function formProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not a text';
  if (value.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  if (!/^https?:\/\/[^/][!-[\]-~]*$/i.test(value) || !URL.canParse(value))
    return 'is not a URL of the form https://host/path';
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') return 'has a user name or password';
  return value.includes('#') ? 'has a fragment' : undefined;
}

/** Whether a URL is http to another machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  );
}
