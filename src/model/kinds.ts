import { countryCodes, countryProblem, currencyProblem } from './codes.ts';
import type { Check } from './ports.ts';
import { expandRange, unitNameProblem } from './ranges.ts';
import {
  choiceProblem,
  emailProblem,
  idPattern,
  idProblem,
  nameProblem,
  quote,
  shortCodeProblem,
  textProblem,
} from './text.ts';
import { isSameZone, timeOfDay, timeOfDayProblem, timeZoneProblem, wholeProblem } from './values.ts';

/** What a manifest describes. */
export const kinds = ['property', 'invitation', 'user', 'unit_attribute', 'unit_group', 'unit'] as const;
export type Kind = (typeof kinds)[number];

/** What a property rents out; only services of the dialect apaleo have it. */
export type InventoryKind = Extract<Kind, `unit${string}`>;

/** What a property is and rents out. */
export type HotelKind = 'property' | InventoryKind;

/** The words of the command line for it. */
export const nouns = {
  property: 'properties',
  unit: 'units',
  unit_group: 'unit-groups',
  unit_attribute: 'unit-attributes',
} as const satisfies Record<HotelKind, string>;

/** The part of the service that creates, reads and deletes its records. */
export const resources = {
  property: 'properties',
  unit: 'units',
  unit_group: 'unitGroups',
  unit_attribute: 'unitAttributes',
} as const satisfies Record<HotelKind, string>;

/** One field of a kind, as flags, prompts, files, tables and requests name it. */
export interface Field {
  /** The names that lead to it in a file, and in a record unless `shownAt` says otherwise; snake_case. */
  readonly path: readonly [string] | readonly ['location' | 'bank_account', string];
  /** Its path with a dot. */
  readonly name: string;
  /** Name of its flag, without dashes. */
  readonly flag: string;
  /** Its description in help, prompts and schemas. */
  readonly summary: string;
  /** A value as it is typed, if its form is not obvious. */
  readonly example?: string;
  /**
   * `languages`: a text for each language code; `whole`: a whole number from 1; `choice`: one of `choices`; `list`: texts;
   * `counts`: a number for each text; `names`: names and ranges of several records; `roles`: roles at each property.
   */
  readonly type: 'text' | 'languages' | 'whole' | 'choice' | 'truth' | 'list' | 'counts' | 'names' | 'roles';
  readonly choices?: readonly string[];
  /** All values, where they are too many for help. */
  readonly known?: () => readonly string[];
  /** A record can be created without it. */
  readonly isOptional?: true;
  /** It cannot be changed after the record is created. */
  readonly isFixed?: true;
  /** The public service has it beyond the contract. */
  readonly isFurther?: true;
  /** Records differ in it, so that it is not copied from another one. */
  readonly isOwn?: true;
  /** A unit has it from its group, unless it is given. */
  readonly isInherited?: true;
  /** No service shows it. */
  readonly isNeverShown?: true;
  /** The kind of the records that its texts name. */
  readonly of?: HotelKind;
  /** Its name in the body of a request; default: its own. */
  readonly sentAs?: string;
  /** In a request the ids of a list are in objects, under this name. */
  readonly sentUnder?: string;
  /** Where a record shows it. */
  readonly shownAt?: readonly string[];
  /** What people read in its place. Default: its words. */
  readonly label?: string;
  /** The operation of a patch that sets it, whatever the record shows. */
  readonly patchedBy?: 'add' | 'replace';
  /** What is wrong with one typed value. */
  readonly check: Check;
  /** The value of a text that was typed in another form: `15:00`. */
  readonly read?: (text: string) => string;
  /** Whether two values mean the same. Default: they are equal. */
  readonly isSame?: (one: string, other: string) => boolean;
  /** The default answer of a prompt. */
  readonly usual?: string;
  /** Of the values that an editor can check by itself. Default: of a text that is not blank. */
  readonly pattern?: string;
  /** The longest value, code units, as editors check it. */
  readonly most?: number;
  /** What a list holds, with values as a file has them: `of roles: [Housekeeping, Auditor]`. */
  readonly several?: string;
}

