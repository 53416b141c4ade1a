import { idIn, nameOf, usableId } from '../../change/listing.ts';
import { READERS } from '../../change/workers.ts';
import { putAt } from '../../files/cells.ts';
import { bodyOf, type Entry, missingToCreate, shownEntry, tidy } from '../../files/entry.ts';
import { type EntryDialect, openJudge } from '../../files/judge.ts';
import {
  adminFlag,
  hasFullAccess,
  newerRoles,
  placedRoles,
  roleFields,
  rolesByProperty,
  shownProperties,
} from '../../model/access.ts';
import { valueProblems } from '../../model/field-values.ts';
import { canonical } from '../../model/json-text.ts';
import { type Field, isFurther, isInventory, type Kind, kindTable, timeFields } from '../../model/kinds.ts';
import { expandNames, foldRanges, mostNames } from '../../model/ranges.ts';
import { chunksOf, groupBy, isRecord, recordsIn, type ServiceRecord, valueAt } from '../../model/records.ts';
import { andList, emailProblem, inCodeUnits, sameName } from '../../model/text.ts';
import { accessText, byRoles } from '../../people/onboard.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { Api } from '../../service/service.ts';
import type { Session } from '../../session/session.ts';
import { suggestReference } from '../options.ts';
import { properties } from '../properties/reference.ts';
import { Report, titleOf } from './export.ts';

/** What to export. */
export interface Wanted {
  /** Without duplicates, in the order of a manifest. */
  readonly kinds: readonly Kind[];
  /** Only these properties and their people. */
  readonly ids: readonly string[] | undefined;
  /** Also what the properties rent out. */
  readonly inventory: boolean;
  /** Fields for every property that services never show. */
  readonly times: ServiceRecord;
  /** What users are written as. */
  readonly peopleAs: 'users' | 'invitations';
}

/**
 * Reads the requested records, as entries sorted by kind, then by code or e-mail address.
 *
 * @throws {CliError} the first failure, if nothing could be read.
 */
export async function gather({ kinds, ids, inventory, times, peopleAs }: Wanted, { api, pace }: Session) {
  await pace({ concurrency: READERS });
  const report = new Report();
  const found = kinds.includes('property') ? await readProperties(ids, api, report) : [];
  const properties = found.map(({ made: { name, fields } }) =>
    shownEntry('property', name, { ...times, ...fields }),
  );
  const rented = inventory ? await inventoryOf(found, ids === undefined, api, report) : [];
  const invitations = kinds.includes('invitation') ? await invitationsOf(ids, api, report) : [];
  const users = kinds.includes('user') ? await usersOf(ids, invitations, peopleAs, api, report) : [];
  const people =
    peopleAs === 'invitations' ? [[...invitations, ...users].map(byCodes(found))] : [invitations, users];
  const all = [...[properties, ...people].flatMap(inOrder), ...rented];
  const entries = withoutDuplicates(all, report);
  warnOfRefused(entries, report, api.dialect);
  if (entries.length === 0 && report.failure !== undefined) throw report.failure;
  return { entries, report };
}

/** The same invitation to properties by their codes: another account has other ids. */
function byCodes(properties: readonly FoundProperty[]) {
  const codes = new Map(properties.map(({ name: id, made }) => [id, made.name]));
  return ({ kind, name, fields }: Entry): Entry => {
    const ids = fields['properties'];
    const named = Array.isArray(ids) ? sorted(ids.map((id) => codes.get(id) ?? id)) : undefined;
    return shownEntry(kind, name, { ...fields, properties: named });
  };
}

function inOrder<Each extends { readonly name: string }>(entries: readonly Each[]): readonly Each[] {
  return entries.toSorted((one, other) => inCodeUnits(one.name, other.name));
}

/** Drops duplicates, which a manifest must not contain. A person is listed once per requested property. */
function withoutDuplicates(entries: readonly Entry[], report: Report): readonly Entry[] {
  const groupOf = ({ kind }: Entry) => (kind === 'user' || kind === 'invitation' ? 'person' : kind);
  const alike = groupBy(entries, (entry) => `${groupOf(entry)}:${sameName(entry.name)}`);
  return [...alike.values()].map(([first, ...others]) => {
    const isOther = (entry: Entry) => isInventory(entry.kind) || canonical(entry) !== canonical(first);
    for (const entry of others.filter(isOther))
      report.leaveOut(entry, `the service has ${first.name} as well`);
    return first;
  });
}

