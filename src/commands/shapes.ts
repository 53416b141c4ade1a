import { personName } from '../model/access.ts';
import { recordsIn, type ServiceRecord } from '../model/records.ts';
import { valueIn } from '../print/cells.ts';
import type { Column, Shape } from '../print/output.ts';
import { type Dialect, takes } from '../service/dialect.ts';

const properties: Column = { field: 'properties', header: 'Properties', beside: 'property_roles' };

/** Columns of users. The contract names the id, enabled and properties; the rest are the public service's. */
export const userShape: Shape = {
  noun: ['user', 'users'],
  columns: [
    { field: 'subject_id', header: 'Subject id' },
    { field: 'email', header: 'E-mail' },
    { field: 'first_name', header: 'First name' },
    { field: 'last_name', header: 'Last name' },
    { field: 'enabled', header: 'Enabled', tones: new Map([['no', 'error']]) },
    { field: 'is_account_admin', header: 'Account admin' },
    { field: 'is_mfa_enabled', header: 'MFA' },
    properties,
  ],
  table: [
    { field: 'first_name', header: 'Name', value: wholeName },
    { field: 'email', header: 'E-mail', isCutLast: true },
    { field: 'enabled', header: 'State', value: stateOf, tones: new Map([['disabled', 'error']]) },
    { field: 'properties', header: 'Roles', value: accessOf, format: 'grouped' },
    { field: 'is_mfa_enabled', header: 'MFA' },
    { field: 'is_account_admin', header: 'Account admin' },
    { field: 'subject_id', header: 'Subject id' },
  ],
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
  const role: Column = { field: 'role', header: 'Role', otherwise: 'roles' };
  const roles: Column = { field: 'roles', header: 'Roles', otherwise: 'role' };
  const columns: readonly Column[] = [
    { field: 'email', header: 'E-mail' },
    isSeveral ? roles : role,
    { field: 'properties', header: 'Properties' },
    { field: 'is_account_admin', header: 'Account admin' },
    { field: 'invited_by', header: 'Invited by' },
    { field: 'created', header: 'Created', format: 'date' },
  ];
  return {
    noun: ['invitation', 'invitations'],
    columns,
    table: inOrder(columns, 'email role roles properties created is_account_admin invited_by'),
    essential: 3,
    ...(isSeveral ? { others: ['role'] } : {}),
  };
}

const status: Column = {
  field: 'status',
  header: 'Status',
  tones: new Map([
    ['Live', 'good'],
    ['Test', 'warning'],
  ]),
};

const propertyColumns: readonly Column[] = [
  { field: 'id', header: 'Id' },
  { field: 'name', header: 'Name', format: 'language' },
  { field: 'location.city', header: 'City' },
  { field: 'location.country_code', header: 'Country' },
  { field: 'currency_code', header: 'Currency' },
  status,
];

/** Columns of properties: the contract defines id and name in lists, the public service the rest. */
export const propertyShape: Shape = {
  noun: ['property', 'properties'],
  columns: propertyColumns,
  table: inOrder(propertyColumns, 'id name location.city status location.country_code currency_code'),
  essential: 4,
};

/** The columns with these fields. */
function inOrder(columns: readonly Column[], fields: string): readonly Column[] {
  return fields.split(' ').flatMap((field) => columns.filter((column) => column.field === field));
}

const property: Column = { field: 'property.id', header: 'Property' };

const unitGroupColumns: readonly Column[] = [
  { field: 'id', header: 'Id' },
  property,
  { field: 'code', header: 'Code' },
  { field: 'name', header: 'Name', format: 'language' },
  { field: 'type', header: 'Type' },
  { field: 'max_persons', header: 'Persons' },
  { field: 'member_count', header: 'Units' },
  { field: 'rank', header: 'Rank' },
];

/** Columns of unit groups. A list has its texts in one language, a group alone in all that were asked for. */
export const unitGroupShape: Shape = {
  noun: ['unit group', 'unit groups'],
  columns: unitGroupColumns,
  table: inOrder(unitGroupColumns, 'id name member_count max_persons type property.id code rank'),
  essential: 4,
};

const group: Column = { field: 'unit_group.code', header: 'Group', otherwise: 'unit_group.id' };
const condition: Column = {
  field: 'status.condition',
  header: 'Condition',
  tones: new Map([
    ['Clean', 'good'],
    ['Dirty', 'warning'],
  ]),
};
const maintenance: Column = {
  field: 'status.maintenance.type',
  header: 'Maintenance',
  tones: new Map([['OutOfOrder', 'error']]),
};

/** Columns of units. */
export const unitShape: Shape = {
  noun: ['unit', 'units'],
  columns: [
    { field: 'id', header: 'Id' },
    property,
    { field: 'name', header: 'Name' },
    group,
    { field: 'max_persons', header: 'Persons' },
    condition,
    { field: 'status.is_occupied', header: 'Occupied' },
    maintenance,
    { field: 'is_archived', header: 'Archived' },
  ],
  table: [
    { field: 'id', header: 'Id' },
    { field: 'name', header: 'Name' },
    group,
    condition,
    { field: 'max_persons', header: 'Persons' },
    { field: 'attributes', header: 'Attributes', value: attributeNames },
    maintenance,
    { field: 'status.is_occupied', header: 'Occupied' },
    property,
    { field: 'is_archived', header: 'Archived' },
  ],
  essential: 4,
  forPeople: (unit) => ('attributes' in unit ? { ...unit, attributes: attributeNames(unit) } : unit),
};

function attributeNames({ attributes }: ServiceRecord): unknown {
  return recordsIn(attributes).map(({ name, id }) => name ?? id);
}

/** Columns of unit attributes. */
export const unitAttributeShape: Shape = {
  noun: ['unit attribute', 'unit attributes'],
  columns: [
    { field: 'id', header: 'Id' },
    { field: 'name', header: 'Name' },
    { field: 'description', header: 'Description' },
  ],
};
