import { isIPv4 } from 'node:net';
import { quote } from '../model/text.ts';
import { invalid, type Parsed, valid } from './values.ts';

/** Letters of a name in DNS, with its dots. */
const LONGEST_HOST = 254;

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
  const stray = strayCharacters(text);
  if (stray !== undefined) return invalid(`is not a URL: it has ${stray}`);
  if (!hasScheme(text) || !URL.canParse(text)) {
    const shown = text.includes('@') ? 'it' : quote(text);
    return invalid(`${shown} is not a URL of the form https://host/path`);
  }
  const url = new URL(text);
  const part = forbiddenPart(text, url);
  if (part !== undefined) return invalid(`has ${part}, which the URL of a service cannot have`);
  const wrong = hostProblem(text, url) ?? pathProblem(text);
  if (wrong !== undefined) return invalid(wrong);
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

/** Most URLs are visible ASCII: then nothing is searched for by Unicode property, for which V8 takes milliseconds. */
function strayCharacters(text: string): string | undefined {
  if (/^[!-[\]-~]*$/.test(text)) return undefined;
  if (/[\s\p{Cc}\\]/u.test(text)) return 'blanks, control characters or backslashes';
  return /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(text)
    ? 'characters that nobody sees'
    : undefined;
}

/** In small and capital letters, but without the flag for both: V8 takes milliseconds for that one. */
function hasScheme(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text.slice(0, 'https://x'.length).toLowerCase());
}

function forbiddenPart(text: string, { username, password }: URL): string | undefined {
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return 'a user name or password';
  if (text.includes('?')) return 'a query';
  return text.includes('#') ? 'a fragment' : undefined;
}

/** A host must be the one that it looks like: 2130706433 is 127.0.0.1, and some letters look like others. */
function hostProblem(text: string, { hostname, port }: URL): string | undefined {
  const [, typed = ''] = /^[^/]*\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(text) ?? [];
  if (typed.toLowerCase() !== hostname)
    return `${quote(typed)} is read as the host ${quote(hostname)}; if that is meant, write it so`;
  if (port === '0') return 'has the port 0, at which nobody listens';
  if (hostname.startsWith('[')) return undefined;
  const isName = hostname.length <= LONGEST_HOST && hostname.replace(/\.$/, '').split('.').every(isLabel);
  return isName ? undefined : `${quote(hostname)} is not the name of a host`;
}

function isLabel(text: string): boolean {
  return /^(?!-)[a-z\d_-]{1,63}(?<!-)$/.test(text);
}

/** The parts . and .. would be taken for folders, and be gone from what is sent. */
function pathProblem(text: string): string | undefined {
  const path = text.replace(/^[^/]*\/\/[^/]*/, '');
  if (/%(?![\da-fA-F]{2})/.test(path))
    return 'has a broken percent encoding; write %25 for a % that is meant';
  const parts = path.replaceAll(/%2[eE]/g, '.').split('/');
  return parts.includes('.') || parts.includes('..')
    ? 'has the part . or .. in its path; leave it out'
    : undefined;
}

/** Whether a host, as a URL names it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (hostname.startsWith('127.') && isIPv4(hostname))
  );
}
