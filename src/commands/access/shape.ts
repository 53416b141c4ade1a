import { groupBy, type ServiceRecord } from '../../model/records.ts';
import type { Column, Gathered, Shape } from '../../out/output.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import { byHolder, EVERY_PROPERTY, NOT_SHOWN, placeText, propertyLabels } from '../../people/facts.ts';
import { roleCodes } from '../../people/role-codes.ts';
import { listed } from '../../seed/entry.ts';

/** Ids of properties with the same roles that a cell names. */
const MOST_NAMED = 6;

/** Columns of facts. Programs rely on these names and on their order. */
const columns: readonly Column[] = [
  { field: 'email', header: 'E-mail' },
  { field: 'name', header: 'Name' },
  { field: 'subject_id', header: 'Subject id' },
  { field: 'state', header: 'State' },
  { field: 'account_admin', header: 'Account admin' },
  { field: 'property', header: 'Property' },
  { field: 'property_name', header: 'Property name' },
  { field: 'roles', header: 'Roles', value: ({ roles }) => roles ?? NOT_SHOWN },
  { field: 'mfa', header: 'MFA' },
  { field: 'passkeys', header: 'Passkeys' },
  { field: 'invited_by', header: 'Invited by' },
  { field: 'since', header: 'Invited', format: 'date' },
  { field: 'age_days', header: 'Days' },
  { field: 'source', header: 'Source' },
];

const state: Column = {
  field: 'state',
  header: 'State',
  tones: new Map([
    ['disabled', 'error'],
    ['expired', 'warning'],
    ['invited', 'hint'],
  ]),
};
const name: Column = { field: 'name', header: 'Name' };
const email: Column = { field: 'email', header: 'E-mail', isCutLast: true };
const since: Column = { field: 'since', header: 'Invited', format: 'date' };
const further: readonly Column[] = [
  name,
  since,
  { field: 'mfa', header: 'MFA' },
  { field: 'passkeys', header: 'Passkeys' },
  { field: 'invited_by', header: 'Invited by' },
  { field: 'subject_id', header: 'Subject id' },
];

/** The rows of a review: the facts, and what is decided about each. Programs rely on these names, too. */
export const reviewShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'row_id', header: 'Row' },
    ...columns,
    { field: 'decision', header: 'Decision' },
    { field: 'reviewer', header: 'Reviewer' },
    { field: 'comment', header: 'Comment' },
  ],
  id: 'row_id',
  table: [
    email,
    state,
    { field: 'property', header: 'Property' },
    { field: 'roles', header: 'Roles', value: ({ roles }) => roles ?? NOT_SHOWN },
    name,
    { field: 'row_id', header: 'Row' },
  ],
  essential: 4,
};

/** How a report is listed: people see a matrix or one row for each person, programs one row for each fact. */
export function shapeOf({ access, items }: AccessDocument): Shape {
  const shape = { noun: ['fact', 'facts'], columns, id: 'email' } as const;
  const { selected, properties } = access;
  // People and facts are the same here.
  if (selected?.user !== undefined) return { ...shape, table: ofOnePerson(properties), essential: 3 };
  const [only, ...others] = selected?.properties ?? [];
  const isOne = only !== undefined && others.length === 0;
  return { ...shape, gathered: () => (isOne ? ofOneProperty(items, access, only) : ofPeople(items, access)) };
}

type Header = AccessDocument['access'];

function ofOnePerson(properties: Header['properties']): readonly Column[] {
  const labels = propertyLabels(properties);
  return [
    { field: 'property', header: 'Property', value: ({ property }) => placeText(property, labels) },
    { field: 'property_name', header: 'Name', value: ({ property_name: text }) => text || undefined },
    { field: 'roles', header: 'Roles', value: rolesText },
    state,
    since,
    { field: 'mfa', header: 'MFA' },
    { field: 'invited_by', header: 'Invited by' },
  ];
}

function rolesText({ property, roles }: ServiceRecord): unknown {
  if (property === EVERY_PROPERTY) return 'account admin';
  if (!Array.isArray(roles)) return 'not shown';
  return roles.length === 0 && property !== null ? 'no role' : roles;
}

function ofOneProperty(items: readonly Fact[], { properties }: Header, id: string): Gathered {
  const label = propertyLabels(properties).get(id) ?? id;
  const records = byHolder(items).map((facts) => ({
    ...facts[0],
    roles: facts
      .map((fact) => [rolesText({ ...fact })].flat().join(', '))
      .filter(Boolean)
      .join(', '),
  }));
  const roles: Column = { field: 'roles', header: `Roles at ${label}` };
  const table = [email, state, roles, ...further];
  return { shape: { noun: ['person', 'people'], columns, table, essential: 3 }, records };
}

function ofPeople(items: readonly Fact[], { properties }: Header): Gathered {
  const codes = roleCodes(items.filter(({ property }) => property !== EVERY_PROPERTY));
  const labels = propertyLabels(properties);
  const records = byHolder(items).map((facts) => ({
    ...facts[0],
    access: accessText(facts, labels),
    at: cellsOf(facts, codes),
  }));
  const places = properties.map(({ id }) => ({
    field: id,
    header: labels.get(id) ?? id,
    value: ({ at }: ServiceRecord) =>
      at instanceof Map ? (at.get(id) ?? at.get(EVERY_PROPERTY) ?? at.get(NOT_SHOWN) ?? '·') : '·',
  }));
  const matrix = { leading: [name, email, state], columns: places, legend: legendOf(items, codes) };
  const access: Column = { field: 'access', header: 'Access' };
  const table = [email, state, access, ...further];
  return { shape: { noun: ['person', 'people'], columns, table, essential: 3 }, records, matrix };
}

/** `BER, MUC: FrontDesk; VIE: Auditor`. */
function accessText(facts: readonly Fact[], labels: ReadonlyMap<string, string>): string {
  const groups = groupBy(facts, (fact) => [rolesText({ ...fact })].flat().join(', '));
  const texts = [...groups].map(([roles, own]) => {
    const [{ property }] = own;
    if (property === EVERY_PROPERTY) return roles;
    const places = own.map((fact) => placeText(fact.property, labels));
    return roles === '' || property === NOT_SHOWN
      ? placeText(property, labels)
      : `${listed(places, MOST_NAMED)}: ${roles}`;
  });
  return texts.join('; ');
}

/** The cell at each property; at every other one that of `*` or `?`. Whoever cannot use it now has it in brackets. */
function cellsOf(facts: readonly Fact[], codes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    facts.flatMap(({ property, roles, state: now, account_admin: isAdmin }) => {
      if (property === null) return [];
      const own = roles?.map((role) => codes.get(role) ?? role) ?? ['?'];
      const shown = isAdmin === true ? ['*', ...(property === EVERY_PROPERTY ? [] : own)] : own;
      const text = shown.join(' ') || '-';
      return [[property, now === 'active' || now === 'unknown' ? text : `(${text})`] as const];
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
