import { type CliError, usageError } from '../../cli/errors.ts';
import { didYouMean, nearest } from '../../model/names.ts';
import { quote } from '../../model/text.ts';
import { type Fault, type FaultKind, faultKinds, type Target } from '../../sandbox/faults.ts';
import { operations } from '../../service/operations.ts';

const methods = { GET: true, HEAD: true, POST: true, PATCH: true, PUT: true, DELETE: true } as const;
const targets: Readonly<Record<Target, unknown>> = { ...operations, token: undefined };

const laggingLists: readonly Target[] = [
  ...(['listProperties', 'countProperties', 'listInvitations'] as const),
  ...(['listUnitGroups', 'countUnitGroups', 'listUnits', 'countUnits', 'listUnitAttributes'] as const),
];
const laggingRecords: readonly Target[] = [
  ...(['getProperty', 'propertyExists', 'getUnitGroup', 'unitGroupExists'] as const),
  ...(['getUnit', 'unitExists', 'getUnitAttribute', 'unitAttributeExists'] as const),
];

/** The operations that lag, by the value of reads=. */
const laggingReads: Readonly<Record<'lists' | 'records' | 'all', readonly Target[]>> = {
  lists: laggingLists,
  records: laggingRecords,
  all: [...laggingLists, ...laggingRecords],
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
      choices(name, Object.keys(faultKinds), 'Kinds'),
    );
  const text = rest.join(':');
  const parts = text === '' ? [] : text.split(',').map((part) => parsePart(part, spec, kind));
  const given: Settings = Object.assign({}, ...parts);
  const { operation, reads = 'all', ...fields } = given;
  const lagging: readonly Target[] | undefined = kind === 'lag' ? laggingReads[reads] : undefined;
  if (lagging !== undefined && operation !== undefined && !lagging.includes(operation))
    throw badFault(spec, `${operation} does not lag`, `Operations: ${lagging.join(', ')}.`);
  if (lagging !== undefined && (fields.method ?? 'GET') !== 'GET')
    throw badFault(spec, `${fields.method} does not lag`, 'Only reads lag: leave method= out.');
  const hit = operation === undefined ? lagging : [operation];
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
      choices(key, known, `Settings of ${kind}`),
    );
  }
  const [field, parse] = setting;
  const text = rest.join('=');
  const value = parse(text);
  if (value !== undefined) return { [field]: value };
  const hint = key === 'reads' ? choices(text, Object.keys(laggingReads), 'Reads') : undefined;
  throw badFault(spec, `${quote(part)} is not a valid setting`, hint);
}

function choices(text: string, all: readonly string[], what: string): string {
  return didYouMean(nearest(text, all)) ?? `${what}: ${all.join(', ')}.`;
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