/** A query parameter of a list that a flag gives. */
export interface Filter {
  readonly parameter: string;
  readonly flag: string;
  /** `names`: several; `true|false`: a truth. */
  readonly value: 'id' | 'name' | 'names' | 'text' | 'true|false' | 'type';
  /** Completes `filter by`. */
  readonly text: string;
  readonly choices?: readonly string[];
  /** Default: `textProblem`. */
  readonly check?: Check;
  /** The kind of the records that it names by their codes and names. */
  readonly of?: InventoryKind;
  /** The public service has it beyond the contract. */
  readonly isFurther?: true;
}

/** What is known of one kind of record. */
interface KindRow {
  /** How messages call one. */
  readonly one: string;
  /** How messages call several; a list of them in a manifest has this name. */
  readonly several: string;
  /** Any of these fields of an entry identifies the kind, unless one of a kind before it does. */
  readonly identifiedBy: readonly string[];
  /** The beginning of a table's header, as an example. */
  readonly sample: readonly string[];
  readonly fields: readonly Field[];
  /** What a record shows besides: only the service sets it. */
  readonly shown: readonly string[];
  /** The labels of what is shown and set under no such name, where they are not its words. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The columns of its lists in the order of csv and the like, with blanks between; `field=Header` where it is not the label. */
  readonly columns: string;
  /** The same for people, what matters most first. Default: `columns`. */
  readonly table?: string;
  readonly filters: readonly Filter[];
  /** The values of `expand`. */
  readonly expansions: readonly string[];
}

/** A text that blanks around it do not change. */
const exact = { read: (text: string) => text.trim() };
const time = {
  check: timeOfDayProblem,
  read: timeOfDay,
  isNeverShown: true,
  patchedBy: 'replace',
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$',
} as const;
const texts = { type: 'languages' } as const;
const whole = { type: 'whole', check: wholeProblem } as const;
const own = { isOwn: true } as const;
const [optional, fixed, further] = [
  { isOptional: true } as const,
  { isFixed: true } as const,
  { isFurther: true } as const,
];
const furtherOptional = { ...further, ...optional };
const unitTypes = ['BedRoom', 'MeetingRoom', 'EventSpace', 'ParkingLot'];
const conditions = ['Clean', 'CleanToBeInspected', 'Dirty'];
const ofId = { ...exact, check: idProblem, pattern: idPattern, example: 'BER' };
const several = {
  type: 'list',
  of: 'property',
  patchedBy: 'add',
  several: 'of property ids: [BER, VIE]',
} as const;
const personProperties = { ...several, ...optional, ...ofId };
const ofRole = { ...exact, check: oneRoleProblem, most: 100, example: 'Housekeeping' };
const email = field('email', 'e-mail address', {
  ...{ ...exact, check: emailProblem, example: 'ana@example.com', most: 254, label: 'E-mail' },
  pattern: '^[^@\\s/\\\\]{1,64}@[^@\\s/\\\\]+\\.[^@\\s/\\\\]+$',
});

/** The property of a group or a unit. */
function home(summary: string): Field {
  const { sentAs, shownAt } = { sentAs: 'property_id', shownAt: ['property', 'id'] };
  return field('property', summary, { ...fixed, ...ofId, of: 'property', sentAs, shownAt });
}

const inProperty: Filter = {
  parameter: 'property_id',
  flag: 'property',
  value: 'id',
  text: 'property',
  check: idProblem,
};

