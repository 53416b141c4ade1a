import { idIn, nameOf, usableId } from '../../change/listing.ts';
import { mapEach } from '../../change/workers.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { type Entry, type InventoryKind, shownEntry } from '../../files/entry.ts';
import { canonical } from '../../model/canonical.ts';
import { expandNames, foldRanges, mostNames } from '../../model/ranges.ts';
import { chunksOf, groupBy, recordsIn, type ServiceRecord } from '../../model/records.ts';
import { inCodeUnits, sameName } from '../../model/text.ts';
import type { Api } from '../../service/service.ts';
import type { FoundProperty, Report } from './gather.ts';

/**
 * What some properties rent out, as entries: attributes, then groups and units by property. Units that are alike are one entry
 * with ranges of names; what a unit has from its group is left out. The condition of units is not exported: it changes every
 * day. Nor are archived units, whose names no unit gets again.
 *
 * @param isWhole all attributes of the account, not only those that the units have.
 * @param workers records that are read in parallel: each group and each unit, because lists have texts in one language.
 */
export async function gatherInventory(
  properties: readonly FoundProperty[],
  isWhole: boolean,
  api: Api,
  workers: number,
  report: Report,
): Promise<readonly Entry[]> {
  const inside: Entry[] = [];
  for (const property of properties) inside.push(...(await insideOf(property, api, workers, report)));
  const used = new Set(inside.flatMap(({ fields }) => [fields['attributes']].flat()));
  const listed = await report.recordsIn([api.unitAttributes.listAll()], 'unit attributes');
  const attributes = once('unit_attribute', '', listed, report).flatMap(({ name, description }) =>
    typeof name === 'string' && (isWhole || used.has(name))
      ? [shownEntry('unit_attribute', name, { name, description })]
      : [],
  );
  return [...inOrder(attributes), ...inside];
}

function inOrder(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((one, other) => inCodeUnits(one.name, other.name));
}

async function insideOf(
  { id, entry: { name: property } }: FoundProperty,
  api: Api,
  workers: number,
  report: Report,
): Promise<readonly Entry[]> {
  const groups = await readEach(
    { kind: 'unit_group', property },
    await report.recordsIn([api.unitGroups.listAll({ property_id: id })], 'unit groups'),
    (each) => api.unitGroups.read(each, { languages: ['all'], expand: ['connectedUnitGroups'] }),
    { workers, report },
  );
  const units = await readEach(
    { kind: 'unit', property },
    await report.recordsIn([api.units.listAll({ property_id: id })], 'units'),
    (each) => api.units.read(each, { languages: ['all'], expand: ['connectedUnits'] }),
    { workers, report },
  );
  const codes = new Map(groups.map((group) => [group['id'], nameOf('unit_group', group)]));
  return [
    ...inOrder(groups.map((group) => groupEntry(group, property, codes))),
    ...unitEntries(units, property, new Map(groups.map((group) => [group['id'], group])), codes),
  ];
}

/** Records without those whose name another one has: a manifest can name one of them. */
function once(
  kind: InventoryKind,
  above: string,
  records: readonly ServiceRecord[],
  report: Report,
): readonly ServiceRecord[] {
  const alike = groupBy(records, (record) => sameName(nameOf(kind, record) ?? ''));
  return [...alike.values()].map(([first, ...others]) => {
    for (const name of others.map((other) => `${above}${nameOf(kind, other) ?? ''}`))
      report.leaveOut({ kind, name }, 'the service has another one with this name');
    return first;
  });
}

/** Reads listed records alone; those that cannot be read are left out, and reported. */
async function readEach(
  { kind, property }: { readonly kind: 'unit_group' | 'unit'; readonly property: string },
  listed: readonly ServiceRecord[],
  read: (id: string) => Promise<ServiceRecord>,
  { workers, report }: { readonly workers: number; readonly report: Report },
): Promise<readonly ServiceRecord[]> {
  const own = once(kind, `${property}/`, listed, report);
  const records = await mapEach(own, workers, async (record) => {
    const id = usableId(record['id']);
    const name = nameOf(kind, record);
    if (id === undefined || name === undefined) return 'the service lists it without a usable id or name';
    return read(id).catch((cause: unknown) => {
      if (!(cause instanceof CliError) || cause.exitCode === ExitCode.notLoggedIn) throw cause;
      return cause;
    });
  });
  const titleOf = (index: number) => `${property}/${nameOf(kind, own[index] ?? {}) ?? ''}`;
  return records.flatMap((record, index) => report.kept({ kind, name: titleOf(index) }, record));
}

type Codes = ReadonlyMap<unknown, string | undefined>;

function groupEntry(group: ServiceRecord, property: string, codes: Codes): Entry {
  const { code, name, description, max_persons, type, rank, connected_unit_groups: parts } = group;
  const connected = recordsIn(parts).map((part) => [
    codes.get(idIn(part)) ?? idIn(part),
    part['member_count'],
  ]);
  const fields = { property, code, name, description, max_persons, type, rank };
  const made = connected.length === 0 ? {} : { connected: Object.fromEntries(connected) };
  return shownEntry('unit_group', `${property}/${code}`, { ...fields, ...made });
}

/** Units that are alike as one entry each. */
function unitEntries(
  units: readonly ServiceRecord[],
  property: string,
  groups: ReadonlyMap<unknown, ServiceRecord>,
  codes: Codes,
): readonly Entry[] {
  const byNumber = new Intl.Collator('en', { numeric: true }).compare;
  const numberOf = (unit: ServiceRecord) => nameOf('unit', unit) ?? '';
  const sorted = units.toSorted((one, other) => byNumber(numberOf(one), numberOf(other)));
  const alike = groupBy(sorted, (unit) => canonical(unitFields(unit, groups, codes)));
  const entry = (unit: ServiceRecord, called: ServiceRecord) =>
    shownEntry('unit', `${property}/${Object.values(called).flat().join(',')}`, {
      property,
      ...called,
      ...unitFields(unit, groups, codes),
    });
  return [...alike.values()].flatMap((some) => {
    const inList = some.filter((unit) => isListed(numberOf(unit)));
    const [first, second] = inList;
    const alone = second === undefined ? some : some.filter((unit) => !inList.includes(unit));
    const folded = second === undefined ? [] : chunksOf(inList.map(numberOf), mostNames).map(foldRanges);
    return [
      ...(first ? folded.map((names) => entry(first, { names: names.length === 1 ? names[0] : names })) : []),
      ...alone.map((unit) => entry(unit, { name: numberOf(unit) })),
    ];
  });
}

/** Whether a name can be in a list of names and ranges. */
function isListed(name: string): boolean {
  const names = expandNames([name]);
  return !('problem' in names) && names.length === 1 && names[0] === name;
}

function unitFields(
  unit: ServiceRecord,
  groups: ReadonlyMap<unknown, ServiceRecord>,
  codes: Codes,
): ServiceRecord {
  const { unit_group, attributes, connected_units: parts, max_persons, description } = unit;
  const id = idIn(unit_group);
  const group = groups.get(id) ?? {};
  const own = Object.entries({ max_persons, description }).filter(
    ([field, value]) => canonical(value) !== canonical(group[field]),
  );
  const connects = recordsIn(parts).map((part) => nameOf('unit', part) ?? idIn(part));
  const names = recordsIn(attributes).map(({ name, id: attribute }) => name ?? attribute);
  return {
    ...(id === undefined ? {} : { group: codes.get(id) ?? id }),
    ...Object.fromEntries(own),
    ...(names.length === 0 ? {} : { attributes: names }),
    ...(connects.length === 0 ? {} : { connects }),
  };
}
