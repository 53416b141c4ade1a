import { type OperationId, operations } from '../api/operations.ts';
import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import { type CliError, usageError } from '../errors.ts';
import type { Method } from '../transport.ts';

/** What may go wrong, and what that means. */
export const faultKinds = {
  'drop-before': 'the connection breaks; nothing is carried out',
  'drop-after': 'carried out, then the connection breaks without an answer',
  cut: 'carried out, then the answer breaks off in the middle of its body',
  'slow-head': 'carried out, then the answer waits (ms=5000)',
  '429': 'nothing is carried out; Retry-After of retry-after=1 seconds',
  '500': 'nothing is carried out',
  '503': 'nothing is carried out; Retry-After where retry-after=seconds is given',
} as const;

type FaultKind = keyof typeof faultKinds;

/** A fault and the requests that it hits: every one that matches, unless `rate`, `nth` or `times` limit it. */
export interface Fault {
  readonly kind: FaultKind;
  /** Chance for each matching request, above 0 to 1. */
  readonly rate?: number;
  /** Only this matching request, counted from 1. */
  readonly nth?: number;
  /** At most so many in all. */
  readonly times?: number;
  readonly method?: Method;
  /** Without it every operation, but never the token endpoint. */
  readonly operation?: OperationId | 'token';
  readonly retryAfterSeconds?: number;
  readonly delayMs?: number;
}

const methods: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

const keys: Readonly<Record<string, (text: string) => Partial<Fault> | undefined>> = {
  rate: (text) => number(text, 0, 1, (rate) => (rate > 0 ? { rate } : undefined)),
  nth: (text) => whole(text, 1, (nth) => ({ nth })),
  times: (text) => whole(text, 1, (times) => ({ times })),
  method: (text) => methodNamed(text.toUpperCase()),
  operation: (text) => (isOperation(text) ? { operation: text } : undefined),
  'retry-after': (text) => whole(text, 0, (retryAfterSeconds) => ({ retryAfterSeconds })),
  ms: (text) => whole(text, 0, (delayMs) => ({ delayMs })),
};

/**
 * Reads `kind[:key=value[,key=value...]]`, as in `drop-after:method=POST,nth=3`.
 *
 * @throws {CliError} exit 2 with what there is to choose from.
 */
export function parseFault(spec: string): Fault {
  const [kind = '', ...rest] = spec.split(':');
  if (!isKind(kind))
    throw badFault(spec, `${quote(kind)} is no kind of fault`, nearest(kind, Object.keys(faultKinds)));
  const settings = rest.join(':');
  const parts = settings === '' ? [] : settings.split(',').map((part) => parsePart(part, spec));
  return Object.assign({ kind }, ...parts);
}

function parsePart(part: string, spec: string): Partial<Fault> {
  const [key = '', ...rest] = part.split('=');
  const parse = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (parse === undefined)
    throw badFault(spec, `${quote(key)} is no setting of a fault`, nearest(key, Object.keys(keys)));
  const parsed = parse(rest.join('='));
  if (parsed === undefined) throw badFault(spec, `${quote(part)} is not a valid setting`);
  return parsed;
}

function badFault(spec: string, reason: string, meant?: string): CliError {
  const choice = `Kinds: ${Object.keys(faultKinds).join(', ')}. Settings: ${Object.keys(keys).join(', ')}.`;
  return usageError(
    `Cannot read the fault ${quote(spec)}: ${reason}.`,
    meant === undefined
      ? `${choice} For example: drop-after:method=POST,rate=0.05`
      : `Did you mean ${meant}?`,
  );
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

function methodNamed(text: string): Partial<Fault> | undefined {
  const method = methods.find((name) => name === text);
  return method === undefined ? undefined : { method };
}

function isOperation(text: string): text is OperationId | 'token' {
  return text === 'token' || Object.hasOwn(operations, text);
}
