import {
  type InventoryField,
  unitAttributeFields,
  unitFields,
  unitGroupFields,
} from '../model/inventory-fields.ts';
import { choiceProblem, nearest, suggestion } from '../model/names.ts';
import { allPropertyFields, furtherPropertyFields, propertyFields } from '../model/property-fields.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { OperationId } from '../service/operations.ts';
import { type InventoryKind, type Kind, kinds, type PlaceProblem } from './entry.ts';

/** What sets the entries of one kind apart. */
interface EntryKind {
  /** How messages call one. */
  readonly one: string;
  /** How messages call several; a list of them in a manifest has this name. */
  readonly several: string;
  /** Any of these fields identifies the kind, unless one of a kind before it does. */
  readonly identifiedBy: readonly string[];
  /** Names of its fields, without `kind`. */
  readonly fields: readonly string[];
  /** Paths of those that the contract has, with dots: under `extra` they are refused. */
  readonly contract: readonly string[];
  /** Paths of the others; they may be under `extra` instead. */
  readonly further: readonly string[];
  /** The operation with the least effect for an entry; a service may take the further fields with it. */
  readonly operation: OperationId;
  /** The operation that changes a record, and the one that deletes it. */
  readonly change: OperationId | undefined;
  readonly deletion: OperationId | undefined;
  /** The beginning of a header, as an example. */
  readonly sample: readonly string[];
}

/** Every kind, in the order in which field names are tried. */
export const entryKinds: Readonly<Record<Kind, EntryKind>> = {
  property: {
    one: 'a property',
    several: 'properties',
    identifiedBy: ['code'],
    fields: [...new Set(allPropertyFields.map(({ path }) => path[0])), 'extra'],
    contract: propertyFields.map(({ path }) => path.join('.')),
    further: furtherPropertyFields.map(({ path }) => path.join('.')),
    operation: 'createProperty',
    change: 'updateProperty',
    deletion: 'deleteProperty',
    sample: ['code', 'name.en', 'company_name'],
  },
  user: {
    one: 'a user',
    several: 'users',
    identifiedBy: ['subject_id', 'enabled', 'property_roles'],
    fields: [
      ...['email', 'subject_id', 'enabled', 'properties', 'property_roles'],
      ...['first_name', 'last_name', 'is_account_admin'],
    ],
    contract: [],
    further: ['first_name', 'last_name', 'is_account_admin'],
    operation: 'updateUser',
    change: 'updateUser',
    deletion: undefined,
    sample: ['email', 'enabled', 'properties'],
  },
  invitation: {
    one: 'an invitation',
    several: 'invitations',
    identifiedBy: ['email'],
    fields: ['email', 'properties', 'is_account_admin', 'role', 'roles', 'extra'],
    contract: ['email', 'properties', 'is_account_admin', 'role'],
    further: ['roles'],
    operation: 'createInvitation',
    change: undefined,
    deletion: 'deleteInvitation',
    sample: ['email', 'role', 'properties'],
  },
  unit_attribute: {
    ...inventoryKind('a unit attribute', 'unit_attributes', unitAttributeFields),
    identifiedBy: [],
    operation: 'createUnitAttribute',
    change: 'updateUnitAttribute',
    deletion: 'deleteUnitAttribute',
    sample: ['kind', 'name', 'description'],
  },
  unit_group: {
    ...inventoryKind('a unit group', 'unit_groups', unitGroupFields),
    identifiedBy: ['connected', 'rank'],
    operation: 'createUnitGroup',
    change: 'replaceUnitGroup',
    deletion: 'deleteUnitGroup',
    sample: ['property', 'code', 'name.en'],
  },
  unit: {
    ...inventoryKind('a unit', 'units', unitFields),
    fields: ['names', ...unitFields.map(({ name }) => name)],
    identifiedBy: ['group', 'names', 'max_persons', 'attributes', 'connects', 'condition'],
    operation: 'createUnits',
    change: 'updateUnit',
    deletion: 'deleteUnit',
    sample: ['property', 'name', 'group'],
  },
};

