import { type Detail, detailsFor } from '../cli/errors.ts';
import type { Check } from '../cli/ports.ts';
import { countryProblem, currencyProblem } from './codes.ts';
import type { InventoryField } from './inventory-fields.ts';
import { isRecord, type ServiceRecord } from './records.ts';
import { entryReasons, nameProblem, quote, textProblem } from './text.ts';
import { languageProblem, timeOfDay, timeOfDayProblem, timeZoneProblem, wholeProblem } from './values.ts';

/** One field of the create-property body. */
export interface PropertyField {
  /** Its path in the body. */
  readonly path: readonly [string] | readonly ['location' | 'bank_account', string];
  /** Name of its flag, without dashes. */
  readonly flag: string;
  /** Its description in help and prompts. */
  readonly summary: string;
  /** A value as it is typed, if its form is not obvious. */
  readonly example?: string;
  /** `languages`: a text for each language code. */
  readonly kind: 'text' | 'languages';
  /** A property can be created without it. */
  readonly isOptional?: true;
  readonly check: Check;
  /** The value of a text that was typed in another form: `15:00`. */
  readonly read?: (text: string) => string;
  /** The default answer of a prompt. */
  readonly usual?: string;
}

const time = { check: timeOfDayProblem, read: timeOfDay };

/** All fields of create property in the contract; each is required. */
export const propertyFields: readonly PropertyField[] = [
  field(['code'], 'short code, as in reports'),
  field(['name'], 'name in one language', { example: 'en="Grand Hotel"', kind: 'languages' }),
  field(['company_name'], 'operating company'),
  field(['commercial_register_entry'], 'commercial register entry of the company'),
  field(['tax_id'], 'tax id of the company'),
  field(['location', 'address_line1'], 'street and number'),
  field(['location', 'postal_code'], 'postal code'),
  field(['location', 'city'], 'city'),
  field(['location', 'country_code'], 'country (ISO 3166-1 alpha-2)', {
    example: 'DE',
    check: countryProblem,
  }),
  field(['time_zone'], 'IANA time zone', { example: 'Europe/Berlin', check: timeZoneProblem }),
  field(['default_check_in_time'], 'check-in time', { ...time, example: '15:00:00', usual: '15:00' }),
  field(['default_check_out_time'], 'check-out time', { ...time, example: '11:00:00', usual: '11:00' }),
  field(['currency_code'], 'currency (ISO 4217)', { example: 'EUR', check: currencyProblem }),
];

/** Fields of the public service beyond the contract; the first is required. */
export const furtherPropertyFields: readonly PropertyField[] = [
  field(['payment_terms'], 'payment terms in one language', {
    example: 'en="Payment on check-in"',
    kind: 'languages',
  }),
  field(['description'], 'description in one language', {
    example: 'en="At the harbour"',
    kind: 'languages',
    isOptional: true,
  }),
  field(['managing_directors'], 'managing directors, as on invoices', { isOptional: true }),
  field(['location', 'address_line2'], 'second address line', { isOptional: true }),
  field(['location', 'region_code'], 'region (ISO 3166-2)', {
    example: 'DE-BY',
    check: regionProblem,
    isOptional: true,
  }),
  field(['bank_account', 'iban'], 'IBAN of the bank account', { isOptional: true }),
  field(['bank_account', 'bic'], 'BIC of the bank account', { isOptional: true }),
  field(['bank_account', 'bank'], 'name of the bank', { isOptional: true }),
];

/** The table of fields: flags, prompts, schemas and checks are made from it. */
export const allPropertyFields: readonly PropertyField[] = [...propertyFields, ...furtherPropertyFields];

/** Fields with a text for each language. */
export const languageMaps: ReadonlySet<string> = new Set(
  allPropertyFields.flatMap(({ path, kind }) => (kind === 'languages' ? [path[0]] : [])),
);

/** Fields that cannot be changed after the property is created. */
export const fixedFields: readonly string[] = ['code', 'time_zone', 'currency_code'];

