import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type PropertyField, propertyFields, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { type Entry, shownEntry, tidy } from '../../seed/entry.ts';
import { eachOf } from '../../seed/workers.ts';
import { WireFailure } from '../../service/failures.ts';
import { idProblem } from '../../service/path.ts';
import type { Api } from '../../service/service.ts';
import { suggestProperty } from '../properties/get.ts';
import type { Report } from './report.ts';

/** After this many consecutive failures the export stops. */
const MOST_IN_A_ROW = 10;

/** Writable fields beyond the contract. A bank account is one value: its fields are exported together. */
const furtherPaths: readonly (readonly string[])[] = [
  ['description'],
  ['managing_directors'],
  ['bank_account'],
  ['payment_terms'],
  ['location', 'address_line2'],
  ['location', 'region_code'],
];

/**
 * The properties of the account as entries, each read individually.
 *
 * @param ids only these, each of which must exist. Default: all.
 */
export async function gatherProperties(
  ids: readonly string[] | undefined,
  api: Api,
  workers: number,
  report: Report,
): Promise<readonly Entry[]> {
  const wanted = ids ?? (await listedIds(api, report));
  const found = new Map<string, ServiceRecord | CliError>();
  let inARow = 0;
  await eachOf(wanted, workers, async (id) => {
    // In all languages, which the contract returns by default.
    const reading = api.properties.read(id, api.dialect.allLanguages);
    try {
      found.set(id, await (ids === undefined ? reading : reading.catch(suggestProperty(api, id))));
      inARow = 0;
    } catch (cause) {
      // A property requested by id must exist.
      const isMistake = cause instanceof CliError && ids !== undefined && cause.code === 'not_found';
      if (!(cause instanceof CliError) || isFatal(cause) || isMistake) throw cause;
      inARow = cause.exitCode === ExitCode.unavailable ? inARow + 1 : 0;
      if (inARow === MOST_IN_A_ROW) throw cause;
      found.set(id, cause);
    }
  });
  const { propertyFields: known } = api.dialect;
  return wanted.flatMap((name) =>
    report.kept({ kind: 'property', name }, entryFrom(found.get(name) ?? {}, known)),
  );
}

async function listedIds({ properties }: Api, report: Report): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const { id: shown } of await report.recordsIn([properties.listAll()], 'properties')) {
    const id = typeof shown === 'number' ? String(shown) : shown;
    const name = typeof id === 'string' ? id : '';
    if (typeof id === 'string' && idProblem(id) === undefined) ids.add(id);
    else report.leaveOut({ kind: 'property', name }, 'the service lists it without a usable id');
  }
  return [...ids];
}

/** Whether all further requests would fail too: credentials, rate limit, time limit. */
function isFatal({ exitCode, code, cause }: CliError): boolean {
  if (exitCode === ExitCode.notLoggedIn || code === 'rate_limited') return true;
  return code === 'timeout' && !(cause instanceof WireFailure);
}

/**
 * @param known all manifest fields of a property at this service.
 * @returns the entry, or why there is none.
 */
function entryFrom(
  found: ServiceRecord | CliError,
  known: readonly PropertyField[],
): Entry | CliError | string {
  if (found instanceof CliError) return found;
  const { code } = found;
  if (typeof code !== 'string' || code.trim() === '') return 'the service does not show its code';
  const record = tidy(found);
  const fields: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const { path } of propertyFields) put(fields, path, asText(valueAt(record, path)));
  for (const path of furtherPaths) {
    const value = valueAt(record, path);
    put(isTaken(path.join('.'), value, known) ? fields : extra, path, value);
  }
  return shownEntry('property', code, { ...fields, extra });
}

function put(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [outer = '', inner] = path;
  record[outer] = inner === undefined ? value : { ...Object(record[outer]), [inner]: value };
}

/** Every plain field of the contract is a text: a number from the service becomes its digits. */
function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

/** Whether the manifest has a field at this path for the value, or for an object of such fields. Others go to `extra`. */
function isTaken(path: string, value: unknown, known: readonly PropertyField[]): boolean {
  const field = known.find((each) => each.path.join('.') === path);
  if (field !== undefined) return valueProblems(field, value, path).length === 0;
  if (!isRecord(value)) return false;
  const inner = Object.entries(value).map(([name, each]) => isTaken(`${path}.${name}`, each, known));
  return inner.length > 0 && inner.every(Boolean);
}
