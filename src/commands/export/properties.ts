import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type PropertyField, propertyFields, valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { type Entry, shownEntry, tidy } from '../../seed/entry.ts';
import { eachOf } from '../../seed/workers.ts';
import { WireFailure } from '../../service/failures.ts';
import { readWhole } from '../../service/paging.ts';
import { idProblem } from '../../service/path.ts';
import type { Api } from '../../service/service.ts';
import { suggestProperty } from '../properties/get.ts';
import { noteLeftOut, noteMissing, type Report } from './report.ts';

/** After this many consecutive failures the export stops. */
const MOST_IN_A_ROW = 10;

/** Writable fields beyond the contract. */
const extraFields = ['description', 'managing_directors', 'bank_account', 'payment_terms'];
const extraInLocation = ['address_line2', 'region_code'];

const atTop = propertyFields.flatMap(({ path }) => (path.length === 1 ? [path[0]] : []));
const inLocation = propertyFields.flatMap(({ path }) => (path.length === 2 ? [path[1]] : []));

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
    const reading = readInFull(id, api);
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
  return wanted.flatMap((id) => entryFrom(id, found.get(id), known, report));
}

async function listedIds({ properties }: Api, report: Report): Promise<readonly string[]> {
  const ids = new Set<string>();
  const doubt = await readWhole(properties.listAll(), 'properties', ({ id: shown }) => {
    const id = typeof shown === 'number' ? String(shown) : shown;
    const name = typeof id === 'string' ? id : '';
    if (typeof id === 'string' && idProblem(id) === undefined) ids.add(id);
    else noteLeftOut(report, { kind: 'property', name }, 'the service lists it without a usable id');
  });
  if (doubt !== undefined) noteMissing(report, 'properties', doubt);
  return [...ids];
}

/** Whether all further requests would fail too: credentials, rate limit, time limit. */
function isFatal({ exitCode, code, cause }: CliError): boolean {
  if (exitCode === ExitCode.notLoggedIn || code === 'rate_limited') return true;
  return code === 'timeout' && !(cause instanceof WireFailure);
}

/** In all languages, which the contract returns by default. */
function readInFull(id: string, { properties, dialect }: Api): Promise<ServiceRecord> {
  return properties.read(id, dialect.allLanguages);
}

/** @param known all manifest fields of a property at this service. */
function entryFrom(
  id: string,
  found: ServiceRecord | CliError | undefined,
  known: readonly PropertyField[],
  report: Report,
): readonly Entry[] {
  const leaveOut = (why: string | CliError): readonly Entry[] => {
    noteLeftOut(report, { kind: 'property', name: id }, why);
    return [];
  };
  if (found === undefined) return [];
  if (found instanceof CliError) return leaveOut(found);
  const { code, location } = pick(found, [...atTop, 'location']);
  if (typeof code !== 'string' || code.trim() === '') return leaveOut('the service does not show its code');
  const top = parted(tidy(pick(found, extraFields)), '', known);
  const inner = parted(tidy(pick(location, extraInLocation)), 'location.', known);
  const fields = {
    ...{ ...texts(pick(found, atTop)), ...top.taken },
    location: { ...texts(pick(location, inLocation)), ...inner.taken },
    extra: { ...top.left, location: inner.left },
  };
  return [shownEntry('property', code, fields)];
}

/**
 * Splits a record into manifest fields and `extra`, which takes everything else, such as multi-line texts.
 *
 * @param place prefix of the names, with a dot.
 */
function parted(record: ServiceRecord, place: string, known: readonly PropertyField[]) {
  const taken = Object.entries(record).filter(([name, value]) => isTaken(`${place}${name}`, value, known));
  const names = new Set(taken.map(([name]) => name));
  const left = Object.entries(record).filter(([name]) => !names.has(name));
  return { taken: Object.fromEntries(taken), left: Object.fromEntries(left) };
}

/** Whether the manifest has a field at this path for the value, or for an object of such fields. */
function isTaken(path: string, value: unknown, known: readonly PropertyField[]): boolean {
  const field = known.find((each) => each.path.join('.') === path);
  if (field !== undefined) return valueProblems(field, value, path).length === 0;
  if (!isRecord(value)) return false;
  const inner = Object.entries(value).map(([name, each]) => isTaken(`${path}.${name}`, each, known));
  return inner.length > 0 && inner.every(Boolean);
}

function pick(record: unknown, names: readonly string[]): ServiceRecord {
  if (!isRecord(record)) return {};
  const own = names.filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(own.map((name) => [name, record[name]]));
}

/** Every plain field of the contract is a text: a number from the service stands for its digits. */
function texts(record: ServiceRecord): ServiceRecord {
  const entries = Object.entries(record);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );
}
