import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import {
  newerRoles,
  roleFields,
  rolesByProperty,
  rolesOf,
  shownProperties,
  withPropertyIds,
} from '../../model/access.ts';
import {
  furtherPropertyFields,
  type PropertyField,
  propertyFields,
  valueProblems,
} from '../../model/property-fields.ts';
import { isRecord, type Page, type ServiceRecord, valueAt } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { capitalised, inCodeUnits, quote, sameName } from '../../model/text.ts';
import { putAt } from '../../seed/cells.ts';
import { type Entry, kindText, shownEntry, tidy } from '../../seed/entry.ts';
import { type EntryDialect, openJudge } from '../../seed/judge.ts';
import { eachOf } from '../../seed/workers.ts';
import { takes } from '../../service/dialect.ts';
import { WireFailure } from '../../service/failures.ts';
import { readWhole } from '../../service/paging.ts';
import { idProblem } from '../../service/path.ts';
import type { Api } from '../../service/service.ts';
import { suggestProperty } from '../properties/get.ts';
import type { Wanted } from './export.ts';
import { gatherInventory } from './inventory.ts';

/** The content of the service as entries of a manifest. */
export type Gathered = Awaited<ReturnType<typeof gather>>;

/**
 * Reads the requested records, as entries sorted by kind, then by code or e-mail address.
 *
 * @param workers number of properties read in parallel.
 * @throws {CliError} the first failure, if nothing could be read.
 */
export async function gather({ kinds, ids, inventory, times }: Wanted, api: Api, workers: number) {
  const report = new Report();
  const found = kinds.includes('property') ? await gatherProperties(ids, api, workers, report) : [];
  const properties = found.map(({ entry: { fields, ...entry } }) =>
    shownEntry('property', entry.name, { ...times, ...fields }),
  );
  const rented = inventory ? await gatherInventory(found, ids === undefined, api, workers, report) : [];
  const invitations = kinds.includes('invitation') ? await gatherInvitations(ids, api, report) : [];
  const users = kinds.includes('user') ? await gatherUsers(ids, invitations, api, report) : [];
  const sorted = [properties, invitations, users].flatMap((each) =>
    each.toSorted((one, other) => inCodeUnits(one.name, other.name)),
  );
  const all = [...withoutDuplicates(sorted, report), ...rented];
  const entries = writable(all, report, api.dialect);
  if (entries.length === 0 && report.failure !== undefined) throw report.failure;
  return { entries, report };
}

/** Drops duplicates, which a manifest must not contain. A person is listed once per requested property. */
function withoutDuplicates(entries: readonly Entry[], report: Report): readonly Entry[] {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const key = `${entry.kind === 'property'}:${sameName(entry.name)}`;
    const first = seen.get(key) ?? entry;
    seen.set(key, first);
    if (JSON.stringify(first) !== JSON.stringify(entry))
      report.leaveOut(entry, `the service has ${first.name} as well`);
  }
  return [...seen.values()];
}

/** Exports invalid entries too, with a warning: they are the content of the service, and the file can be corrected. */
function writable(entries: readonly Entry[], report: Report, dialect: EntryDialect): readonly Entry[] {
  const judge = openJudge(dialect);
  return entries.filter((entry) => {
    const { kind, place, fields } = entry;
    if (kind === 'user' && Object.keys(fields).every((field) => ['email', 'subject_id'].includes(field))) {
      report.leaveOut(entry, 'the service returns none of its manifest fields');
      return false;
    }
    const problems = judge({ place, kind, value: fields }).problems.map(({ field, reason }) =>
      field === undefined ? reason : `${field}: ${reason}`,
    );
    if (problems.length > 0)
      report.warnings.push(
        `${titleOf(entry)} is exported, but apply would reject it: ${problems.join('; ')}.`,
      );
    return true;
  });
}

type Ids = readonly string[] | undefined;
type Further = Pick<Api['dialect'], 'further'>;