/** Invalid entries are exported too, with a warning: they are the content of the service, and the file can be corrected. */
function warnOfRefused(entries: readonly Entry[], report: Report, dialect: EntryDialect): void {
  const judge = openJudge(dialect);
  for (const entry of entries) {
    const { kind, place, fields } = entry;
    const lacking = kind === 'property' ? missingToCreate(kind, bodyOf(entry), dialect) : [];
    const problems = [
      ...judge({ place, kind, value: fields }).problems,
      // Of the times of day no service shows any.
      ...lacking
        .filter((name) => !timeFields.includes(name))
        .map((field) => ({ field, reason: 'is missing' })),
    ].map(({ field, reason }) => (field === undefined ? reason : `${field}: ${reason}`));
    if (problems.length > 0)
      report.warnings.push(
        `${titleOf(entry)} is exported, but apply would reject it: ${problems.join('; ')}.`,
      );
  }
}

type Ids = Wanted['ids'];
type Further = Pick<Api['dialect'], 'further'>;

/** @param ids only invitations to one of these properties: the service filters by one at a time. */
async function invitationsOf(ids: Ids, { invitations }: Api, report: Report) {
  const lists = ids?.map((id) => invitations.listAll({ property_id: id })) ?? [invitations.listAll()];
  return (await report.listed('invitations', ...lists)).map((record) => {
    const email = String(record['email']);
    const properties = shownProperties(record);
    return shownEntry('invitation', email, {
      email,
      ...roleFields(newerRoles(record)),
      properties: properties.length === 0 ? undefined : sorted(properties),
      [adminFlag]: record[adminFlag] === true ? true : undefined,
    });
  });
}

/**
 * The users, identified by e-mail address if it is unique.
 *
 * @param ids only users with one of these properties.
 * @param invitations of the same manifest, which may contain an address only once.
 */
async function usersOf(
  ids: Ids,
  invitations: readonly Entry[],
  peopleAs: Wanted['peopleAs'],
  { users, dialect }: Api,
  report: Report,
) {
  const isInvited = peopleAs === 'invitations';
  const listed = await report.listed('users', users.listAll({ property_ids: ids }));
  const records = isInvited ? listed.filter(({ enabled }) => enabled !== false) : listed;
  report.disabled = listed.length - records.length;
  const shared = groupBy([...invitations.map(({ fields }) => fields), ...records], emailIn);
  return records.flatMap((record) => {
    const isUnique = shared.get(emailIn(record))?.length === 1;
    const name = String(record['email'] ?? record['subject_id'] ?? '');
    const made = isInvited ? invitationFrom(record, dialect) : userFrom(record, isUnique, dialect);
    return report.kept({ kind: 'user', name }, made);
  });
}

function emailIn({ email }: ServiceRecord): string {
  return typeof email === 'string' ? sameName(email) : '';
}

/** @returns the entry, or why there is none. */
function userFrom(record: ServiceRecord, isUnique: boolean, { further }: Further): Entry | string {
  const { email, enabled } = record;
  const isNamed = isUnique && typeof email === 'string' && emailProblem(email) === undefined;
  const name = isNamed ? email : usableId(record['subject_id']);
  if (name === undefined) return 'neither its e-mail address nor its subject id can be used in a manifest';
  const more = (further.updateUser ?? []).map((field) => [field, record[field]] as const);
  return shownEntry('user', name, {
    [isNamed ? 'email' : 'subject_id']: name,
    ...Object.fromEntries(more.filter(([, value]) => ['string', 'boolean'].includes(typeof value))),
    properties: sorted(shownProperties(record)),
    [placedRoles]: rolesAtEach(record),
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
  });
}

/** @returns the entry, or why there is none. An invitation has the same roles at all of its properties; an account admin needs none. */
function invitationFrom(record: ServiceRecord, dialect: Dialect): Entry | string {
  const { email } = record;
  if (typeof email !== 'string' || emailProblem(email) !== undefined)
    return 'it has no e-mail address to invite';
  const isAdmin = hasFullAccess(record);
  const shown = rolesByProperty(record[placedRoles]);
  const rolesAt = (property: string) => sorted([...new Set(shown?.get(property))]);
  const placed = sorted(shownProperties(record)).map((property) => ({ property, roles: rolesAt(property) }));
  const [access, other] = byRoles(placed);
  const isOne = other === undefined;
  if (!isOne && !isAdmin)
    return `an invitation has the same roles at all properties, not ${byRoles(placed).map(accessText).join('; ')}`;
  const { roles = [], properties } = (isOne && access) || {};
  if (roles.length > 1 && !takes(dialect, 'createInvitation', 'roles'))
    return `an invitation has one role in the dialect ${dialect.name}, not ${andList(roles)}`;
  const own = { email, ...roleFields(roles), properties, [adminFlag]: isAdmin || undefined };
  return shownEntry('invitation', email, own);
}

