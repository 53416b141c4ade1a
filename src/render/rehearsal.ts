import type { WireRequest } from '../transport.ts';
import { toJson } from './json.ts';
import type { Facts } from './output.ts';

/** A request that a dry run did not send, as text for people and as facts for programs. */
export function rehearsal(
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
): [string, Facts] {
  const body: unknown = request.body === undefined ? undefined : JSON.parse(request.body);
  const { method, url, headers } = request;
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const text = body === undefined ? head : [...head, '', toJson(body, { pretty: true })];
  const sent = body === undefined ? { method, url, headers } : { method, url, headers, body };
  return [text.join('\n'), { dry_run: true, requests: [sent] }];
}
