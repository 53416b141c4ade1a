import { BlockList, isIP, isIPv6 } from 'node:net';
import { usageError } from '../cli/errors.ts';
import type { Proxies } from '../cli/ports.ts';
import { isDecodable } from '../model/segment.ts';

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
 * Upper case HTTP_PROXY is ignored if REQUEST_METHOD is set: under CGI it comes from a header of the client.
 *
 * @throws {CliError} `usage` naming the variable, never its value, which may hold a password.
 */
export function proxiesFrom(env: Env): Proxies {
  const insideCgi = env['REQUEST_METHOD'] !== undefined;
  return {
    http: proxyUrl(env, insideCgi ? ['http_proxy'] : ['http_proxy', 'HTTP_PROXY']),
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

/** In the syntax of NO_PROXY. */
const LOOPBACK = 'localhost,127.0.0.0/8,::1';

/** The proxy for this URL; `undefined` when it is reached directly. */
export function proxyFor(proxies: Proxies, url: URL): WireProxy | undefined {
  const value = url.protocol === 'https:' ? proxies.https : proxies.http;
  if (value === undefined || isExempt(url, proxies.except ?? '')) return undefined;
  const proxy = new URL(value);
  // Loopback may be unencrypted because nothing leaves this machine; a proxy elsewhere would read the token.
  if (isExempt(url, LOOPBACK) && !isExempt(proxy, LOOPBACK)) return undefined;
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
  const wrong = problemOf(value);
  if (wrong === undefined) return value;
  throw usageError(
    `${found.name} is not the URL of a proxy: ${wrong}.`,
    `${found.name}=http://proxy.example.com:3128`,
  );
}

function firstSet(env: Env, names: readonly string[]) {
  const set = names.map((name) => ({ name, value: env[name]?.trim() ?? '' }));
  return set.find(({ value }) => value !== '');
}

function problemOf(value: string): string | undefined {
  if (/\p{Cc}/u.test(value) || !URL.canParse(value)) return 'it cannot be read';
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `its scheme is ${protocol.slice(0, -1)}, and only http and https are supported`;
  if (hostname === '') return 'it names no host';
  if (pathname !== '/' || search !== '' || hash !== '') return 'it has more than host and port';
  return [username, password].every(isDecodable)
    ? undefined
    : 'its credentials are not percent-encoded UTF-8';
}

/**
 * Whether NO_PROXY names this URL's host.
 *
 * @param list entries between commas or blanks: `*`, a domain and everything below it (a leading `.` or `*.` makes no
 * difference), an IP address, or a network such as `10.0.0.0/8`; each but `*` and networks may end in `:port`.
 */
function isExempt(url: URL, list: string): boolean {
  const host = plainHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && covers(entry, host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, network, bits] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (network !== undefined) return isInNetwork(host, plainHost(network), Number(bits));
  const [name, onlyPort] = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name)) return isInNetwork(host, name, isIPv6(name) ? 128 : 32);
  // An IP address has no parent domain.
  return host === name || (!isIP(host) && host.endsWith(`.${name}`));
}

function splitPort(entry: string): readonly [name: string, port: string | undefined] {
  if (isIPv6(entry)) return [entry, undefined];
  const [, name = entry, port] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  return [plainHost(name).replace(/^\*?\./, ''), port];
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const isMask = bits >= 0 && bits <= (family === 'ipv6' ? 128 : 32);
  if (!isIP(host) || !isIP(network) || !isMask) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** Without the brackets of an IPv6 address and the final dot of a full domain name. */
function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
