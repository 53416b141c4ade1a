import { type CliError, usageError } from '../../model/errors.ts';
import { quote } from '../../model/text.ts';
import { type Fault, type FaultKind, faultKinds, type Target } from '../../sandbox/faults.ts';
import { methods, type OperationId, operations } from '../../service/operations.ts';

const targets: Readonly<Record<Target, unknown>> = { ...operations, token: undefined };

// The keys of the table are the ids by definition.
const lagging = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].safety === 'read' && /propert|unit|invitation/i.test(id),
);
const isOfList = (id: OperationId) => /^(?:list|count)/.test(id);

/** The operations that lag, by the value of reads=. */
const laggingReads: Readonly<Record<'lists' | 'records' | 'all', readonly Target[]>> = {
  lists: lagging.filter(isOfList),
  records: lagging.filter((id) => !isOfList(id)),
  all: lagging,
};

/** The settings of a fault as they are read. */
interface Settings extends Omit<Fault, 'kind' | 'targets'> {
  readonly operation?: Target;
  readonly reads?: keyof typeof laggingReads;
}

/** The field of each setting, and its value; `undefined` for a wrong one. */
const settings: Readonly<Record<string, readonly [keyof Settings, (text: string) => unknown]>> = {
  rate: ['rate', (text) => (/^\d+(\.\d+)?$/.test(text) ? numberIn(text, Number.MIN_VALUE, 1) : undefined)],
  nth: ['nth', (text) => countFrom(1, text)],
  times: ['times', (text) => countFrom(1, text)],
  method: ['method', (text) => keyOf(methods, text.toUpperCase())],
  operation: ['operation', (text) => keyOf(targets, text)],
  'retry-after': ['retryAfterSeconds', (text) => countFrom(0, text)],
  ms: ['delayMs', (text) => countFrom(0, text)],
  reads: ['reads', (text) => keyOf(laggingReads, text)],
};

const limits = ['rate', 'nth', 'times', 'method', 'operation'];

/** The settings of a kind in addition to `limits`. */
const further: Partial<Record<FaultKind, readonly string[]>> = {
  '429': ['retry-after'],
  '503': ['retry-after'],
  lag: ['ms', 'reads'],
};

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
      `Kinds: ${Object.keys(faultKinds).join(', ')}.`,
    );
  const text = rest.join(':');
  const parts = text === '' ? [] : text.split(',').map((part) => parsePart(part, spec, kind));
  const given: Settings = Object.assign({}, ...parts);
  const { operation, reads = 'all', ...fields } = given;
  const late: readonly Target[] | undefined = kind === 'lag' ? laggingReads[reads] : undefined;
  const isLagging = late === undefined || operation === undefined || late.includes(operation);
  if (!isLagging) throw badFault(spec, `${operation} does not lag`);
  const hit = operation === undefined ? late : [operation];
  return { kind, ...fields, ...(hit === undefined ? {} : { targets: hit }) };
}

function parsePart(part: string, spec: string, kind: FaultKind): Settings {
  const [key = '', ...rest] = part.split('=');
  const known = [...limits, ...(further[kind] ?? [])];
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (setting === undefined || !known.includes(key)) {
    const what = setting === undefined ? 'a fault' : kind;
    throw badFault(
      spec,
      `${quote(key)} is not a setting of ${what}`,
      `Settings of ${kind}: ${known.join(', ')}.`,
    );
  }
  const [field, parse] = setting;
  const text = rest.join('=');
  const value = parse(text);
  if (value !== undefined) return { [field]: value };
  throw badFault(spec, `${quote(part)} is not a valid setting`);
}

function badFault(spec: string, reason: string, hint = 'See: innctl sandbox serve --help'): CliError {
  return usageError(`Cannot read the fault ${quote(spec)}: ${reason}.`, hint);
}

function countFrom(least: number, text: string): number | undefined {
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
