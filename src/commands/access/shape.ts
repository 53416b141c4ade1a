import { listed } from '../../files/entry.ts';
import { groupBy, type ServiceRecord } from '../../model/records.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import {
  byHolder,
  EVERY_PROPERTY,
  placeText,
  propertyLabels,
  roleCodes,
  rolesText,
} from '../../people/facts.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Column, Gathered, Shape } from '../../print/output.ts';

/** Ids of properties with the same roles that a cell names. */
const MOST_NAMED = 6;

/** Columns of facts. Programs rely on these names and on their order. */
const columns = columnsOf(
  'email name subject_id state account_admin property property_name roles mfa passkeys invited_by since age_days source',
  [
    { field: 'email', header: 'E-mail', isCutLast: true },
    { field: 'state', header: 'State', tones: { disabled: 'error', expired: 'warning', invited: 'hint' } },
    { field: 'roles', header: 'Roles', value: ({ roles }) => roles ?? '?' },
    { field: 'since', header: 'Invited', format: 'date' },
    { field: 'age_days', header: 'Days' },
  ],
);

const rowId: Column = { field: 'row_id', header: 'Row' };

/** The rows of a review: the facts, and what is decided about each. Programs rely on these names, too. */
export const reviewShape: Shape = {
  noun: ['row', 'rows'],
  columns: [rowId, ...columns, ...columnsOf('decision reviewer comment')],
  id: 'row_id',
  table: columnsOf('email state property roles name row_id', [...columns, rowId]),
  essential: 4,
};

/** How a report is listed: people see a matrix or one row for each person, programs one row for each fact. */
export function shapeOf({ access, items }: AccessDocument): Shape {
  const shape = { noun: ['fact', 'facts'], columns, id: 'email' } as const;
  const { selected, properties } = access;
  const labels = propertyLabels(properties);
  // One person has one row for each fact, for people too.
  if (selected?.user !== undefined) return { ...shape, table: ofOnePerson(labels), essential: 3 };
  const [only, ...others] = selected?.properties ?? [];
  const isOne = only !== undefined && others.length === 0;
  return {
    ...shape,
    gathered: () => (isOne ? ofOneProperty(items, labels.get(only) ?? only) : ofPeople(items, labels)),
  };
}

function ofOnePerson(labels: ReadonlyMap<string, string>): readonly Column[] {
  return [
    { field: 'property', header: 'Property', value: ({ property }) => placeText(property, labels) },
    { field: 'property_name', header: 'Name', value: ({ property_name: text }) => text || undefined },
    { field: 'roles', header: 'Roles', value: (fact) => rolesText(fact) || undefined },
    ...columnsOf('state since mfa invited_by', columns),
  ];
}

/** @param access what tells people apart. */
function listOfPeople(access: Column): Shape {
  const further = columnsOf('name since mfa passkeys invited_by subject_id', columns);
  const table = [...columnsOf('email state', columns), access, ...further];
  return { noun: ['person', 'people'], columns, table, essential: 3 };
}

function ofOneProperty(items: readonly Fact[], label: string): Gathered {
  const records = byHolder(items).map((facts) => ({
    ...facts[0],
    roles: facts.map(rolesText).filter(Boolean).join(', '),
  }));
  return { shape: listOfPeople({ field: 'roles', header: `Roles at ${label}` }), records };
}

/** @param labels of all properties of the report. */
function ofPeople(items: readonly Fact[], labels: ReadonlyMap<string, string>): Gathered {
  const codes = roleCodes(items.filter(({ property }) => property !== EVERY_PROPERTY));
  const records = byHolder(items).map((facts) => ({
    ...facts[0],
    access: accessText(facts, labels),
    at: cellsOf(facts, codes),
  }));
  const places = [...labels].map(([id, header]) => ({
    field: id,
    header,
    value: ({ at }: ServiceRecord) =>
      at instanceof Map ? (at.get(id) ?? at.get(EVERY_PROPERTY) ?? '·') : '·',
  }));
  const matrix = {
    leading: columnsOf('name email state', columns),
    columns: places,
    legend: legendOf(items, codes),
  };
  return { shape: listOfPeople({ field: 'access', header: 'Access' }), records, matrix };
}

/** `BER, MUC: FrontDesk; VIE: Auditor`. */
function accessText(facts: readonly Fact[], labels: ReadonlyMap<string, string>): string {
  const groups = groupBy(facts, rolesText);
  const texts = [...groups].map(([roles, own]) => {
    const [{ property }] = own;
    if (property === EVERY_PROPERTY) return roles;
    const places = own.map((fact) => placeText(fact.property, labels));
    return roles === '' ? placeText(property, labels) : `${listed(places, MOST_NAMED)}: ${roles}`;
  });
  return texts.join('; ');
}

/** The cell at each property; at every other one that of `*`. Access that cannot be used now is in brackets. */
function cellsOf(facts: readonly Fact[], codes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    facts.flatMap(({ property, roles, state: now, account_admin: isAdmin }) => {
      if (property === null) return [];
      const own = roles?.map((role) => codes.get(role) ?? role) ?? ['?'];
      const shown = isAdmin === true ? ['*', ...(property === EVERY_PROPERTY ? [] : own)] : own;
      const text = shown.join(' ') || '-';
      return [[property, now === 'active' ? text : `(${text})`] as const];
    }),
  );
}

function legendOf(items: readonly Fact[], codes: ReadonlyMap<string, string>): readonly string[] {
  const has = (test: (fact: Fact) => boolean) => items.some(test);
  const waiting = (['disabled', 'invited', 'expired'] as const).filter((each) =>
    has(({ state: now }) => now === each),
  );
  return [
    ...[...codes].map(([role, code]) => `${code} ${role}`),
    ...(has(({ property }) => property === EVERY_PROPERTY) ? ['* account admin'] : []),
    ...(has(({ property, roles }) => property !== null && roles?.length === 0 && property !== EVERY_PROPERTY)
      ? ['- no role']
      : []),
    ...(has(({ roles }) => roles === null) ? ['? not shown'] : []),
    ...(waiting.length > 0 ? [`( ) not now: ${waiting.join(', ')}`] : []),
  ];
}
