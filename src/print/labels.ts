import { languageMaps } from '../model/property-fields.ts';
import { isIndex } from '../model/records.ts';
import { capitalised } from '../model/text.ts';
import type { Column } from './output.ts';

/** Labels that are not the words of the field; `#` is the number of an entry. */
const known = new Map(
  Object.entries({
    'location.address_line1': 'Address line 1',
    'location.address_line2': 'Address line 2',
    'location.city': 'City',
    'location.country_code': 'Country',
    'location.postal_code': 'Postal code',
    'location.region_code': 'Region',
    'bank_account.bank': 'Bank',
    'bank_account.bic': 'BIC',
    'bank_account.iban': 'IBAN',
    currency_code: 'Currency',
    default_check_in_time: 'Check-in',
    default_check_out_time: 'Check-out',
    email: 'E-mail',
    is_mfa_enabled: 'MFA',
    is_passkeys_enabled: 'Passkeys',
    'connecting_unit.id': 'Part of unit',
    property_roles: 'Roles by property',
    'property_roles.#.id': 'Property #',
    'property_roles.#.roles': 'Roles at property #',
    'unit_group.code': 'Group code',
    'unit_group.id': 'Group',
  }),
);

/** Words that are spelt like names. */
const acronyms = /\b(?:api|bic|iban|mfa|tls|url|vat)\b/g;

/**
 * A field in words: a column's header, or its own name; `Name (de)` for one language, `Unit group 1 name` for a field of an
 * entry.
 *
 * @param path names with dots between them.
 */
export function labelOf(path: string, columns: readonly Column[]): string {
  const column = columns.find(({ field }) => field === path);
  const names = path.split('.');
  const [entry = ''] = names.filter(isIndex);
  const label = known.get(path.replace(entry, '#')) ?? known.get(path);
  if (column !== undefined) return column.header;
  if (label !== undefined) return label.replace('#', String(Number(entry) + 1));
  const last = names.at(-1) ?? '';
  if (names.length === 1) return capitalised(inWords(path)) || path;
  const around = names.slice(0, -1).join('.');
  const before = labelOf(around, columns);
  const isLanguage = columns.some(({ field, format }) => field === around && format === 'language');
  if (languageMaps.has(around) || isLanguage) return `${before} (${last})`;
  return isIndex(last) ? `${singular(before)} ${Number(last) + 1}` : `${before} ${inWords(last)}`;
}

/**
 * The columns of fields, with blanks between them.
 *
 * @param special those that are more than a field with its label.
 */
export function columnsOf(fields: string, special: readonly Column[] = []): readonly Column[] {
  return fields
    .split(' ')
    .map((field) => special.find((each) => each.field === field) ?? { field, header: labelOf(field, []) });
}

/** A name in snake_case or camelCase as words; any other as it is. */
function inWords(name: string): string {
  if (!/^[a-z][a-zA-Z\d]*(?:_[a-zA-Z\d]+)*$/.test(name)) return name;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  const told = words[0] === 'is' && words.length > 1 ? words.slice(1) : words;
  return told.join(' ').replaceAll(acronyms, (word) => word.toUpperCase());
}

/** `Properties` as one of them. */
function singular(words: string): string {
  if (words.endsWith('ies')) return `${words.slice(0, -3)}y`;
  return words.endsWith('s') && !words.endsWith('ss') ? words.slice(0, -1) : words;
}