/** Whether a path leads into one of some fixed fields, which have dots between names. */
export function isFixedAt(path: readonly string[], fixed: readonly string[]): boolean {
  return path.some((_, index) => fixed.includes(path.slice(0, index + 1).join('.')));
}

/** The times of day. The public service never shows them, and never changes them. */
export const timeFields: readonly string[] = ['default_check_in_time', 'default_check_out_time'];

/** Fields that only the service sets. */
export const serviceFields: readonly string[] = [
  ...['id', 'status', 'is_archived', 'is_template', 'created'],
  ...['property_template_id', 'unit_groups', 'actions'],
];

function field(
  path: PropertyField['path'],
  summary: string,
  more: Partial<Omit<PropertyField, 'path' | 'flag' | 'summary'>> = {},
): PropertyField {
  const flag = (path[1] ?? path[0]).replaceAll('_', '-');
  const { check = textProblem } = more;
  return { path, flag, summary, kind: 'text', ...more, check: (text) => textProblem(text) ?? check(text) };
}

function regionProblem(code: string): string | undefined {
  if (/^[A-Z]{2}(-[A-Z0-9]{1,3})?$|^[A-Z0-9]{2,3}$/.test(code)) return undefined;
  return `${quote(code)} is not a region code of ISO 3166-2 such as DE-BY`;
}

/** What is wrong with a value that is not text. */
export const notText = 'must be a text, in quotes';

/** What is wrong with a value that is no language map. */
export const noLanguageMap = 'must hold a text for each language code';

/** What is wrong with an empty language map. */
export const noLanguage = 'needs a text in at least one language';

/** What is wrong with the value of a field. @param name for messages. */
export function valueProblems(
  { kind, check }: Pick<PropertyField | InventoryField, 'kind' | 'check'>,
  value: unknown,
  name: string,
): readonly Detail[] {
  const wrong = (reason: string) => [{ field: name, reason }];
  if (kind === 'languages' || kind === 'counts') {
    const isText = kind === 'languages';
    if (!isRecord(value)) return wrong(isText ? noLanguageMap : 'must hold a number for each code');
    const entries = Object.entries(value);
    if (isText && entries.length === 0) return wrong(noLanguage);
    const problemOf = (key: string, each: unknown) =>
      isText ? languageTextProblem(key, each) : wholeProblem(String(each));
    return entries.flatMap(([key, each]) => detailsFor(`${name} ${key}`, problemOf(key, each)));
  }
  if (kind === 'whole') return detailsFor(name, check(String(value)));
  const texts = kind === 'list' ? [value].flat() : [value];
  if (!texts.every((text) => typeof text === 'string')) return wrong(notText);
  return entryReasons(texts, check).flatMap(wrong);
}

/** What is wrong with a text in one language, or `undefined`. */
export function textInLanguageProblem(text: string): string | undefined {
  return nameProblem(text, 5_000);
}

/** What is wrong with one entry of a language map, or `undefined`. */
export function languageTextProblem(language: string, text: unknown): string | undefined {
  return languageProblem(language) ?? (typeof text === 'string' ? textInLanguageProblem(text) : notText);
}

/** The statuses in the public service: only properties in `Test` can be deleted. */
export const propertyStatuses: readonly string[] = ['Test', 'Live'];

/** A status in the spelling of the service, from any case; `undefined` if unknown. */
export function statusNamed(text: string): string | undefined {
  return propertyStatuses.find((status) => status.toLowerCase() === text.toLowerCase());
}

/** What is wrong with a status, or `undefined`. */
export function statusProblem(text: string): string | undefined {
  return statusNamed(text) === undefined
    ? `${quote(text)} is not ${propertyStatuses.join(' or ')}`
    : undefined;
}

/** The times of day among some fields, which no service shows; `undefined` if there are none. */
export function timesIn(fields: ServiceRecord): ServiceRecord | undefined {
  const times = timeFields.flatMap((field) => {
    const value = fields[field];
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  return times.length === 0 ? undefined : Object.fromEntries(times);
}