/** Every kind, and every field of it: flags, prompts, schemas, columns, comparisons and requests are made from this. */
export const kindTable: Readonly<Record<Kind, KindRow>> = {
  property: {
    one: 'a property',
    several: 'properties',
    identifiedBy: ['code'],
    sample: ['code', 'name.en', 'company_name'],
    fields: [
      field('code', 'short code, as in reports', { ...own, ...fixed, ...exact }),
      field('name', 'name in one language', { ...own, ...texts, example: 'en="Grand Hotel"' }),
      field('company_name', 'operating company'),
      field('commercial_register_entry', 'commercial register entry of the company'),
      field('tax_id', 'tax id of the company', exact),
      field('location.address_line1', 'street and number', { label: 'Address line 1' }),
      field('location.postal_code', 'postal code', exact),
      field('location.city', 'city'),
      field('location.country_code', 'country (ISO 3166-1 alpha-2)', {
        ...{ ...exact, example: 'DE', check: countryProblem, known: countryCodes, label: 'Country' },
      }),
      field('time_zone', 'IANA time zone', {
        ...{ ...fixed, ...exact, example: 'Europe/Berlin', check: timeZoneProblem, isSame: isSameZone },
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
      }),
      field('default_check_in_time', 'check-in time', {
        ...{ ...time, example: '15:00:00', usual: '15:00', label: 'Check-in' },
      }),
      field('default_check_out_time', 'check-out time', {
        ...{ ...time, example: '11:00:00', usual: '11:00', label: 'Check-out' },
      }),
      field('currency_code', 'currency (ISO 4217)', {
        ...{ ...fixed, ...exact, example: 'EUR', check: currencyProblem, label: 'Currency' },
        pattern: '^[A-Z]{3}$',
      }),
      field('payment_terms', 'payment terms in one language', {
        ...{ ...further, ...texts, example: 'en="Payment on check-in"' },
      }),
      field('description', 'description in one language', {
        ...{ ...furtherOptional, ...texts, example: 'en="At the harbour"' },
      }),
      field('managing_directors', 'managing directors, as on invoices', furtherOptional),
      field('location.address_line2', 'second address line', { ...furtherOptional, label: 'Address line 2' }),
      field('location.region_code', 'region (ISO 3166-2)', {
        ...{ ...furtherOptional, ...exact, example: 'DE-BY', check: regionProblem, label: 'Region' },
        pattern: '^([A-Z]{2}(-[A-Z0-9]{1,3})?|[A-Z0-9]{2,3})$',
      }),
      field('bank_account.iban', 'IBAN of the bank account', furtherOptional),
      field('bank_account.bic', 'BIC of the bank account', furtherOptional),
      field('bank_account.bank', 'name of the bank', furtherOptional),
    ],
    shown: [
      ...['id', 'status', 'is_archived', 'is_template', 'created'],
      ...['property_template_id', 'unit_groups', 'actions'],
    ],
    columns: 'id name location.city location.country_code currency_code status',
    table: 'id name location.city status location.country_code currency_code',
    filters: [
      {
        ...{ ...further, parameter: 'status', flag: 'status', value: 'names', text: 'status' },
        choices: ['Test', 'Live'],
      },
      {
        ...{ ...further, parameter: 'country_code', flag: 'country-code', value: 'names', text: 'country' },
        check: countryProblem,
      },
      {
        ...{ ...further, parameter: 'include_archived', flag: 'include-archived', value: 'true|false' },
        text: 'archived ones too',
      },
    ],
    expansions: ['actions'],
  },
  invitation: {
    one: 'an invitation',
    several: 'invitations',
    identifiedBy: ['email'],
    sample: ['email', 'role', 'properties'],
    fields: [
      email,
      field('role', 'role that the person gets at these properties', {
        ...{ ...optional, ...ofRole, check: (text) => textProblem(text, 100) },
      }),
      field('roles', 'all roles that the person gets, where there are several', {
        ...{ ...furtherOptional, ...ofRole, type: 'list', several: 'of roles: [Housekeeping, Auditor]' },
      }),
      field('properties', 'properties that the person may work with', personProperties),
      field('is_account_admin', 'full access to every property', { type: 'truth', ...optional }),
    ],
    shown: ['created', 'invited_by'],
    columns: 'email role properties is_account_admin invited_by created',
    table: 'email role properties created is_account_admin invited_by',
    filters: [inProperty],
    expansions: [],
  },
  user: {
    one: 'a user',
    several: 'users',
    identifiedBy: ['subject_id', 'enabled', 'property_roles'],
    sample: ['email', 'enabled', 'properties'],
    fields: [
      { ...email, ...optional, ...fixed },
      field('subject_id', 'id of the user', {
        ...{ ...optional, ...fixed, ...exact, check: idProblem, pattern: idPattern },
      }),
      field('enabled', 'whether the user may log in', { type: 'truth', patchedBy: 'replace', ...optional }),
      field('properties', 'all properties that the user has afterwards', personProperties),
      field('property_roles', 'roles at each property; compared only, because nothing changes them', {
        ...{ type: 'roles', ...optional, ...fixed, label: 'Roles by property' },
      }),
      field('first_name', 'first name', { ...furtherOptional, patchedBy: 'replace', check: nameProblem }),
      field('last_name', 'last name', { ...furtherOptional, patchedBy: 'replace', check: nameProblem }),
      field('is_account_admin', 'full access to every property', {
        ...{ ...furtherOptional, type: 'truth', patchedBy: 'replace' },
      }),
    ],
    shown: ['is_mfa_enabled', 'is_passkeys_enabled'],
    labels: { is_mfa_enabled: 'MFA', is_passkeys_enabled: 'Passkeys' },
    columns: 'subject_id email first_name last_name enabled is_account_admin is_mfa_enabled properties',
    table: 'first_name=Name email enabled=State properties=Roles is_mfa_enabled is_account_admin subject_id',
    filters: [
      { ...inProperty, parameter: 'property_ids', value: 'names' },
      {
        ...{ ...further, parameter: 'email', flag: 'email', value: 'text', text: 'e-mail address' },
        check: emailProblem,
      },
      {
        ...{ ...further, parameter: 'enabled', flag: 'enabled', value: 'true|false' },
        text: 'enabled users, or with false by disabled ones',
      },
    ],
    expansions: [],
  },
  unit_attribute: {
    one: 'a unit attribute',
    several: 'unit_attributes',
    identifiedBy: [],
    sample: ['kind', 'name', 'description'],
    fields: [
      field('name', 'name, up to 50 characters', {
        ...{ ...own, ...fixed, example: 'BALCONY', check: (text) => nameProblem(text, 50) },
      }),
      field('description', 'description', { ...optional, example: 'Balcony' }),
    ],
    shown: ['id'],
    columns: 'id name description',
    filters: [],
    expansions: [],
  },
  unit_group: {
    one: 'a unit group',
    several: 'unit_groups',
    identifiedBy: ['connected', 'rank'],
    sample: ['property', 'code', 'name.en'],
    fields: [
      home('property of the group'),
      field('code', 'short code, as in reports', {
        ...{ ...own, ...fixed, ...exact, check: shortCodeProblem, example: 'DBL' },
      }),
      field('name', 'name in one language', { ...own, ...texts, example: 'en=Double' }),
      field('description', 'description in one language', { ...texts, example: 'en="Queen bed"' }),
      field('max_persons', 'most persons in one unit', { ...whole, example: '2' }),
      field('type', 'what it is', { ...choice(unitTypes), ...optional, ...fixed }),
      field('rank', 'place in lists, from 1', { ...own, ...whole, ...optional }),
      field('connected', 'group that a unit is made of, and how many', {
        ...{ ...own, type: 'counts', example: 'DBL=1', ...optional, ...fixed, of: 'unit_group' },
        ...{
          sentAs: 'connected_unit_groups',
          sentUnder: 'unit_group_id',
          shownAt: ['connected_unit_groups'],
        },
      }),
    ],
    shown: ['id', 'member_count', 'actions'],
    columns: 'id property.id=Property code name type max_persons=Persons member_count=Units rank',
    table: 'id name member_count=Units max_persons=Persons type property.id=Property code rank',
    filters: [
      inProperty,
      {
        ...{ parameter: 'unit_group_types', flag: 'type', value: 'names', text: 'type' },
        choices: [...unitTypes, 'Other'],
      },
    ],
    expansions: ['property', 'connectedUnitGroups'],
  },
  unit: {
    one: 'a unit',
    several: 'units',
    identifiedBy: ['group', 'names', 'max_persons', 'attributes', 'connects', 'condition'],
    sample: ['property', 'name', 'group'],
    fields: [
      home('property of the unit'),
      field('name', 'name or number', { ...own, example: '201', check: unitNameProblem }),
      field('names', 'names of several units, up to 1,000', {
        ...{ ...own, type: 'names', ...optional, ...fixed, example: '201..228', check: namesProblem },
      }),
      field('description', 'description in one language', {
        ...{ ...texts, isInherited: true, example: 'en="With a view"' },
      }),
      field('max_persons', 'most persons', { ...whole, isInherited: true, example: '2' }),
      field('group', 'unit group, by code or id', {
        ...{ ...optional, ...exact, check: idProblem, example: 'DBL', of: 'unit_group' },
        ...{ sentAs: 'unit_group_id', shownAt: ['unit_group', 'id'], label: 'Group' },
      }),
      field('condition', 'how clean it is', {
        ...{ ...own, ...choice(conditions), ...optional, shownAt: ['status', 'condition'] },
      }),
      field('attributes', 'unit attribute, by name or id', {
        ...{ type: 'list', flag: 'attribute', ...optional, example: 'BALCONY', of: 'unit_attribute' },
        sentUnder: 'id',
      }),
      field('connects', 'unit that it is made of, by name or id', {
        ...{ ...own, type: 'list', ...optional, ...fixed, example: '201', of: 'unit' },
        ...{ sentAs: 'connected_units', sentUnder: 'unit_id', shownAt: ['connected_units'] },
      }),
    ],
    shown: ['id', 'connecting_unit', 'status', 'created', 'is_archived', 'actions'],
    labels: { 'connecting_unit.id': 'Part of unit', 'unit_group.code': 'Group code' },
    columns:
      'id property.id=Property name unit_group.code=Group max_persons=Persons status.condition=Condition ' +
      'status.is_occupied=Occupied status.maintenance.type=Maintenance is_archived',
    table:
      'id name unit_group.code=Group status.condition=Condition max_persons=Persons attributes ' +
      'status.maintenance.type=Maintenance status.is_occupied=Occupied property.id=Property is_archived',
    filters: [
      inProperty,
      {
        ...{ parameter: 'unit_group_ids', flag: 'group', value: 'names', text: 'unit group, by code or id' },
        ...{ check: idProblem, of: 'unit_group' },
      },
      {
        ...{ parameter: 'unit_attribute_ids', flag: 'attribute', value: 'names' },
        ...{ text: 'unit attribute, by name or id', of: 'unit_attribute' },
      },
      {
        ...{ parameter: 'is_occupied', flag: 'occupied', value: 'true|false' },
        text: 'occupied units, or with false by vacant ones',
      },
      {
        ...{ parameter: 'maintenance_type', flag: 'maintenance', value: 'type', text: 'maintenance' },
        choices: ['OutOfService', 'OutOfOrder', 'OutOfInventory'],
      },
      { parameter: 'condition', flag: 'condition', value: 'name', text: 'condition', choices: conditions },
      { parameter: 'text_search', flag: 'search', value: 'text', text: 'a part of the name' },
      {
        ...{ parameter: 'status', flag: 'status', value: 'name', text: 'status' },
        choices: ['Active', 'Archived', 'All'],
      },
    ],
    expansions: ['property', 'unitGroup', 'connectedUnits', 'actions'],
  },
};

