import { type CliError, usageError } from '../cli/errors.ts';
import type { Method } from '../cli/ports.ts';
import { didYouMean, nearest } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { type OperationId, operations } from '../service/operations.ts';

/** The kinds of fault. */
export const faultKinds = {
  'drop-before': 'the connection breaks; nothing is carried out',
  'drop-after': 'carried out, then the connection breaks without an answer',
  cut: 'carried out, then the answer breaks off in the middle of its body',
  'slow-head': 'carried out, then the answer waits (ms=5000)',
  hang: 'nothing is carried out, and no answer comes',
  drip: 'carried out, then the body comes byte by byte, one each ms=100',
  answer: 'carried out, then answered otherwise: status=502, body=html, type=text/plain',
  '200': 'nothing is carried out, though the answer is a success; body=empty unless another is given',
  '401': 'nothing is carried out; the token is refused',
  '429': 'nothing is carried out; Retry-After of retry-after=1 seconds',
  '500': 'nothing is carried out',
  '502': 'nothing is carried out',
  '503': 'nothing is carried out; Retry-After where retry-after=seconds is given',
  '504': 'nothing is carried out',
  redirect: 'nothing is carried out; the answer points to to=URL, with status=302',
  'ignore-keys': 'the idempotency key is ignored; another fault may hit as well',
  lag: 'what is created shows ms=12000 later in reads=lists, records or all (default: all); combines with other faults',
} as const;

/** The values of body=. */
export const faultBodies = {
  html: 'a page of HTML',
  text: 'a plain text',
  empty: 'nothing',
  null: 'null',
  other: 'JSON that is about something else',
  half: 'the first half, as if it were all',
  bom: 'a byte order mark before it',
  'bad-utf8': 'a byte in it that is no UTF-8',
  deep: 'lists in lists, 100,000 of them',
  twice: 'each record with a name that it has twice',
  prototype: 'each record with the fields __proto__ and constructor',
  more: 'each record with a field that nobody knows',
  numbers: 'numbers beyond 2^53 for the ids',
  count: 'a list with a count that is too high',
  'first-page': 'the first page, whichever was asked for',
  pages: 'a full page of invented records, whichever was asked for',
  gzip: 'compressed, though nobody asked for that',
  endless: 'blanks without an end',
} as const;

/** The operations that lag, by the value of reads=. */
const laggingReads = {
  lists: ['listProperties', 'countProperties', 'listInvitations'],
  records: ['getProperty', 'propertyExists'],
  all: ['listProperties', 'countProperties', 'listInvitations', 'getProperty', 'propertyExists'],
} as const satisfies Record<string, readonly OperationId[]>;

type FaultKind = keyof typeof faultKinds;
export type FaultBody = keyof typeof faultBodies;
type FaultReads = keyof typeof laggingReads;

/** A fault and the requests that it hits: every match, unless `rate`, `nth` or `times` limit it. */
export interface Fault {
  readonly kind: FaultKind;
  /** Chance for each matching request, above 0 to 1. */
  readonly rate?: number;
  /** Only this matching request, counted from 1. */
  readonly nth?: number;
  /** Maximum number of hits. */
  readonly times?: number;
  readonly method?: Method;
  /** Default: every operation, but not the token endpoint. */
  readonly operation?: OperationId | 'token';
  readonly retryAfterSeconds?: number;
  /** Writes Retry-After as a date, by a clock that is so far ahead; the answer's Date has the same clock. */
  readonly skewSeconds?: number;
  readonly delayMs?: number;
  readonly status?: number;
  readonly body?: FaultBody;
  /** The Content-Type; `none` leaves it out. */
  readonly type?: string;
  /** The Location. */
  readonly to?: string;
  /** Which reads lag. Default: all. */
  readonly reads?: FaultReads;
}

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

const keys: Readonly<Record<string, (text: string) => Partial<Fault> | undefined>> = {
  rate: (text) => number(text, 0, 1, (rate) => (rate > 0 ? { rate } : undefined)),
  nth: (text) => whole(text, 1, (nth) => ({ nth })),
  times: (text) => whole(text, 1, (times) => ({ times })),
  method: (text) => methodNamed(text.toUpperCase()),
  operation: (text) => (isOperation(text) ? { operation: text } : undefined),
  'retry-after': (text) => whole(text, 0, (retryAfterSeconds) => ({ retryAfterSeconds })),
  skew: (text) => (/^-?\d{1,9}$/.test(text) ? { skewSeconds: Number(text) } : undefined),
  ms: (text) => whole(text, 0, (delayMs) => ({ delayMs })),
  status: (text) => (/^[2-5]\d\d$/.test(text) ? { status: Number(text) } : undefined),
  body: (text) => (isBody(text) ? { body: text } : undefined),
  type: (text) => (/^[\x21-\x7e]{1,100}$/.test(text) ? { type: text } : undefined),
  to: (text) => (/^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? { to: text } : undefined),
  reads: (text) => (isReads(text) ? { reads: text } : undefined),
};