/** The fields of each kind of inventory. */
export const inventoryFields: Readonly<Record<InventoryKind, readonly InventoryField[]>> = {
  unit_attribute: unitAttributeFields,
  unit_group: unitGroupFields,
  unit: unitFields,
};

/** The fields without which a record of inventory cannot be created. */
export function neededFields(kind: InventoryKind): readonly string[] {
  return inventoryFields[kind].flatMap(({ name, isOptional }) => (isOptional === true ? [] : [name]));
}

/** Fields of a kind of inventory with a text for each language. */
export function inventoryMaps(kind: InventoryKind): readonly string[] {
  return inventoryFields[kind].flatMap((field) => (field.kind === 'languages' ? [field.name] : []));
}

function inventoryKind(one: string, several: string, fields: readonly InventoryField[]) {
  return { one, several, fields: fields.map(({ name }) => name), contract: [], further: [] };
}

/** The lists that an entry of a property may have inside. */
export const nestedLists: ReadonlyMap<string, InventoryKind> = new Map([
  ['unit_groups', 'unit_group'],
  ['units', 'unit'],
]);

/** Several records of a kind in messages: `unit groups`. */
export function severalOf(kind: Kind): string {
  return entryKinds[kind].several.replace('_', ' ');
}

/** The lists of a manifest. */
export const lists: ReadonlyMap<string, Kind> = new Map(
  kinds.map((kind) => [entryKinds[kind].several, kind]),
);

/** The part of a manifest in which an export names what it lacks. */
export const LEFT_OUT = 'left_out';

/** Fields that identify the kind of an entry. */
export const identifying: readonly string[] = [
  'kind',
  ...Object.values(entryKinds).flatMap(({ identifiedBy }) => identifiedBy),
];

/**
 * What an entry is: by its field `kind`, else by where it is, else by its fields.
 *
 * @param listed the kind of the list that it is in, or of all rows of its table.
 * @returns its kind, or what is wrong with it.
 */
export function kindOf(fields: ServiceRecord, listed: Kind | undefined): Kind | PlaceProblem {
  const stated = fields['kind'] === '' ? undefined : (fields['kind'] ?? undefined);
  if (stated !== undefined && !isKind(stated)) {
    const reason = typeof stated === 'string' ? choiceProblem(stated, kinds) : undefined;
    return { field: 'kind', reason: reason ?? `must be ${kinds.join(', ')}` };
  }
  if (stated !== undefined && listed !== undefined && stated !== listed) {
    const list = entryKinds[listed].several;
    return { field: 'kind', reason: `says ${stated}, but the entry is in the list of ${list}` };
  }
  return stated ?? listed ?? kindByFields(Object.keys(fields)) ?? { reason: unknownKind(fields) };
}

function isKind(value: unknown): value is Kind {
  return kinds.some((kind) => kind === value);
}

/** The kind that field names identify, or `undefined`. A code of something in a property is that of a unit group. */
export function kindByFields(names: readonly string[]): Kind | undefined {
  if (names.includes('property') && names.includes('code')) return 'unit_group';
  return (['property', 'user', 'invitation', 'unit_group', 'unit'] as const).find((kind) =>
    entryKinds[kind].identifiedBy.some((field) => names.includes(field)),
  );
}

/** Whether an object is a manifest, and not an entry whose properties are a list of ids. */
export function isManifest(value: ServiceRecord): boolean {
  const names = Object.keys(value);
  return (
    names.some((name) => lists.has(name) || name === LEFT_OUT) &&
    !names.some((name) => identifying.includes(name))
  );
}

/** The fields of which a message says that none is there. */
const keys = ['kind', 'code', 'subject_id', 'email'];

function unknownKind(fields: ServiceRecord): string {
  // The singular of a list is further from it than a slip of the finger.
  const meant = Object.keys(fields)
    .map((name) => (isKind(name) ? entryKinds[name].several : nearest(name, [...keys, ...lists.keys()])))
    .find((name) => name !== undefined);
  return `does not say what it is: it has no kind, code, subject_id or email${suggestion(meant)}`;
}
