import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../model/records.ts';
import type { Answer } from './call.ts';
import type { Fault } from './faults.ts';
import { refusal, wrong } from './refusal.ts';

/** An answer as it is sent. */
export interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** No body where it is `undefined`. */
  readonly bytes: Uint8Array | undefined;
}

const DEFAULT_DRIP_MS = 100;
const BLANKS = Buffer.alloc(65_536, ' ');

/** The answer in JSON. */
export function written({ status, headers = {}, body }: Answer): Written {
  if (body === undefined) return { status, headers, bytes: undefined };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...headers, ...type }, bytes: Buffer.from(JSON.stringify(body)) };
}

/** Sends as much of an answer as its fault allows; an answer without a body cannot be cut. */
export function deliver(
  response: ServerResponse,
  { status, headers, bytes }: Written,
  { kind, body, delayMs = DEFAULT_DRIP_MS }: Partial<Fault> = {},
): void {
  // Writing to a closed connection would be an unhandled error.
  if (response.destroyed || kind === 'hang') return;
  if (kind === 'drop-before' || kind === 'drop-after') return void response.destroy();
  const length = bytes === undefined || body === 'endless' ? {} : { 'content-length': bytes.length };
  response.writeHead(status, { ...headers, ...length });
  if (bytes === undefined) response.end();
  else if (kind === 'drip') drip(response, bytes, delayMs);
  else if (kind === 'cut') response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  else if (body === 'endless') response.write(bytes, () => writeBlanks(response));
  else response.end(bytes);
}

/** Writes for as long as the client reads. */
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

const LARGEST_BYTES = 1_048_576;
const DEEPEST = 32;

/** The body of a write. @throws {Refusal} 400, 413, 415 or 422 when it is not acceptable JSON. */
export async function readJson(request: IncomingMessage, types: readonly string[]): Promise<unknown> {
  requireType(request, types);
  const text = await readText(request);
  try {
    const value: unknown = JSON.parse(text);
    checkShape(value);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusal(400, 'malformed_json', `The body is not JSON: ${error.message}.`);
  }
}

/** The fields of a form. @throws {Refusal} 400, 413 or 415. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  requireType(request, ['application/x-www-form-urlencoded']);
  return new URLSearchParams(await readText(request));
}

function requireType(request: IncomingMessage, types: readonly string[]): void {
  const given = request.headers['content-type'] ?? '';
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  if (types.includes(type)) return;
  throw refusal(
    415,
    'unsupported_media_type',
    `The Content-Type is ${JSON.stringify(given)}; this takes ${types.join(' or ')}.`,
  );
}

/** Reads to the end even when it is too long, so that the client receives the refusal. */
async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    // No encoding is set on the request, so its chunks are bytes.
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size <= LARGEST_BYTES) chunks.push(bytes);
  }
  if (size > LARGEST_BYTES) {
    throw refusal(413, 'too_large', `The body has ${size} bytes; ${LARGEST_BYTES} is the most.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refusal(400, 'malformed_text', 'The body is not UTF-8.');
  }
}

/** @throws {Refusal} 400 or 422 for too many levels, or a name in the prototype of objects. */
function checkShape(value: unknown, levels = DEEPEST): void {
  if (!isObject(value)) return;
  if (levels === 0) throw refusal(400, 'too_deep', `The body is nested deeper than ${DEEPEST} levels.`);
  for (const [field, child] of Object.entries(value)) {
    if (field in Object.prototype) throw wrong(field, 'is not a known field');
    checkShape(child, levels - 1);
  }
}
