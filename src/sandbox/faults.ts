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
  'bad-utf8': 'a byte in it that is not UTF-8',
  deep: 'lists in lists, 100,000 of them',
  twice: 'each record with a name that it has twice',
  prototype: 'each record with the fields __proto__ and constructor',
  more: 'each record with an unknown field',
  numbers: 'numbers beyond 2^53 for the ids',
  count: 'a list with a count that is too high',
  'first-page': 'the first page, whichever was asked for',
  pages: 'a full page of invented records, whichever was asked for',
  gzip: 'compressed without being asked for',
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

const methods = { GET: true, POST: true, PATCH: true, DELETE: true } satisfies Partial<Record<Method, true>>;
const targets: Readonly<Record<OperationId | 'token', unknown>> = { ...operations, token: undefined };

/** The field of each setting, and its value; `undefined` for a wrong one. */
const settings: Readonly<Record<string, readonly [keyof Fault, (text: string) => unknown]>> = {
  rate: ['rate', (text) => (/^\d+(\.\d+)?$/.test(text) ? numberIn(text, Number.MIN_VALUE, 1) : undefined)],
  nth: ['nth', (text) => countIn(text, 1)],
  times: ['times', (text) => countIn(text, 1)],
  method: ['method', (text) => keyOf(methods, text.toUpperCase())],
  operation: ['operation', (text) => keyOf(targets, text)],
  'retry-after': ['retryAfterSeconds', (text) => countIn(text, 0)],
  skew: ['skewSeconds', (text) => (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined)],
  ms: ['delayMs', (text) => countIn(text, 0)],
  status: ['status', (text) => (/^[2-5]\d\d$/.test(text) ? Number(text) : undefined)],
  body: ['body', (text) => keyOf(faultBodies, text)],
  type: ['type', (text) => (/^[\x21-\x7e]{1,100}$/.test(text) ? text : undefined)],
  to: ['to', (text) => (/^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? text : undefined)],
  reads: ['reads', (text) => keyOf(laggingReads, text)],
};

const limits = ['rate', 'nth', 'times', 'method', 'operation'];
const answering = ['body', 'type', 'retry-after', 'skew'];

/** The settings of a kind in addition to `limits`. */
function settingsOf(kind: FaultKind): readonly string[] {
  if (kind === 'slow-head' || kind === 'drip') return ['ms'];
  if (kind === 'lag') return ['ms', 'reads'];
  if (kind === 'answer' || kind === 'redirect') return [...answering, 'status', 'to'];
  return /^\d+$/.test(kind) ? answering : [];
}

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
  const [name = '', ...rest] = spec.split(':');
  const kind = keyOf(faultKinds, name);
  if (kind === undefined)
    throw badFault(
      spec,
      `${quote(name)} is not a kind of fault`,
      choices(name, Object.keys(faultKinds), 'Kinds'),
    );
  const given = rest.join(':');
  const parts = given === '' ? [] : given.split(',').map((part) => parsePart(part, spec, kind));
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
  const known = [...limits, ...settingsOf(kind)];
  const read = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (read === undefined || !known.includes(key)) {
    const what = read === undefined ? 'a fault' : kind;
    throw badFault(
      spec,
      `${quote(key)} is not a setting of ${what}`,
      choices(key, known, `Settings of ${kind}`),
    );
  }
  const [field, parse] = read;
  const text = rest.join('=');
  const value = parse(text);
  if (value !== undefined) return { [field]: value };
  const values = key === 'body' ? faultBodies : key === 'reads' ? laggingReads : undefined;
  const hint = values && choices(text, Object.keys(values), key === 'body' ? 'Bodies' : 'Reads');
  throw badFault(spec, `${quote(part)} is not a valid setting`, hint);
}

function choices(text: string, all: readonly string[], what: string): string {
  return didYouMean(nearest(text, all)) ?? `${what}: ${all.join(', ')}.`;
}

function badFault(spec: string, reason: string, hint = 'See: innctl sandbox serve --help'): CliError {
  return usageError(`Cannot read the fault ${quote(spec)}: ${reason}.`, hint);
}

function countIn(text: string, least: number): number | undefined {
  return /^\d+$/.test(text) ? numberIn(text, least, Number.MAX_SAFE_INTEGER) : undefined;
}

function numberIn(text: string, least: number, most: number): number | undefined {
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, text: string): Key | undefined {
  // An own key of the table.
  return Object.hasOwn(table, text) ? (text as Key) : undefined;
}
