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

/** Names of inherited properties, which would be lost as keys of a file. */
const unstorable = ['constructor', 'prototype'];

/** Checks the name of a profile: `chain`, `hotel-7`. */
export function parseProfileName(text: string): Parsed<string> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text))
    return invalid(
      `${quote(text)} is not the name of a profile: 1 to 64 of a-z 0-9 _ -, the first one of a-z 0-9`,
    );
  return unstorable.includes(text) ? invalid(`${quote(text)} cannot be the name of a profile`) : valid(text);
}

/** Code units. */
const MAX_URL_LENGTH = 2_048;

/** Characters of a DNS name, with its dots. */
const MAX_HOST_LENGTH = 254;

/** The rules for URLs in this run. */
export interface UrlRules {
  /** Whether http to other hosts is allowed. */
  readonly insecureHttp: boolean;
}

/**
 * The URL of a service: https, or http to this machine; a path is kept, trailing slashes are not.
 * A URL that may contain a secret is not quoted.
 */
export function parseServiceUrl(text: string, { insecureHttp }: UrlRules): Parsed<string> {
  if (text.length > MAX_URL_LENGTH) return invalid('is longer than 2,048 characters');
  const characters = invalidCharacters(text);
  if (characters !== undefined) return invalid(`is not a URL: it has ${characters}`);
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    const shown = text.includes('@') ? 'it' : quote(text);
    return invalid(`${shown} is not a URL of the form https://host/path`);
  }
  const url = new URL(text);
  const part = forbiddenPart(text, url);
  if (part !== undefined) return invalid(`has ${part}, which the URL of a service cannot have`);
  const wrong = hostProblem(text, url) ?? pathProblem(text);
  if (wrong !== undefined) return invalid(wrong);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname))
    return invalid(
      `http to ${url.host} would send credentials unencrypted; use https, or allow it with --insecure-http`,
    );
  return valid(url.href.replace(/\/+$/, ''));
}

/**
 * What is wrong with the URL of an OAuth endpoint that a server gave, or `undefined`. It must be https, or http to this machine;
 * it may have a query.
 */
export function endpointProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'is not a text';
  if (value.length > MAX_URL_LENGTH) return `is longer than ${MAX_URL_LENGTH} characters`;
  if (!/^[!-~]+$/.test(value) || !/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    return 'is not a URL of the form https://host/path';
  const { username, password } = new URL(value);
  if (username !== '' || password !== '') return 'has a user name or password';
  if (value.includes('#')) return 'has a fragment';
  return isInsecure(value)
    ? 'is not encrypted: https is needed, and http is for this machine alone'
    : undefined;
}

/** Whether a URL is http to another machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Most URLs are visible ASCII and skip the Unicode properties, which cost V8 milliseconds. */
function invalidCharacters(text: string): string | undefined {
  if (/^[!-[\]-~]*$/.test(text)) return undefined;
  if (/[\s\p{Cc}\\]/u.test(text)) return 'blanks, control characters or backslashes';
  return /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text) ? 'invisible characters' : undefined;
}

function forbiddenPart(text: string, { username, password }: URL): string | undefined {
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'a user name or password';
  if (text.includes('?')) return 'a query';
  return text.includes('#') ? 'a fragment' : undefined;
}

/** The parsed host must equal the typed one: 2130706433 is 127.0.0.1, and some letters look alike. */
function hostProblem(text: string, { hostname, port }: URL): string | undefined {
  const [, typed = ''] = /^[^/]*\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(text) ?? [];
  if (typed.toLowerCase() !== hostname)
    return `${quote(typed)} is read as the host ${quote(hostname)}; if that is intended, write it that way`;
  if (port === '0') return 'has the port 0, which cannot be used';
  if (hostname.startsWith('[')) return undefined;
  const isName = hostname.length <= MAX_HOST_LENGTH && hostname.replace(/\.$/, '').split('.').every(isLabel);
  return isName ? undefined : `${quote(hostname)} is not the name of a host`;
}

function isLabel(text: string): boolean {
  return /^(?!-)[a-z\d_-]{1,63}(?<!-)$/.test(text);
}

/** Rejects the segments . and .., which the parser would resolve. */
function pathProblem(text: string): string | undefined {
  const path = text.replace(/^[^/]*\/\/[^/]*/, '');
  if (/%(?![\da-fA-F]{2})/.test(path)) return 'has a broken percent encoding; write %25 for a literal %';
  const parts = path.replaceAll(/%2[eE]/g, '.').split('/');
  return parts.includes('.') || parts.includes('..')
    ? 'has the part . or .. in its path; leave it out'
    : undefined;
}

/** Whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  );
}
