import { isIPv4 } from 'node:net';
import { quote } from '../checks/text.ts';
import { invalid, type Parsed, valid } from './parsed.ts';

/** What a URL may be in this run. */
export interface UrlRules {
  /** Whether http may go to other hosts than this machine. */
  readonly insecureHttp: boolean;
}

/**
 * The URL of a service: https, or http to this machine; a path is kept, trailing slashes are not.
 * Whatever could hold a secret is not quoted.
 */
export function parseServiceUrl(text: string, { insecureHttp }: UrlRules): Parsed<string> {
  if (text.length > 2_048) return invalid('is longer than 2,048 characters');
  if (/[\s\p{Cc}\\]/u.test(text))
    return invalid('is not a URL: it has blanks, control characters or backslashes');
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    const shown = text.includes('@') ? 'it' : quote(text);
    return invalid(`${shown} is not a URL of the form https://host/path`);
  }
  const url = new URL(text);
  const part = forbiddenPart(text, url);
  if (part !== undefined) return invalid(`has ${part}, which the URL of a service cannot have`);
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname)) {
    return invalid(
      `http to ${url.host} would send credentials unencrypted; use https, or allow it with --insecure-http`,
    );
  }
  return valid(url.href.replace(/\/+$/, ''));
}

/** Whether a URL sends what it carries unencrypted to another machine. */
export function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

function forbiddenPart(text: string, { username, password }: URL): string | undefined {
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'a user name or password';
  if (text.includes('?')) return 'a query';
  return text.includes('#') ? 'a fragment' : undefined;
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