/** @param path dots between names. */
function field(
  path: string,
  summary: string,
  more: Partial<Omit<Field, 'path' | 'name' | 'summary'>> = {},
): Field {
  // The paths above are those of the type.
  const names = path.split('.') as [string];
  const flag = String(names.at(-1)).replaceAll('_', '-');
  const { check = textProblem } = more;
  const isTyped = more.type !== undefined && more.type !== 'languages';
  return {
    ...{ path: names, name: path, flag, summary, type: 'text', ...more },
    check: isTyped ? check : (text) => textProblem(text) ?? check(text),
  };
}

function choice(choices: readonly string[]) {
  return {
    ...exact,
    type: 'choice',
    choices,
    check: (text: string) => choiceProblem(text, choices),
  } as const;
}

/** A table has all roles of a person in one cell. */
export function oneRoleProblem(name: string): string | undefined {
  return /[,;]/.test(name) ? `${quote(name)} is more than one role` : roleProblem(name);
}

/** What is wrong with the name of a role, or `undefined`. */
export function roleProblem(name: string): string | undefined {
  return textProblem(name, 100);
}

/** What is wrong with a name or a range of names, or `undefined`. */
function namesProblem(text: string): string | undefined {
  const expanded = expandRange(text);
  return 'problem' in expanded ? expanded.problem : unitNameProblem(expanded.at(-1) ?? '');
}

