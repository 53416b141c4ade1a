import { personName } from '../model/access.ts';
import { recordsIn, type ServiceRecord } from '../model/records.ts';
import { valueIn } from '../print/cells.ts';
import { columnsOf } from '../print/labels.ts';
import type { Column, Shape } from '../print/output.ts';
import { type Dialect, takes } from '../service/dialect.ts';

const properties: Column = { field: 'properties', header: 'Properties', beside: 'property_roles' };

/** Columns of users. The contract names the id, enabled and properties; the rest are the public service's. */
export const userShape: Shape = {
  noun: ['user', 'users'],
  columns: columnsOf(
    'subject_id email first_name last_name enabled is_account_admin is_mfa_enabled properties',
    [{ field: 'enabled', header: 'Enabled', tones: { no: 'error' } }, properties],
  ),
  table: columnsOf('first_name email enabled properties is_mfa_enabled is_account_admin subject_id', [
    { field: 'first_name', header: 'Name', value: wholeName },
    { field: 'email', header: 'E-mail', isCutLast: true },
    { field: 'enabled', header: 'State', value: stateOf, tones: { disabled: 'error' } },
    { field: 'properties', header: 'Roles', value: accessOf, format: 'grouped' },
  ]),
  essential: 4,
};

function wholeName(user: ServiceRecord): unknown {
  return personName(user) || undefined;
}

function stateOf({ enabled }: ServiceRecord): unknown {
  if (typeof enabled !== 'boolean') return enabled;
  return enabled ? 'enabled' : 'disabled';
}

function accessOf(user: ServiceRecord): unknown {
  const access = valueIn(user, properties) ?? [];
  return user['is_account_admin'] === true && Array.isArray(access) ? ['account admin', ...access] : access;
}

/**
 * Columns of invitations, all the public service's: the contract does not define their fields. In a dialect with several
 * roles `role` is the older field, with only the first one.
 */
export function invitationShapeFor(dialect: Pick<Dialect, 'further'>): Shape {
  const isSeveral = takes(dialect, 'createInvitation', 'roles');
  const role = isSeveral ? 'roles' : 'role';
  const special: readonly Column[] = [
    { field: 'role', header: 'Role', otherwise: 'roles' },
    { field: 'roles', header: 'Roles', otherwise: 'role' },
    { field: 'created', header: 'Created', format: 'date' },
  ];
  return {
    noun: ['invitation', 'invitations'],
    columns: columnsOf(`email ${role} properties is_account_admin invited_by created`, special),
    table: columnsOf(`email ${role} properties created is_account_admin invited_by`, special),
    essential: 3,
    ...(isSeveral ? { others: ['role'] } : {}),
  };
}

const ofProperty: readonly Column[] = [
  { field: 'name', header: 'Name', format: 'language' },
  { field: 'status', header: 'Status', tones: { Live: 'good', Test: 'warning' } },
];

/** Columns of properties: the contract defines id and name in lists, the public service the rest. */
export const propertyShape: Shape = {
  noun: ['property', 'properties'],
  columns: columnsOf('id name location.city location.country_code currency_code status', ofProperty),
  table: columnsOf('id name location.city status location.country_code currency_code', ofProperty),
  essential: 4,
};

const property: Column = { field: 'property.id', header: 'Property' };
const persons: Column = { field: 'max_persons', header: 'Persons' };

const ofGroup: readonly Column[] = [
  { field: 'name', header: 'Name', format: 'language' },
  { field: 'member_count', header: 'Units' },
  ...[property, persons],
];

/** Columns of unit groups. A list has its texts in one language, a group alone in all that were asked for. */
export const unitGroupShape: Shape = {
  noun: ['unit group', 'unit groups'],
  columns: columnsOf('id property.id code name type max_persons member_count rank', ofGroup),
  table: columnsOf('id name member_count max_persons type property.id code rank', ofGroup),
  essential: 4,
};

const ofUnit: readonly Column[] = [
  { field: 'unit_group.code', header: 'Group', otherwise: 'unit_group.id' },
  { field: 'status.condition', header: 'Condition', tones: { Clean: 'good', Dirty: 'warning' } },
  { field: 'status.is_occupied', header: 'Occupied' },
  { field: 'status.maintenance.type', header: 'Maintenance', tones: { OutOfOrder: 'error' } },
  { field: 'attributes', header: 'Attributes', value: attributeNames },
  ...[property, persons],
];

/** Columns of units. */
export const unitShape: Shape = {
  noun: ['unit', 'units'],
  columns: columnsOf(
    'id property.id name unit_group.code max_persons status.condition status.is_occupied status.maintenance.type is_archived',
    ofUnit,
  ),
  table: columnsOf(
    'id name unit_group.code status.condition max_persons attributes status.maintenance.type status.is_occupied property.id is_archived',
    ofUnit,
  ),
  essential: 4,
  forPeople: (unit) => ('attributes' in unit ? { ...unit, attributes: attributeNames(unit) } : unit),
};

function attributeNames({ attributes }: ServiceRecord): unknown {
  return recordsIn(attributes).map(({ name, id }) => name ?? id);
}

/** Columns of unit attributes. */
export const unitAttributeShape: Shape = {
  noun: ['unit attribute', 'unit attributes'],
  columns: columnsOf('id name description'),
};
