import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { OperationId } from '../service/operations.ts';
import type { Answer } from './call.ts';
import { type Written, written } from './deliver.ts';
import { type Fault, type FaultBody, operationsOf } from './faults.ts';
import { refusal } from './refusal.ts';

const DEFAULT_DELAY_MS = 5_000;
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** What an answer under a fault depends on. */
interface FaultContext {
  readonly query: URLSearchParams;
  /** Writes a failure as the service does. */
  readonly failure: (answer: Answer) => Answer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** The faults under which a request is carried out. */
const carriedOutKinds: ReadonlySet<string> = new Set(['drop-after', 'cut', 'slow-head', 'drip', 'answer']);

/** Whether a request is carried out under this fault, or none. */
export function isCarriedOut(fault: Fault | undefined): boolean {
  return fault === undefined || carriedOutKinds.has(fault.kind);
}

/** The query to carry a request out with: faults that repeat or invent pages need the first page. */
export function queryUnder(fault: Fault | undefined, query: URLSearchParams): URLSearchParams {
  if (fault?.body !== 'first-page' && fault?.body !== 'pages') return query;
  const first = new URLSearchParams(query);
  first.delete('pageNumber');
  first.set('page_number', '1');
  return first;
}

/**
 * The answer to a request under a fault; `deliver` decides how much of it is sent.
 *
 * @param own the operation's answer; `undefined` where it was not carried out.
 */
export async function underFault(
  fault: Fault | undefined,
  own: Answer | undefined,
  { query, failure, now, signal }: FaultContext,
): Promise<Written> {
  const { kind, delayMs = DEFAULT_DELAY_MS } = fault ?? {};
  if (kind === 'slow-head') await setTimeout(delayMs, undefined, { signal });
  if (fault === undefined || (own !== undefined && kind !== 'answer')) return written(own ?? { status: 204 });
  const answer = own ?? inventedAnswer(fault.kind, failure);
  const status = fault.status ?? answer.status;
  const shown =
    fault.body === undefined
      ? written({ ...answer, status })
      : withFaultyBody(fault.body, answer, status, query);
  return { ...shown, headers: withHeaders(fault, shown, now()) };
}

const refusalCodes: Readonly<Record<string, string>> = {
  '401': 'unauthorized',
  '429': 'rate_limited',
  '503': 'unavailable',
};

/** An answer to a request that was not carried out; without a meaning for a fault that sends none. */
function inventedAnswer(kind: string, failure: FaultContext['failure']): Answer {
  if (kind === '200' || kind === 'redirect') return { status: kind === '200' ? 200 : 302 };
  const message = 'The sandbox was asked to fail here; nothing was carried out.';
  const status = Number(kind);
  const { answer } = refusal(status, refusalCodes[kind] ?? 'injected_failure', message);
  // The dialect may map the status to another; the fault's own counts.
  return { ...failure(answer), status };
}

function withHeaders(fault: Fault, { headers }: Written, now: number): Record<string, string> {
  const { kind, type, to, skewSeconds = 0 } = fault;
  const seconds = fault.retryAfterSeconds ?? (kind === '429' ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
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

/** What hits one request. */
export interface Hit {
  readonly fault: Fault | undefined;
  /** In addition to any other fault: the idempotency key is ignored, and reads lag. */
  readonly ignoresKey: boolean;
  readonly lag: Fault | undefined;
}

/**
 * Decides what hits the next request. Counts the requests of each fault separately. Where several hit, the first given wins.
 *
 * @param seed decides where faults with a rate hit.
 */
export function createFaultPicker(faults: readonly Fault[], seed: number) {
  const isLag = ({ kind }: Fault) => kind === 'lag';
  const ignoresKeys = ({ kind }: Fault) => kind === 'ignore-keys';
  const randoms = { lags: seededRandom(seed), others: seededRandom(seed) };
  const pickers = faults.map((fault) => ({
    fault,
    hits: createHits(fault, isLag(fault) ? randoms.lags : randoms.others),
  }));
  return (operation: OperationId | 'token', method: string): Hit => {
    const hitting = pickers.filter(({ hits }) => hits(operation, method)).map(({ fault }) => fault);
    return {
      fault: hitting.find((fault) => !ignoresKeys(fault) && !isLag(fault)),
      ignoresKey: hitting.some(ignoresKeys),
      lag: hitting.find(isLag),
    };
  };
}

function createHits(fault: Fault, random: () => number) {
  let matched = 0;
  let hit = 0;
  return (operation: OperationId | 'token', method: string) => {
    const all = operationsOf(fault);
    const isNamed = fault.operation === undefined ? operation !== 'token' : fault.operation === operation;
    if (!isNamed || (fault.method ?? method) !== method) return false;
    if (all !== undefined && !all.some((each) => each === operation)) return false;
    matched += 1;
    const isTurn = fault.nth === undefined || fault.nth === matched;
    const isChance = fault.rate === undefined || random() < fault.rate;
    if (!isTurn || !isChance || hit >= (fault.times ?? Number.POSITIVE_INFINITY)) return false;
    hit += 1;
    return true;
  };
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const MOST_ON_A_PAGE = 100;
const DEEP = 100_000;
const TOO_HIGH = 1_000;

/** Fields that may identify a record. */
const idFields = ['id', 'subject_id', 'subjectId', 'email', 'code', 'name'];

interface OwnBody {
  /** The answer's own value. */
  readonly value: unknown;
  /** The value as JSON; empty where there is none. */
  readonly text: string;
  readonly query: URLSearchParams;
}

/** The body of an answer as a fault leaves it. */
const faultyBodies: Readonly<Record<FaultBody, (own: OwnBody) => string | Uint8Array>> = {
  html: () => '<!doctype html>\n<html><title>Sign in</title><p>Please sign in.</p></html>\n',
  text: () => 'OK\n',
  empty: () => '',
  null: () => 'null',
  other: () => '{"ok":true}',
  half: ({ text }) => text.slice(0, Math.floor(text.length / 2)),
  bom: ({ text }) => `\ufeff${text}`,
  'bad-utf8': ({ text }) => Buffer.concat([Buffer.from(text), Buffer.from([0xff])]),
  deep: () => `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  twice: ({ value }) =>
    eachRecord(value, (record) =>
      withFirstMember('id', '"twice"', inJson('id' in record ? record : { ...record, id: 'once' })),
    ),
  prototype: ({ value }) =>
    eachRecord(value, (record) =>
      withFirstMember(
        '__proto__',
        '{"id":"MUC"}',
        withFirstMember('constructor', '{"prototype":{}}', inJson(record)),
      ),
    ),
  more: ({ value }) =>
    eachRecord(value, (record) => withFirstMember('x_unknown', '{"a":[1,null,"b"]}', inJson(record))),
  numbers: ({ value }) => eachRecord(value, withHugeId),
  count: ({ value, text }) => {
    const list = listIn(value);
    const own = list?.around['count'] ?? list?.items.length;
    return list === undefined ? text : inJson({ ...list.around, count: Number(own) + TOO_HIGH });
  },
  'first-page': ({ text }) => text,
  pages: ({ value, text, query }) => inventedPage(value, query) ?? text,
  gzip: ({ text }) => gzipSync(text),
  endless: ({ text }) => text.slice(0, -1),
};

const faultyHeaders: Partial<Record<FaultBody, Readonly<Record<string, string>>>> = {
  html: { 'content-type': 'text/html; charset=utf-8' },
  text: { 'content-type': 'text/plain; charset=utf-8' },
  gzip: { 'content-encoding': 'gzip' },
};

/** The answer with a faulty body; 204, which cannot have a body, becomes 200. */
function withFaultyBody(body: FaultBody, own: Answer, status: number, query: URLSearchParams): Written {
  const { headers, bytes } = written(own);
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return {
    status: status === 204 ? 200 : status,
    headers: { ...type, ...headers, ...faultyHeaders[body] },
    bytes: Buffer.from(faultyBodies[body]({ value: own.body, text, query })),
  };
}

/** The list in an answer that has nothing else but a count. */
function listIn(
  value: unknown,
): { readonly around: ServiceRecord; readonly items: readonly unknown[] } | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value).filter((name) => name !== 'count');
  const items = value[names[0] ?? ''];
  return names.length === 1 && Array.isArray(items) ? { around: value, items } : undefined;
}

function eachRecord(value: unknown, textOf: (record: ServiceRecord, index: number) => string): string {
  const itemText = (item: unknown, index: number) => (isRecord(item) ? textOf(item, index) : inJson(item));
  const list = listIn(value);
  if (list === undefined) return itemText(value, 0);
  const entries = Object.entries(list.around).map(([name, own]) =>
    Array.isArray(own)
      ? `${inJson(name)}:[${own.map(itemText).join(',')}]`
      : `${inJson(name)}:${inJson(own)}`,
  );
  return `{${entries.join(',')}}`;
}

/** The JSON of an object with one more member, at its beginning. */
function withFirstMember(name: string, valueText: string, text: string): string {
  return text === '{}' ? `{"${name}":${valueText}}` : `{"${name}":${valueText},${text.slice(1)}`;
}

function withHugeId(record: ServiceRecord, index: number): string {
  const field = idFields.find((name) => typeof record[name] === 'string') ?? 'id';
  const { [field]: _, ...others } = record;
  return withFirstMember(field, `${12_345_678_901_234_567_000n + BigInt(index)}`, inJson(others));
}

function inventedPage(value: unknown, query: URLSearchParams): string | undefined {
  const list = listIn(value);
  const first = list?.items.find(isRecord);
  if (list === undefined || first === undefined) return undefined;
  const number = query.get('page_number') ?? query.get('pageNumber') ?? '1';
  const asked = query.get('page_size') ?? query.get('pageSize') ?? MOST_ON_A_PAGE;
  const size = Math.min(Number(asked), MOST_ON_A_PAGE);
  const entry = (index: number) =>
    Object.entries(first).map(([name, own]) => [name, idFields.includes(name) ? `${number}-${index}` : own]);
  const items = Array.from({ length: size }, (_, index) => Object.fromEntries(entry(index)));
  const { count: _, ...around } = list.around;
  return inJson(Object.fromEntries(Object.keys(around).map((name) => [name, items])));
}

function inJson(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