function regionProblem(code: string): string | undefined {
  if (/^[A-Z]{2}(-[A-Z0-9]{1,3})?$|^[A-Z0-9]{2,3}$/.test(code)) return undefined;
  return `${quote(code)} is not a region code of ISO 3166-2 such as DE-BY`;
}

/** The field of a kind with a name; dots between names. */
export function fieldOf(kind: Kind, name: string): Field | undefined {
  return kindTable[kind].fields.find((each) => each.name === name);
}

/** The query parameters of a list and a count of a kind, but for pages, views and orders. */
export function parametersOf(
  kind: Kind,
  passes: (filter: Filter) => boolean = () => true,
): readonly string[] {
  return kindTable[kind].filters.filter(passes).map(({ parameter }) => parameter);
}

/** The names of the fields of a kind that pass a test. */
export function namesOf(kind: Kind, passes: (field: Field) => boolean = () => true): readonly string[] {
  return kindTable[kind].fields.filter(passes).map(({ name }) => name);
}

/** Whether only the public service has a field, or a query parameter. */
export function isFurther({ isFurther: is }: Pick<Field, 'isFurther'>): boolean {
  return is === true;
}

/** Whether a field has a text for each language. */
export function isInLanguages({ type }: Pick<Field, 'type'>): boolean {
  return type === 'languages';
}

