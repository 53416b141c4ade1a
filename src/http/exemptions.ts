import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Whether NO_PROXY names this URL's host.
 *
 * @param list entries between commas or blanks: `*`, a domain and everything below it (a leading `.` or `*.` makes no
 * difference), an IP address, or a network such as `10.0.0.0/8`; each but `*` and networks may end in `:port`.
 */
export function isExempt(url: URL, list: string): boolean {
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
  // The end of an address is no domain above it.
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
