import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseFault as parseOwnFault } from '../../src/commands/sandbox/index.ts';
import { createFaultPicker, type Fault, type Limits, type Target } from '../../src/sandbox/faults.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox as startOwnSandbox,
} from '../../src/sandbox/server.ts';
import { dialects } from '../../src/service/apaleo.ts';
import { type DialectName, type OperationId, operations } from '../../src/service/operations.ts';
import { type FaultyBody, faultyBodies, faultyHeaders } from './faulty-bodies.ts';

/** The faults of a front before the sandbox, in addition to those of `--fault`. */
const frontKinds = {
  cut: 'carried out, then the answer breaks off in the middle of its body',
  'slow-head': 'carried out, then the answer waits (ms=5000)',
  drip: 'carried out, then the body comes byte by byte, one each ms=100',
  answer: 'carried out, then answered otherwise: status=502, body=html, type=text/plain',
  '200': 'nothing is carried out, though the answer is a success; body=empty unless another is given',
  '401': 'nothing is carried out; the token is refused',
  '500': 'nothing is carried out',
  '502': 'nothing is carried out',
  '504': 'nothing is carried out',
  redirect: 'nothing is carried out; the answer points to to=URL, with status=302',
  // Those of --fault with settings that --fault does not take.
  '429':
    'nothing is carried out; Retry-After of retry-after=1 seconds, by a clock that is ahead by skew=seconds',
  '503': 'nothing is carried out; body=html',
} as const;

const carriedOut: ReadonlySet<string> = new Set(['cut', 'slow-head', 'drip', 'answer']);

/** A fault of the front, and the requests that it hits. */
export interface FrontFault extends Limits {
  readonly frontKind: keyof typeof frontKinds;
  readonly delayMs?: number;
  readonly status?: number;
  readonly body?: FaultyBody;
  /** The Content-Type; `none` leaves it out. */
  readonly type?: string;
  /** The Location. */
  readonly to?: string;
  readonly retryAfterSeconds?: number;
  /** Writes Retry-After as a date, by a clock that is so far ahead; the answer's Date has the same clock. */
  readonly skewSeconds?: number;
}

export type AnyFault = Fault | FrontFault;

const ownKinds =
  /^(?:drop-before|drop-after|hang|429|503|ignore-keys|lag)(?!.*[:,](?:status|body|type|to|skew)=)/;
const limits = ['rate', 'nth', 'times', 'method', 'operation'];

/** Reads `kind[:key=value,...]`: what `--fault` takes, as it takes it, and the faults of the front. */
export function parseFault(spec: string): AnyFault {
  if (ownKinds.test(spec)) return parseOwnFault(spec);
  const [kind = '', ...rest] = spec.split(':');
  const parts = rest.join(':').split(',').filter(Boolean);
  const isLimit = (part: string) => limits.includes(part.split('=')[0] ?? '');
  const { kind: _, ...limit } = parseOwnFault(`hang:${parts.filter(isLimit).join(',')}`);
  const given = parts.filter((part) => !isLimit(part)).map((part) => settingOf(part, spec));
  if (!isKey(frontKinds, kind)) throw new Error(`${spec}: there is no such fault`);
  return { ...limit, frontKind: kind, ...Object.assign({}, ...given) };
}

function settingOf(part: string, spec: string): Partial<FrontFault> {
  const [key = '', ...rest] = part.split('=');
  const text = rest.join('=');
  if (key === 'ms') return { delayMs: Number(text) };
  if (key === 'status') return { status: Number(text) };
  if (key === 'retry-after') return { retryAfterSeconds: Number(text) };
  if (key === 'skew') return { skewSeconds: Number(text) };
  if (key === 'type') return { type: text };
  if (key === 'to') return { to: text };
  if (key === 'body' && isKey(faultyBodies, text)) return { body: text };
  throw new Error(`${spec}: ${part} is no setting`);
}

