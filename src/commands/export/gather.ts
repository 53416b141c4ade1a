import { usableId } from '../../change/listing.ts';
import { mapEach } from '../../change/workers.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { putAt } from '../../files/cells.ts';
import { type Entry, kindText, shownEntry, tidy } from '../../files/entry.ts';
import { type EntryDialect, openJudge } from '../../files/judge.ts';
import { newerRoles, roleFields, rolesByProperty, rolesOf, shownProperties } from '../../model/access.ts';
import {
  furtherPropertyFields,
  type PropertyField,
  propertyFields,
  valueProblems,
} from '../../model/property-fields.ts';
import { groupBy, isRecord, type Page, type ServiceRecord, valueAt } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { capitalised, inCodeUnits, quote, sameName } from '../../model/text.ts';
import { takes } from '../../service/dialect.ts';
import { WireFailure } from '../../service/failures.ts';
import { readWhole } from '../../service/paging.ts';
import type { Api } from '../../service/service.ts';
import { suggestProperty } from '../properties/reference.ts';
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
  const alike = groupBy(entries, ({ kind, name }) => `${kind === 'property'}:${sameName(name)}`);
  return [...alike.values()].map(([first, ...others]) => {
    const different = others.filter((entry) => JSON.stringify(entry) !== JSON.stringify(first));
    for (const entry of different) report.leaveOut(entry, `the service has ${first.name} as well`);
    return first;
  });
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
async function gatherInvitations(ids: Ids, { invitations, dialect }: Api, report: Report) {
  const lists = ids?.map((id) => invitations.listAll({ property_id: id })) ?? [invitations.listAll()];
  const records = await report.recordsIn(lists, 'invitations');
  return records.map((record) => invitationFrom(record, dialect, report));
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
  const shared = groupBy([...invitations.map(({ fields }) => fields), ...records], emailIn);
  return records.flatMap((record) => {
    const [, another] = shared.get(emailIn(record)) ?? [];
    const name = String(record['email'] ?? '');
    return report.kept({ kind: 'user', name }, userFrom(record, another === undefined, dialect));
  });
}

/** @returns the entry, or why there is none. */
function invitationFrom(record: ServiceRecord, dialect: Further, report: Report): Entry {
  const email = String(record['email']);
  const properties = shownProperties(record);
  const fields = {
    email,
    ...(takes(dialect, 'createInvitation', 'roles')
      ? roleFields(newerRoles(record))
      : { role: oneRole(record, email, report) }),
    properties: properties.length === 0 ? undefined : inOrder(properties),
    is_account_admin: record['is_account_admin'] === true ? true : undefined,
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
  const isNamed = isUnique && typeof email === 'string' && emailProblem(email) === undefined;
  const byEmail = isNamed ? email : undefined;
  const byId = usableId(id);
  const name = byEmail ?? byId;
  if (name === undefined) return 'neither its e-mail address nor its subject id can be used in a manifest';
  const fields = {
    ...(byEmail === undefined ? { subject_id: byId } : { email: byEmail }),
    ...moreOf(record, dialect),
    properties: inOrder(shownProperties(record)),
    property_roles: propertyRoles(record),
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
  };
  return shownEntry('user', name, fields);
}

/** The roles at each property, where the service shows them. A user without properties needs none. */
function propertyRoles({ properties, property_roles: shown }: ServiceRecord): unknown {
  const roles = rolesByProperty(shown);
  if (roles === undefined || (roles.size === 0 && [properties].flat().length === 0)) return undefined;
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
const inOrder = (ids: readonly string[]) => ids.toSorted(inCodeUnits);

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
  let inARow = 0;
  const found = await mapEach(wanted, workers, async (id) => {
    // In all languages, which the contract returns by default.
    const reading = api.properties.read(id, api.dialect.allLanguages);
    try {
      const record = await (ids === undefined ? reading : reading.catch(suggestProperty(api, id)));
      inARow = 0;
      return { id, record };
    } catch (cause) {
      // A property requested by id must exist.
      const isMistake = cause instanceof CliError && ids !== undefined && cause.code === 'not_found';
      if (!(cause instanceof CliError) || isFatal(cause) || isMistake) throw cause;
      inARow = cause.exitCode === ExitCode.unavailable ? inARow + 1 : 0;
      if (inARow === MOST_IN_A_ROW) throw cause;
      return { id, record: cause };
    }
  });
  return found.flatMap(({ id, record }) => {
    const entry = record instanceof CliError ? record : entryFrom(record, api.dialect.propertyFields);
    return report.kept({ kind: 'property', name: id }, entry).map((kept) => ({ id, entry: kept }));
  });
}

async function listedIds({ properties }: Api, report: Report): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const { id: shown } of await report.recordsIn([properties.listAll()], 'properties')) {
    const id = usableId(shown);
    if (id !== undefined) ids.add(id);
    else
      report.leaveOut({ kind: 'property', name: String(shown) }, 'the service lists it without a usable id');
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
function entryFrom(found: ServiceRecord, known: readonly PropertyField[]): Entry | string {
  const { code } = found;
  if (typeof code !== 'string' || code.trim() === '') return 'it has no code';
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
    const keep = (record: ServiceRecord) => records.push(record);
    for (const pages of lists)
      await readWhole(pages, plural, keep).catch((cause: unknown) => {
        if (!(cause instanceof CliError) || cause.code !== 'incomplete_list') throw cause;
        this.gaps.push(`further ${plural}`);
        this.warnings.push(cause.message);
      });
    return records;
  }
}

/** A record at the start of a sentence: `Property "BER"`. */
function titleOf({ kind, name }: Pick<Entry, 'kind' | 'name'>): string {
  return `${capitalised(kindText(kind))} ${name === '' ? 'without a name' : quote(name)}`;
}
