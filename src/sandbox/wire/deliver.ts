import type { ServerResponse } from 'node:http';
import type { Answer } from '../operations/exchange.ts';

/** How an answer reaches the caller: whole, up to the middle of its body, or not at all. */
export type Delivery =
  | { readonly kind: 'whole' | 'cut'; readonly answer: Answer }
  | { readonly kind: 'none' };

/** Writes an answer as far as it is to be delivered; an answer without a body cannot be cut. */
export function deliver(response: ServerResponse, delivery: Delivery): void {
  // Writing to a caller who has gone would be an error that nobody handles.
  if (response.destroyed) return;
  if (delivery.kind === 'none') {
    response.destroy();
    return;
  }
  const { status, headers, body } = delivery.answer;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  });
  if (delivery.kind === 'whole') response.end(bytes);
  else response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
