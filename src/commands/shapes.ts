import { hasFullAccess, newerRoles, personName, placedRoles } from '../model/access.ts';
import { type Kind, kindTable, kindText, severalOf } from '../model/kinds.ts';
import { groupBy, memberOf, recordsIn, type ServiceRecord } from '../model/records.ts';
import { cellText, exactWording } from '../print/cells.ts';
import { columnsOf } from '../print/labels.ts';
import type { Column, Shape } from '../print/output.ts';
import { type Dialect, takes } from '../service/dialect.ts';

/** By header what a column is besides its field: a value that is computed of several fields, a format, colours. */
type Special = Readonly<Record<string, Omit<Column, 'field' | 'header'>>>;

const language: Special = { Name: { format: 'language' } };

/** Users. The contract names the id, enabled and properties; the rest are the public service's. */
export const userShape: Shape = {
  ...shapeOf('user', {
    Enabled: { tones: { no: 'error' } },
    Name: { value: (user) => personName(user) || undefined },
    'E-mail': { isCutLast: true },
    State: { value: stateOf, tones: { disabled: 'error' } },
    Roles: { value: rolesOf, format: 'grouped' },
  }),
  inCells: (user) => {
    const { [placedRoles]: roles, ...others } = user;
    const access =
      roles === undefined ? {} : { properties: cellText(accessOf(user), undefined, exactWording) };
    return { ...others, ...access };
  },
  forPeople: (user) => {
    const { [placedRoles]: roles, ...others } = user;
    return recordsIn(roles).length === 0 ? others : user;
  },
};

function stateOf({ enabled }: ServiceRecord): unknown {
  if (typeof enabled !== 'boolean') return enabled;
  return enabled ? 'enabled' : 'disabled';
}

function rolesOf(user: ServiceRecord): unknown {
  return [...(hasFullAccess(user) ? ['account admin'] : []), ...accessOf(user)];
}

/** The properties of a user: with the roles at each, or an id alone where they are unknown. */
function accessOf({ properties, [placedRoles]: roles }: ServiceRecord): readonly unknown[] {
  const byId = groupBy(recordsIn(roles), ({ id }): unknown => id);
  const ids = new Set([...(Array.isArray(properties) ? properties : []), ...byId.keys()]);
  return [...ids].flatMap((id) => byId.get(id) ?? [id]);
}

/**
 * Invitations: the contract does not define their fields. In a dialect with several roles `role` is the older field, with only
 * the first one.
 */
export function invitationShapeFor(dialect: Pick<Dialect, 'further'>): Shape {
  const isSeveral = takes(dialect, 'createInvitation', 'roles');
  const special: Special = {
    Role: { value: ({ role, roles }) => role ?? roles },
    Roles: { value: newerRoles },
    Created: { format: 'date' },
  };
  const named = (columns: string) => (isSeveral ? columns.replace('role', 'roles') : columns);
  return { ...shapeOf('invitation', special, named), ...(isSeveral ? { others: ['role'] } : {}) };
}

/** Properties: the contract defines id and name in lists, the public service the rest. */
export const propertyShape = shapeOf('property', {
  ...language,
  Status: { tones: { Live: 'good', Test: 'warning' } },
});

/** Unit groups. A list has its texts in one language, a group alone in all that were asked for. */
export const unitGroupShape = shapeOf('unit_group', language);

/** Units. */
export const unitShape: Shape = {
  ...shapeOf('unit', {
    Group: { value: ({ unit_group: group }) => memberOf(group, 'code') ?? memberOf(group, 'id') },
    Condition: { tones: { Clean: 'good', Dirty: 'warning' } },
    Maintenance: { tones: { OutOfOrder: 'error' } },
    Attributes: { value: attributeNames },
  }),
  forPeople: (unit) => ('attributes' in unit ? { ...unit, attributes: attributeNames(unit) } : unit),
};

function attributeNames({ attributes }: ServiceRecord): unknown {
  return recordsIn(attributes).map(({ name, id }) => name ?? id);
}

/** Unit attributes. */
export const unitAttributeShape = shapeOf('unit_attribute', {});

/** The columns that the table of kinds names. @param named changes their names. */
function shapeOf(kind: Kind, special: Special, named = (columns: string) => columns): Shape {
  const { columns, table = columns } = kindTable[kind];
  const [inOrder, forPeople] = [columns, table].map((fields) =>
    columnsOf(named(fields)).map((column) => ({ ...column, ...special[column.header] })),
  );
  return { noun: [kindText(kind), severalOf(kind)], columns: inOrder ?? [], table: forPeople ?? [] };
}
