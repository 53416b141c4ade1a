import type { Ending, WireRequest } from '../transport.ts';

/** What goes over the wire, before a signal is tied to it. */
type Sendable = Pick<WireRequest, 'method' | 'url' | 'headers' | 'body'>;

/** A request with the headers that every request carries; its own come last. */
export function wireRequest(
  { method, url, headers, body }: Pick<Sendable, 'method' | 'url'> & Partial<Sendable>,
  authorization: string,
  userAgent: string,
): Sendable {
  return {
    method,
    url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
  };
}

/** Field by field: to spread an object is what costs most of all that is done for a request. */
export function tied(
  { method, url, headers, body }: Sendable,
  signal: Ending,
  onSent: () => void,
): WireRequest {
  return { method, url, headers, body, signal, onSent };
}