const limits = ['rate', 'nth', 'times', 'method', 'operation'];
const answering = ['body', 'type', 'retry-after', 'skew'];

/** The settings of each kind in addition to `limits`. */
const settingsOf: Readonly<Record<FaultKind, readonly string[]>> = {
  'drop-before': [],
  'drop-after': [],
  cut: [],
  'slow-head': ['ms'],
  hang: [],
  drip: ['ms'],
  answer: [...answering, 'status', 'to'],
  '200': answering,
  '401': answering,
  '429': answering,
  '500': answering,
  '502': answering,
  '503': answering,
  '504': answering,
  redirect: [...answering, 'status', 'to'],
  'ignore-keys': [],
  lag: ['ms', 'reads'],
};

/** The operations that a fault can hit; `undefined`: all. */
export function operationsOf({ kind, reads = 'all' }: Fault): readonly OperationId[] | undefined {
  return kind === 'lag' ? laggingReads[reads] : undefined;
}

/**
 * Reads `kind[:key=value[,key=value...]]`, as in `drop-after:method=POST,nth=3`.
 *
 * @throws {CliError} exit 2 with the choices.
 */
export function parseFault(spec: string): Fault {
  const [kind = '', ...rest] = spec.split(':');
  if (!isKind(kind))
    throw badFault(spec, `${quote(kind)} is no kind of fault`, meant(kind, Object.keys(faultKinds), 'Kinds'));
  const settings = rest.join(':');
  const parts = settings === '' ? [] : settings.split(',').map((part) => parsePart(part, spec, kind));
  const fault: Fault = Object.assign({ kind }, ...parts);
  if (kind === 'redirect' && fault.to === undefined)
    throw badFault(spec, 'a redirect needs to=URL', 'For example: redirect:to=http://127.0.0.1:8080/');
  const { operation, method } = fault;
  const hit = operationsOf(fault);
  if (hit !== undefined && operation !== undefined && !hit.some((each) => each === operation))
    throw badFault(spec, `${operation} does not lag`, `Operations: ${hit.join(', ')}.`);
  if (hit !== undefined && method !== undefined && method !== 'GET')
    throw badFault(spec, `${method} does not lag`, 'Only reads lag: leave method= out.');
  return fault;
}

function parsePart(part: string, spec: string, kind: FaultKind): Partial<Fault> {
  const [key = '', ...rest] = part.split('=');
  const known = [...limits, ...settingsOf[kind]];
  const parse = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (parse === undefined || !known.includes(key)) {
    const what = parse === undefined ? 'a fault' : kind;
    throw badFault(spec, `${quote(key)} is no setting of ${what}`, meant(key, known, `Settings of ${kind}`));
  }
  const value = rest.join('=');
  const parsed = parse(value);
  if (parsed !== undefined) return parsed;
  const choices = key === 'body' ? faultBodies : key === 'reads' ? laggingReads : undefined;
  const what = key === 'body' ? 'Bodies' : 'Reads';
  const hint = choices === undefined ? undefined : meant(value, Object.keys(choices), what);
  throw badFault(spec, `${quote(part)} is not a valid setting`, hint);
}

function meant(text: string, all: readonly string[], what: string): string {
  return didYouMean(nearest(text, all), `${what}: ${all.join(', ')}.`);
}

function badFault(spec: string, reason: string, hint = 'See: innctl sandbox serve --help'): CliError {
  return usageError(`Cannot read the fault ${quote(spec)}: ${reason}.`, hint);
}

function number<T>(text: string, least: number, most: number, take: (value: number) => T): T | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? take(value) : undefined;
}

function whole<T>(text: string, least: number, take: (value: number) => T): T | undefined {
  return /^\d+$/.test(text) ? number(text, least, Number.MAX_SAFE_INTEGER, take) : undefined;
}

function isKind(text: string): text is FaultKind {
  return Object.hasOwn(faultKinds, text);
}

function isReads(text: string): text is FaultReads {
  return Object.hasOwn(laggingReads, text);
}

function isBody(text: string): text is FaultBody {
  return Object.hasOwn(faultBodies, text);
}

function methodNamed(text: string): Partial<Fault> | undefined {
  const method = methods.find((name) => name === text);
  return method === undefined ? undefined : { method };
}

function isOperation(text: string): text is OperationId | 'token' {
  return text === 'token' || Object.hasOwn(operations, text);
}
