import type { Kind } from '../../manifest/entry.ts';
import type { LocalSession } from '../../session.ts';

/** Where what is of these kinds is kept, in words: `api.example.com`, or `the sandbox`. */
export function hostsOf(kinds: readonly Kind[], { settings }: Pick<LocalSession, 'settings'>): string {
  const { sandbox, baseUrl, identityUrl } = settings();
  if (sandbox) return 'the sandbox';
  const urls = [...new Set(kinds)].map((kind) => (kind === 'property' ? baseUrl : identityUrl)?.value ?? '');
  const hosts = urls.map((url) => (URL.canParse(url) ? new URL(url).host : url));
  return [...new Set(hosts)].join(' and ');
}