/** Fields of a property with a text for each language. */
export const languageMaps: ReadonlySet<string> = new Set(namesOf('property', isInLanguages));

/** Fields of a property that cannot be changed after it is created. */
export const fixedFields = namesOf('property', ({ isFixed }) => isFixed === true);

/** The times of day of a property: no service shows them. */
export const timeFields = namesOf('property', ({ isNeverShown }) => isNeverShown === true);

/** A field of a name, of whichever kind has it first: fields of one name are alike in cells. */
export const fieldNamed: ReadonlyMap<string, Field> = new Map(
  kinds
    .flatMap((kind) => kindTable[kind].fields)
    .toReversed()
    .map((each) => [each.name, each]),
);

/** The names of all fields of a type, of any kind. */
export function namesOfType(type: Field['type']): readonly string[] {
  return [...fieldNamed.values()].filter((each) => each.type === type).map(({ name }) => name);
}

export function isKind(value: unknown): value is Kind {
  return kinds.some((kind) => kind === value);
}

export function isInventory(kind: Kind): kind is InventoryKind {
  return kind === 'unit_attribute' || kind === 'unit_group' || kind === 'unit';
}

/** A kind in messages: `unit group`. */
export function kindText(kind: Kind): string {
  return kind.replace('_', ' ');
}

/** Several records of a kind in messages: `unit groups`. */
export function severalOf(kind: Kind): string {
  return kindTable[kind].several.replace('_', ' ');
}

/** Whether a record is about a person. */
export function isPerson(kind: Kind): boolean {
  return kind === 'user' || kind === 'invitation';
}