/** The roles at each property, where the service shows them. A user without properties needs none. */
function rolesAtEach({ properties, [placedRoles]: shown }: ServiceRecord): unknown {
  const roles = rolesByProperty(shown);
  if (roles === undefined || (roles.size === 0 && [properties].flat().length === 0)) return undefined;
  return [...roles]
    .toSorted(([one], [other]) => inCodeUnits(one, other))
    .map(([id, names]) => ({ id, roles: sorted([...new Set(names)]) }));
}

/** The order of properties and roles has no meaning, and the service may change it. */
const sorted = (ids: readonly string[]) => ids.toSorted(inCodeUnits);

/** Writable fields beyond the contract. A bank account is one value: its fields are exported together. */
const furtherPaths = kindTable.property.fields
  .filter(isFurther)
  .map(({ path }) => (path[0] === 'bank_account' ? [path[0]] : path));

/** @param ids only these, each of which must exist. Default: all. @returns `name` is the id. */
async function readProperties(ids: Ids, api: Api, report: Report) {
  const wanted = ids ?? (await listedIds(api, report));
  const named = wanted.map((id) => ({ kind: 'property', name: id }) as const);
  const read = async ({ name: id }: { readonly name: string }) => {
    // In all languages, which the contract returns by default.
    const reading = api.properties.read(id, api.dialect.allLanguages);
    const record = await (ids === undefined ? reading : reading.catch(suggestReference(properties, id, api)));
    return propertyFrom(record, api.dialect.propertyFields);
  };
  return report.alone(named, read, ids !== undefined);
}

/** A property that is exported. */
type FoundProperty = Awaited<ReturnType<typeof readProperties>>[number];

async function listedIds({ properties }: Api, report: Report): Promise<readonly string[]> {
  const listed = await report.listed('properties', properties.listAll());
  return [...new Set(listed.map(({ id }) => String(id)))];
}

/**
 * @param known all manifest fields of a property at this service.
 * @returns the entry, or why there is none.
 */
function propertyFrom(found: ServiceRecord, known: readonly Field[]): Entry | string {
  const { code } = found;
  if (typeof code !== 'string' || code.trim() === '') return 'it has no code';
  const record = tidy(found);
  const fields: Record<string, unknown> = {};
  const extra: Record<string, unknown> = {};
  for (const field of kindTable.property.fields)
    if (!isFurther(field)) putAt(fields, field.path, valueAt(record, field.path));
  for (const path of furtherPaths) {
    const value = valueAt(record, path);
    putAt(isTaken(path.join('.'), value, known) ? fields : extra, path, value);
  }
  return shownEntry('property', code, { ...fields, extra });
}

/** Whether the manifest has a field at this path for the value, or for an object of such fields. Others go to `extra`. */
function isTaken(path: string, value: unknown, known: readonly Field[]): boolean {
  const field = known.find((each) => each.path.join('.') === path);
  if (field !== undefined) return valueProblems(field, value, path).length === 0;
  if (!isRecord(value)) return false;
  const inner = Object.entries(value).map(([name, each]) => isTaken(`${path}.${name}`, each, known));
  return inner.length > 0 && inner.every(Boolean);
}

/**
 * What some properties rent out: attributes, then groups and units by property. The condition of units is not exported: it
 * changes every day. Nor are archived units, whose names no unit gets again.
 *
 * @param isWhole all attributes of the account, not only those that the units have.
 */
async function inventoryOf(
  properties: readonly FoundProperty[],
  isWhole: boolean,
  api: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const inside: Entry[] = [];
  for (const property of properties) inside.push(...(await insideOf(property, api, report)));
  const used = new Set(inside.flatMap(({ fields }) => [fields['attributes']].flat()));
  const listed = await report.listed('unit attributes', api.unitAttributes.listAll());
  const attributes = listed.flatMap(({ name, description }) =>
    typeof name === 'string' && (isWhole || used.has(name))
      ? [shownEntry('unit_attribute', name, { name, description })]
      : [],
  );
  return [...inOrder(attributes), ...inside];
}

async function insideOf(
  { name: id, made: { name: property, fields } }: FoundProperty,
  api: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const inProperty = { property_id: id };
  const whole = { languages: ['all'] };
  const listed = await report.listed('unit groups', api.unitGroups.listAll(inProperty));
  const groups = await report.alone(named('unit_group', property, listed), (group) =>
    api.unitGroups.read(group.id, { ...whole, expand: ['connectedUnitGroups'] }),
  );
  const known: Groups = new Map(groups.map((each) => [each.id, each]));
  const languages = languagesIn([fields, ...groups.map(({ made }) => made)]);
  const expand = ['connectedUnits'];
  const rooms = await report.listed('units', api.units.listAll({ ...inProperty, expand }));
  const read = async ({ id, listed }: { readonly id: string; readonly listed: ServiceRecord }) =>
    inOneLanguage(listed, languages) ?? api.units.read(id, { ...whole, expand });
  const units = await report.alone(inOrder(named('unit', property, rooms)), read);
  const shown = groups.map(({ name, made }) =>
    shownEntry('unit_group', name, groupFields(made, property, known)),
  );
  const each = units.map(({ name, made }) => shownEntry('unit', name, unitFields(made, property, known)));
  return [...inOrder(shown), ...folded(property, withoutDuplicates(each, report))];
}

