import type { ServerResponse } from 'node:http';
import type { Answer } from '../operations/exchange.ts';

/** An answer as it goes over the wire. */
export interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** No body where it is `undefined`. */
  readonly bytes: Uint8Array | undefined;
}

/** How an answer reaches the caller: whole, up to the middle of its body, byte by byte, without an end, or not at all. */
export type Delivery =
  | { readonly kind: 'whole' | 'cut' | 'endless'; readonly answer: Written }
  | { readonly kind: 'drip'; readonly answer: Written; readonly everyMs: number }
  /** The connection breaks. */
  | { readonly kind: 'none' }
  /** The connection stays. */
  | { readonly kind: 'silence' };

const BLANKS = Buffer.alloc(65_536, ' ');

/** The answer in JSON. */
export function written({ status, headers = {}, body }: Answer): Written {
  if (body === undefined) return { status, headers, bytes: undefined };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...headers, ...type }, bytes: Buffer.from(JSON.stringify(body)) };
}

/** Writes an answer as far as it is to be delivered; an answer without a body cannot be cut. */
export function deliver(response: ServerResponse, delivery: Delivery): void {
  // Writing to a caller who has gone would be an error that nobody handles.
  if (response.destroyed || delivery.kind === 'silence') return;
  if (delivery.kind === 'none') {
    response.destroy();
    return;
  }
  const { status, headers, bytes } = delivery.answer;
  if (bytes === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  if (delivery.kind === 'endless') {
    response.writeHead(status, headers);
    response.write(bytes);
    writeBlanks(response);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  if (delivery.kind === 'drip') drip(response, bytes, delivery.everyMs);
  else if (delivery.kind === 'whole') response.end(bytes);
  else response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** As long as the caller reads, at the caller's pace. */
function writeBlanks(response: ServerResponse): void {
  response.write(BLANKS, (error) => {
    if (error === null || error === undefined) writeBlanks(response);
  });
}

function drip(response: ServerResponse, bytes: Uint8Array, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + 1));
    at += 1;
    if (at < bytes.length) return;
    clearInterval(timer);
    response.end();
  }, everyMs);
  response.on('close', () => clearInterval(timer));
}
