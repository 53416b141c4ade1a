import { isIP } from 'node:net';
import { usageError } from '../model/errors.ts';
import type { Proxies } from '../model/ports.ts';
import { isDecodable } from '../model/text.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy that gets a request. */
export interface WireProxy {
  /** `http://proxy.example.com:3128`, without credentials. */
  readonly origin: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** Value of `proxy-authorization`; `undefined` without credentials in the URL. */
  readonly authorization: string | undefined;
}

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, lower case first. A value without a scheme means `http://`.
 *
 * @throws {CliError} `usage` naming the variable, never its value, which may hold a password.
 */
export function proxiesFrom(env: Env): Proxies {
  return {
    http: proxyUrl(env, ['http_proxy', 'HTTP_PROXY']),
    https: proxyUrl(env, ['https_proxy', 'HTTPS_PROXY']),
    except: firstSet(env, ['no_proxy', 'NO_PROXY'])?.value,
  };
}

/** The passwords in the URLs, and the headers made of them, for the redactor. */
export function secretsOf({ http, https }: Proxies): readonly string[] {
  return [http, https].flatMap((value) => {
    if (value === undefined) return [];
    const url = new URL(value);
    const authorization = authorizationOf(url)?.replace('Basic ', '') ?? '';
    return [decodeURIComponent(url.password), authorization].filter((secret) => secret !== '');
  });
}

/** The proxy for this URL; `undefined` when it is reached directly. */
export function proxyFor(proxies: Proxies, url: URL): WireProxy | undefined {
  const value = url.protocol === 'https:' ? proxies.https : proxies.http;
  if (value === undefined || isExempt(url, proxies.except ?? '')) return undefined;
  const proxy = new URL(value);
  // Loopback may be unencrypted because nothing leaves this machine; a proxy elsewhere would read the token.
  if (isLoopback(url.hostname) && !isLoopback(proxy.hostname)) return undefined;
  const { origin, host } = proxy;
  return { origin, host, authorization: authorizationOf(proxy) };
}

function authorizationOf({ username, password }: URL): string | undefined {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function proxyUrl(env: Env, names: readonly string[]): string | undefined {
  const found = firstSet(env, names);
  if (found === undefined) return undefined;
  const value = found.value.includes('://') ? found.value : `http://${found.value}`;
  if (isProxyUrl(value)) return value;
  throw usageError(
    `${found.name} is not the URL of a proxy: only http or https, credentials, host and port are allowed.`,
    `${found.name}=http://proxy.example.com:3128`,
  );
}

function firstSet(env: Env, names: readonly string[]) {
  const set = names.map((name) => ({ name, value: env[name]?.trim() ?? '' }));
  return set.find(({ value }) => value !== '');
}

function isProxyUrl(value: string): boolean {
  if (/\p{Cc}/u.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
  const isPlain = /^https?:$/.test(protocol) && hostname !== '' && `${pathname}${search}${hash}` === '/';
  return isPlain && [username, password].every(isDecodable);
}

/**
 * Whether NO_PROXY names this URL's host.
 *
 * @param list entries between commas or blanks: `*`, an IP address, or a domain and everything below it (a leading `.` or
 * `*.` makes no difference); each but `*` may end in `:port`.
 */
function isExempt(url: URL, list: string): boolean {
  const host = plainHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    const [, name = '', onlyPort = port] = /^(\[.*\]|[^:]+|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
    const domain = plainHost(name).replace(/^\*?\./, '');
    // An IP address has no parent domain.
    const isNamed = host === domain || (domain !== '' && isIP(host) === 0 && host.endsWith(`.${domain}`));
    return entry === '*' || (isNamed && onlyPort === port);
  });
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\..+|::1|::ffff:7f..:.+)$/.test(plainHost(hostname));
}

/** Without the brackets of an IPv6 address and the final dot of a full domain name. */
function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
