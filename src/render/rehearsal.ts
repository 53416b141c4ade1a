import type { WireRequest } from '../transport.ts';
import { toJson } from './json.ts';
import type { Facts } from './output.ts';

/**
 * A request that a dry run did not send, as text for people and as facts for programs.
 *
 * A body that would be read as something else than it says (a number with more digits than can be held, a member named
 * twice) is shown as the text that would be sent; the facts have it as `body_text` in place of `body`.
 */
export function rehearsal(
  request: Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>,
): [string, Facts] {
  const { method, url, headers, body: text } = request;
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const sent = { method, url, headers };
  if (text === undefined) return [head.join('\n'), factsOf(sent)];
  const body: unknown = JSON.parse(text);
  if (!saysTheSame(body, text))
    return [[...head, '', text].join('\n'), factsOf({ ...sent, body_text: text })];
  return [[...head, '', toJson(body, { pretty: true })].join('\n'), factsOf({ ...sent, body })];
}

function factsOf(request: Facts): Facts {
  return { dry_run: true, requests: [request] };
}

/** Whether the value, written again, is the text but for the blanks between its parts. */
function saysTheSame(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');
  } catch {
    // Nested too deeply to be written.
    return false;
  }
}