/**
 * The invitations as entries.
 *
 * @param ids only invitations to one of these properties: the service filters by one at a time.
 */
async function gatherInvitations(
  ids: Ids,
  { invitations, dialect }: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const lists = ids?.map((id) => invitations.listAll({ property_id: id })) ?? [invitations.listAll()];
  const records = await report.recordsIn(lists, 'invitations');
  return records.flatMap((record) =>
    report.kept({ kind: 'invitation', name: '' }, invitationFrom(record, dialect, report)),
  );
}

/**
 * The users as entries, identified by e-mail address if it is unique.
 *
 * @param ids only users with one of these properties.
 * @param invitations of the same manifest, which may contain an address only once.
 */
async function gatherUsers(
  ids: Ids,
  invitations: readonly Entry[],
  { users, dialect }: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const records = await report.recordsIn([users.listAll({ property_ids: ids })], 'users');
  const taken = new Map<string, number>(invitations.map(({ name }) => [sameName(name), 1]));
  for (const email of records.map(emailIn)) taken.set(email, (taken.get(email) ?? 0) + 1);
  return records.flatMap((record) => {
    const { email } = record;
    const isUnique = taken.get(emailIn(record)) === 1;
    const name = typeof email === 'string' ? email : '';
    return report.kept({ kind: 'user', name }, userFrom(record, isUnique, dialect));
  });
}

/** @returns the entry, or why there is none. */
function invitationFrom(record: ServiceRecord, dialect: Further, report: Report): Entry | string {
  const { email, is_account_admin: isAdmin } = record;
  if (typeof email !== 'string' || email.trim() === '') return 'the service does not show its e-mail address';
  const { properties } = withPropertyIds(record);
  const isEmpty = Array.isArray(properties) && properties.length === 0;
  const fields = {
    email,
    ...(takes(dialect, 'createInvitation', 'roles')
      ? roleFields(newerRoles(record))
      : { role: oneRole(record, email, report) }),
    properties: isEmpty ? undefined : inOrder(properties),
    is_account_admin: isAdmin === true ? true : undefined,
  };
  return shownEntry('invitation', email, fields);
}

/** A manifest for the contract has one role, like the request that invites. */
function oneRole(record: ServiceRecord, email: string, report: Report): string | undefined {
  const roles = rolesOf(record);
  const [first] = roles;
  if (first !== undefined && roles.length > 1 && record['role'] !== first) {
    const title = titleOf({ kind: 'invitation', name: email });
    report.warnings.push(
      `${title} has ${roles.length} roles, but the export contains only the first one: ${quote(first)}.`,
    );
  }
  return first;
}

/** @returns the entry, or why there is none. */
function userFrom(record: ServiceRecord, isUnique: boolean, dialect: Further): Entry | string {
  const { email, subject_id: id, enabled } = record;
  const byEmail =
    isUnique && typeof email === 'string' && emailProblem(email) === undefined ? email : undefined;
  const byId = typeof id === 'string' && idProblem(id) === undefined ? id : undefined;
  const name = byEmail ?? byId;
  if (name === undefined) return 'neither its e-mail address nor its subject id can be used in a manifest';
  const fields = {
    ...(byEmail === undefined ? { subject_id: byId } : { email: byEmail }),
    ...moreOf(record, dialect),
    properties: record['properties'] === undefined ? undefined : inOrder(shownProperties(record)),
    property_roles: propertyRoles(record),
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
  };
  return shownEntry('user', name, fields);
}

/** The roles at each property, if all can be read. A user without properties needs none. */
function propertyRoles({ properties, property_roles: shown }: ServiceRecord): unknown {
  const roles = rolesByProperty(shown);
  if (roles === undefined || [...roles.values()].includes(undefined)) return undefined;
  if (roles.size === 0 && Array.isArray(properties) && properties.length === 0) return undefined;
  return [...roles]
    .toSorted(([one], [other]) => inCodeUnits(one, other))
    .map(([id, names]) => ({ id, roles: inOrder([...new Set(names)]) }));
}