function isKey<Key extends string>(table: Readonly<Record<Key, unknown>>, text: string): text is Key {
  return Object.hasOwn(table, text);
}

export interface FaultyOptions extends Omit<SandboxOptions, 'faults'> {
  readonly faults?: readonly AnyFault[] | undefined;
}

/** Starts a sandbox with faults of its own, behind a front where there are faults of the front. */
export async function startSandbox({ faults = [], ...options }: FaultyOptions): Promise<Sandbox> {
  const own = faults.filter((fault): fault is Fault => 'kind' in fault);
  const others = faults.filter((fault): fault is FrontFault => 'frontKind' in fault);
  const sandbox = await startOwnSandbox({ ...options, faults: own });
  return others.length === 0 ? sandbox : openFront(sandbox, others, options);
}

async function openFront(
  sandbox: Sandbox,
  faults: readonly FrontFault[],
  { faultSeed = 1, dialect = 'contract', now }: FaultyOptions,
): Promise<Sandbox> {
  const pick = createFaultPicker(faults, faultSeed);
  const targetOf = targetsOf(dialect);
  const closing = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url = '' } = incoming;
    const target = targetOf(method, new URL(url, sandbox.url).pathname);
    const [fault] = target === undefined ? [] : pick(target, method);
    const own =
      fault === undefined || carriedOut.has(fault.frontKind)
        ? await forward(incoming, outgoing, { to: new URL(pathUnder(fault, url), sandbox.url), agent })
        : undefined;
    if (fault === undefined) deliver(outgoing, own ?? refused(500, dialect));
    else {
      if (fault.frontKind === 'slow-head')
        await pause(fault.delayMs ?? 5_000, undefined, { signal: closing.signal });
      const isToken = target === 'token';
      deliver(outgoing, underFault(fault, own, { url, now, dialect: isToken ? 'contract' : dialect }), fault);
    }
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on an address of the network.
  const { port } = server.address() as AddressInfo;
  return {
    ...sandbox,
    url: `http://127.0.0.1:${port}`,
    async close() {
      closing.abort();
      server.close();
      await sandbox.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

/** What a request is for, by method and path. */
function targetsOf(name: DialectName) {
  // The keys of the table are the ids by definition.
  const ids = Object.keys(operations) as OperationId[];
  const routes = ids
    .map((id) => ({ id, path: dialects[name].path(id), method: operations[id].method }))
    .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
    .map(({ path, ...route }) => ({
      ...route,
      pattern: new RegExp(`^${path.replaceAll('$', '(?:\\$|%24)').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  return (method: string, path: string): Target | undefined => {
    if (path === '/connect/token') return 'token';
    return routes.find((route) => route.method === method && route.pattern.test(path))?.id;
  };
}

/** Faults that repeat or invent pages need the first page. */
function pathUnder(fault: FrontFault | undefined, url: string): string {
  if (fault?.body !== 'first-page' && fault?.body !== 'pages') return url;
  const first = new URL(url, 'http://127.0.0.1');
  first.searchParams.delete('pageNumber');
  first.searchParams.set('page_number', '1');
  return first.pathname + first.search;
}

interface Written {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** No body where it is `undefined`. */
  readonly bytes: Buffer | undefined;
}

/** The answer of the sandbox. @throws when it breaks the connection. */
async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { to, agent }: { readonly to: URL; readonly agent: Agent },
): Promise<Written> {
  const { method = 'GET', headers } = incoming;
  const body = await buffer(incoming);
  const length =
    body.length > 0 || headers['content-length'] !== undefined ? { 'content-length': body.length } : {};
  const { connection: _, 'transfer-encoding': _chunks, 'content-length': _length, ...kept } = headers;
  const upstream = request(to, { method, agent, headers: { ...kept, ...length } });
  outgoing.on('close', () => upstream.destroy());
  upstream.end(body);
  // The event has the answer.
  const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
  const bytes = await buffer(answer);
  const { connection: _c, 'keep-alive': _k, 'content-length': _l, date: _d, ...shown } = answer.headers;
  return { status: answer.statusCode ?? 500, headers: shown, bytes: bytes.length === 0 ? undefined : bytes };
}

interface FaultContext {
  readonly url: string;
  readonly now: () => number;
  readonly dialect: DialectName;
}

/** @param own the answer of the sandbox; `undefined` where the request was not carried out. */
function underFault(fault: FrontFault, own: Written | undefined, context: FaultContext): Written {
  const { frontKind } = fault;
  if (own !== undefined && frontKind !== 'answer') return own;
  const invented = frontKind === '200' ? 200 : frontKind === 'redirect' ? 302 : undefined;
  const answer =
    own ??
    (invented === undefined
      ? refused(Number(frontKind), context.dialect)
      : { status: invented, headers: { 'x-request-id': randomUUID() }, bytes: undefined });
  const status = fault.status ?? answer.status;
  const shown =
    fault.body === undefined
      ? { ...answer, status }
      : withFaultyBody(fault.body, answer, status, new URL(context.url, 'http://x').searchParams);
  return { ...shown, headers: withHeaders(fault, shown, context.now()) };
}

const refusalCodes: Readonly<Record<string, string>> = {
  '401': 'unauthorized',
  '429': 'rate_limited',
  '503': 'unavailable',
};

function refused(status: number, dialect: DialectName): Written {
  const message = 'The sandbox was asked to fail here; nothing was carried out.';
  const body =
    dialect === 'apaleo'
      ? { messages: [message] }
      : { error: { code: refusalCodes[status] ?? 'injected_failure', message, details: [] } };
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': randomUUID() };
  return { status, headers, bytes: Buffer.from(JSON.stringify(body)) };
}

/** The answer with a faulty body; 204, which cannot have a body, becomes 200. */
function withFaultyBody(body: FaultyBody, own: Written, status: number, query: URLSearchParams): Written {
  const text = own.bytes?.toString() ?? '';
  const value: unknown = text === '' ? undefined : JSON.parse(text);
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return {
    status: status === 204 ? 200 : status,
    headers: { ...type, ...own.headers, ...faultyHeaders[body] },
    bytes: Buffer.from(faultyBodies[body]({ value, text, query })),
  };
}

function withHeaders(fault: FrontFault, { headers }: Written, now: number): IncomingHttpHeaders {
  const { frontKind, type, to, skewSeconds = 0 } = fault;
  const seconds = fault.retryAfterSeconds ?? (frontKind === '429' ? 1 : undefined);
  const date = (offset: number) => new Date(now + (skewSeconds + offset) * 1_000).toUTCString();
  const isDated = fault.skewSeconds !== undefined;
  const { 'content-type': own, ...others } = headers;
  const shown = type ?? own;
  return {
    ...others,
    ...(shown === undefined || shown === 'none' ? {} : { 'content-type': shown }),
    ...(to === undefined ? {} : { location: to }),
    ...(isDated ? { date: date(0) } : {}),
    ...(seconds === undefined ? {} : { 'retry-after': isDated ? date(seconds) : String(seconds) }),
  };
}

const BLANKS = Buffer.alloc(65_536, ' ');

/** Sends as much of an answer as its fault allows; an answer without a body cannot be cut. */
function deliver(
  response: ServerResponse,
  { status, headers, bytes }: Written,
  { frontKind, body, delayMs = 100 }: Partial<FrontFault> = {},
): void {
  if (response.destroyed) return;
  const length = bytes === undefined || body === 'endless' ? {} : { 'content-length': bytes.length };
  response.writeHead(status, { ...headers, ...length });
  if (bytes === undefined) response.end();
  else if (frontKind === 'drip') drip(response, bytes, delayMs);
  else if (frontKind === 'cut')
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
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