/** Listed records, with their names in a manifest. */
function named(kind: 'unit_group' | 'unit', property: string, records: readonly ServiceRecord[]) {
  return records.map((listed) => {
    const name = `${property}/${nameOf(kind, listed) ?? ''}`;
    return { kind, name, id: String(listed['id']), listed };
  });
}

/** The groups of a property by id, as they are listed and as they were read alone. */
type Groups = ReadonlyMap<unknown, Readonly<Record<'listed' | 'made', ServiceRecord>>>;

/** The languages of the names and descriptions of some records. */
function languagesIn(records: readonly ServiceRecord[]): readonly string[] {
  const texts = records.flatMap(({ name, description }) => [name, description].filter(isRecord));
  return [...new Set(texts.flatMap((each) => Object.keys(each)))];
}

/** A listed unit as it is read alone, in a hotel with one language; `undefined` where it may have others, which lists do not show. */
function inOneLanguage(
  unit: ServiceRecord,
  [language, another]: readonly string[],
): ServiceRecord | undefined {
  const { description: text } = unit;
  const isWhole = typeof text === 'string' && text !== '' && language !== undefined && another === undefined;
  return isWhole ? { ...unit, description: { [language]: text } } : undefined;
}

function codeOf(id: unknown, groups: Groups): unknown {
  return nameOf('unit_group', groups.get(id)?.made ?? {}) ?? id;
}

function groupFields(group: ServiceRecord, property: string, groups: Groups): ServiceRecord {
  const countsOf = (parts: unknown) =>
    recordsIn(parts).map((part) => [codeOf(idIn(part), groups), part['member_count']] as const);
  const fields = kindTable.unit_group.fields.map(({ name, type, shownAt = [name] }) => {
    const shown = valueAt(group, shownAt);
    return [name, type === 'counts' ? Object.fromEntries(countsOf(shown)) : shown] as const;
  });
  return { ...Object.fromEntries(fields), property };
}

/** What a unit has from its group is left out. */
function unitFields(unit: ServiceRecord, property: string, groups: Groups): ServiceRecord {
  const { unit_group, attributes, connected_units: parts } = unit;
  const group = groups.get(idIn(unit_group))?.made ?? {};
  const inherited = kindTable.unit.fields.filter(({ isInherited }) => isInherited).map(({ name }) => name);
  const own = inherited.filter((field) => canonical(unit[field]) !== canonical(group[field]));
  const connects = recordsIn(parts).map((part) => nameOf('unit', part) ?? idIn(part));
  const names = recordsIn(attributes).map(({ name, id: attribute }) => name ?? attribute);
  return {
    ...{ property, name: nameOf('unit', unit), group: codeOf(idIn(unit_group), groups) },
    ...Object.fromEntries(own.map((field) => [field, unit[field]])),
    ...(names.length === 0 ? {} : { attributes: names }),
    ...(connects.length === 0 ? {} : { connects }),
  };
}

/** Units that are alike as one entry with ranges of names. */
function folded(property: string, units: readonly Entry[]): readonly Entry[] {
  const byNumber = new Intl.Collator('en', { numeric: true }).compare;
  const nameIn = ({ fields }: Entry) => String(fields['name']);
  const ordered = units.toSorted((one, other) => byNumber(nameIn(one), nameIn(other)));
  const alike = groupBy(ordered, ({ fields: { name: _, ...others } }) => canonical(others));
  return [...alike.values()].flatMap((some) => {
    const names = some.map(nameIn).filter(isListed);
    if (names.length < 2) return some;
    const { name: _, ...fields } = some[0].fields;
    const entries = chunksOf(names, mostNames).map((chunk) => {
      const ranges = foldRanges(chunk);
      const called = { names: ranges.length === 1 ? ranges[0] : ranges };
      return shownEntry('unit', `${property}/${ranges.join(',')}`, { ...fields, ...called });
    });
    return [...entries, ...some.filter((unit) => !isListed(nameIn(unit)))];
  });
}

/** Whether a name can be in a list of names and ranges. */
function isListed(name: string): boolean {
  const names = expandNames([name]);
  return !('problem' in names) && names.length === 1 && names[0] === name;
}
