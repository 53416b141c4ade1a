import { listed } from '../../files/entry.ts';
import { groupBy, type ServiceRecord } from '../../model/records.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import {
  byHolder,
  cellsOf,
  EVERY_PROPERTY,
  legendOf,
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
};

/** How a report is listed: people see a matrix or one row for each person, programs one row for each fact. */
export function shapeOf({ access: { properties }, items }: AccessDocument): Shape {
  const labels = propertyLabels(properties);
  return { noun: ['fact', 'facts'], columns, id: 'email', gathered: () => ofPeople(items, labels) };
}

/**
 * One row for each person: as a matrix where that fits, or with the access in words.
 *
 * @param labels of all properties of the report.
 */
function ofPeople(items: readonly Fact[], labels: ReadonlyMap<string, string>): Gathered {
  const codes = roleCodes(items.filter(({ property }) => property !== EVERY_PROPERTY));
  const records = byHolder(items).map((facts) => ({
    ...facts[0],
    access: accessText(facts, labels),
    at: cellsOf(facts, codes),
  }));
  const further = columnsOf('name since mfa passkeys invited_by subject_id', columns);
  const table = [...columnsOf('email state access', columns), ...further];
  const places = [...labels].map(([id, label]) => ({
    field: id,
    header: label,
    value: ({ at }: ServiceRecord) =>
      at instanceof Map ? (at.get(id) ?? at.get(EVERY_PROPERTY) ?? '·') : '·',
  }));
  return {
    shape: { noun: ['person', 'people'], columns, table },
    records,
    matrix: { leading: columnsOf('name email state', columns), columns: places, legend: legendOf(codes) },
  };
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