/** Further fields of a user that the dialect can change: texts and booleans. */
function moreOf(record: ServiceRecord, { further }: Further): ServiceRecord {
  const fields = (further.updateUser ?? []).map((field) => [field, record[field]] as const);
  return Object.fromEntries(fields.filter(([, value]) => ['string', 'boolean'].includes(typeof value)));
}

/** Sorted: the order of properties has no meaning, and the service may change it. */
function inOrder(ids: unknown): unknown {
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids.toSorted(inCodeUnits) : ids;
}

function emailIn({ email }: ServiceRecord): string {
  return typeof email === 'string' ? sameName(email) : '';
}

/** A property that is exported. */
export interface FoundProperty {
  readonly id: string;
  readonly entry: Entry;
}

/** After this many consecutive failures the export stops. */
const MOST_IN_A_ROW = 10;

/** Writable fields beyond the contract. A bank account is one value: its fields are exported together. */
const furtherPaths = furtherPropertyFields.map(({ path }) => (path[0] === 'bank_account' ? [path[0]] : path));

/**
 * The properties of the account as entries, each read individually.
 *
 * @param ids only these, each of which must exist. Default: all.
 */
async function gatherProperties(
  ids: readonly string[] | undefined,
  api: Api,
  workers: number,
  report: Report,
): Promise<readonly FoundProperty[]> {
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
  return wanted.flatMap((id) =>
    report
      .kept({ kind: 'property', name: id }, entryFrom(found.get(id) ?? {}, known))
      .map((entry) => ({ id, entry })),
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
  for (const { path } of propertyFields) putAt(fields, path, asText(valueAt(record, path)));
  for (const path of furtherPaths) {
    const value = valueAt(record, path);
    putAt(isTaken(path.join('.'), value, known) ? fields : extra, path, value);
  }
  return shownEntry('property', code, { ...fields, extra });
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

/** What is wrong with an export. */
export class Report {
  readonly warnings: string[] = [];
  /** Records that are or may be missing, as kind and name. */
  readonly gaps: string[] = [];
  /** Number of records left out. */
  leftOut = 0;
  /** The first failure to read a record. */
  failure: CliError | undefined;

  /** What was made of a record, if it is not a reason to leave it out. */
  kept<Made extends object>(
    record: Pick<Entry, 'kind' | 'name'>,
    entry: Made | CliError | string,
  ): readonly Made[] {
    if (typeof entry === 'object' && !(entry instanceof CliError)) return [entry];
    this.leaveOut(record, entry);
    return [];
  }

  /** Leaves a record out, with the reason. */
  leaveOut(record: Pick<Entry, 'kind' | 'name'>, why: string | CliError): void {
    this.leftOut += 1;
    this.gaps.push(titleOf(record));
    if (why instanceof CliError && why.code !== 'not_found') this.failure ??= why;
    const reason = why instanceof CliError ? why.message.replace(/\.$/, '') : why;
    this.warnings.push(`${titleOf(record)} is left out: ${reason}.`);
  }

  /** The records of lists; warns where some may be missing. */
  async recordsIn(lists: readonly AsyncIterable<Page>[], plural: string): Promise<readonly ServiceRecord[]> {
    const records: ServiceRecord[] = [];
    for (const pages of lists) {
      const doubt = await readWhole(pages, plural, (record) => records.push(record));
      if (doubt === undefined) continue;
      this.gaps.push(`further ${plural}`);
      this.warnings.push(`${capitalised(plural)} may be missing: ${doubt}.`);
    }
    return records;
  }
}

/** A record at the start of a sentence: `Property "BER"`. */
function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  return `${capitalised(kindText(kind))} ${name === '' ? 'without a name' : quote(name)}`;
}
