import { type Detail, detailsFor } from '../cli/errors.ts';
import { isRecord } from './records.ts';
import { nameProblem, quote, textProblem } from './text.ts';
import { languageProblem, timeOfDayProblem, timeZoneProblem } from './values.ts';

/** Says what is wrong with a text, or `undefined`. */
export type Check = (text: string) => string | undefined;

/** One field of the create-property body. */
export interface PropertyField {
  /** Where it stands in the body. */
  readonly path: readonly [string] | readonly ['location' | 'bank_account', string];
  /** Name of its flag, without dashes. */
  readonly flag: string;
  /** What help and the prompt say of it. */
  readonly summary: string;
  /** A value as it is typed, where its form is not plain. */
  readonly example?: string;
  /** `languages`: a text for each language code. */
  readonly kind: 'text' | 'languages';
  /** A property can be created without it. */
  readonly isOptional?: true;
  /** Opens the check of a text: some load long tables. */
  readonly check: () => Promise<Check>;
}

/** All fields of create property: the contract names no others, and a property needs each of them. */
export const propertyFields: readonly PropertyField[] = [
  field('code', 'short code, as in reports'),
  { ...field('name', 'name in one language', 'en="Grand Hotel"'), kind: 'languages' },
  field('company_name', 'operating company'),
  field('commercial_register_entry', 'commercial register entry of the company'),
  field('tax_id', 'tax id of the company'),
  inLocation('address_line1', 'street and number'),
  inLocation('postal_code', 'postal code'),
  inLocation('city', 'city'),
  {
    ...inLocation('country_code', 'country (ISO 3166-1 alpha-2)', 'DE'),
    check: async () => (await import('./country.ts')).countryProblem,
  },
  { ...field('time_zone', 'IANA time zone', 'Europe/Berlin'), check: async () => timeZoneProblem },
  { ...field('default_check_in_time', 'check-in time', '15:00:00'), check: async () => timeOfDayProblem },
  { ...field('default_check_out_time', 'check-out time', '11:00:00'), check: async () => timeOfDayProblem },
  {
    ...field('currency_code', 'currency (ISO 4217)', 'EUR'),
    check: async () => (await import('./currency.ts')).currencyProblem,
  },
];

/** Fields of a public service that the contract does not name; it needs the first of them. */
export const furtherPropertyFields: readonly PropertyField[] = [
  {
    ...field('payment_terms', 'payment terms in one language', 'en="Payment on check-in"'),
    kind: 'languages',
  },
  {
    ...optional(field('description', 'description in one language', 'en="At the harbour"')),
    kind: 'languages',
  },
  optional(field('managing_directors', 'managing directors, as on invoices')),
  optional(inside('location', 'address_line2', 'second address line')),
  optional({
    ...inside('location', 'region_code', 'region (ISO 3166-2)', 'DE-BY'),
    check: async () => regionProblem,
  }),
  optional(inside('bank_account', 'iban', 'IBAN of the bank account')),
  optional(inside('bank_account', 'bic', 'BIC of the bank account')),
  optional(inside('bank_account', 'bank', 'name of the bank')),
];

/** All that flags and manifests know, the contract's first. */
export const allPropertyFields: readonly PropertyField[] = [...propertyFields, ...furtherPropertyFields];

/** Those that hold a text for each language. */
export const languageMaps: ReadonlySet<string> = new Set(
  allPropertyFields.flatMap(({ path, kind }) => (kind === 'languages' ? [path[0]] : [])),
);

/** Those that stay what they were when the property was created: the service refuses to change them. */
export const fixedFields: readonly string[] = ['code', 'time_zone', 'currency_code'];

/** Whether a path leads to what stays: `fixed` are dotted paths, and what lies within them is meant too. */
export function isFixedAt(path: readonly string[], fixed: readonly string[]): boolean {
  return path.some((_, index) => fixed.includes(path.slice(0, index + 1).join('.')));
}

/** The times of day: they are never read back, and the public service keeps them for good. */
export const timeFields: readonly string[] = ['default_check_in_time', 'default_check_out_time'];

/** What the service makes of a property and nobody writes. */
export const serviceFields: readonly string[] = [
  ...['id', 'status', 'is_archived', 'is_template', 'created'],
  ...['property_template_id', 'unit_groups', 'actions'],
];

/** The name that a flag has as an option of the program and as a segment of the contract's update paths. */
export function camelCase(flag: string): string {
  return flag.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function field(name: string, summary: string, example?: string): PropertyField {
  const flag = name.replaceAll('_', '-');
  return {
    path: [name],
    flag,
    summary,
    ...(example === undefined ? {} : { example }),
    kind: 'text',
    check: async () => textProblem,
  };
}

function inLocation(name: string, summary: string, example?: string): PropertyField {
  return inside('location', name, summary, example);
}

function inside(
  above: 'location' | 'bank_account',
  name: string,
  summary: string,
  example?: string,
): PropertyField {
  return { ...field(name, summary, example), path: [above, name] };
}

function optional(given: PropertyField): PropertyField {
  return { ...given, isOptional: true };
}

/** As the service takes it: two to six characters. */
function regionProblem(code: string): string | undefined {
  if (/^[A-Z]{2}(-[A-Z0-9]{1,3})?$|^[A-Z0-9]{2,3}$/.test(code)) return undefined;
  return `${quote(code)} is not a region code of ISO 3166-2 such as DE-BY`;
}

/** Said of what is no text. */
export const notText = 'must be a text, in quotes';

/** Said of what is no map of texts by language. */
export const noLanguageMap = 'must hold a text for each language code';

/** Said of such a map in which nothing stands. */
export const noLanguage = 'needs a text in at least one language';

/** What is wrong with the value of a field; `name` is how messages call it. */
export async function valueProblems(
  field: PropertyField,
  value: unknown,
  name: string,
): Promise<readonly Detail[]> {
  if (field.kind === 'languages') return languageProblems(value, name);
  if (typeof value !== 'string') return [{ field: name, reason: notText }];
  return detailsFor(name, textProblem(value) ?? (await field.check())(value));
}

/** What is wrong with a text in one language, or `undefined`. */
export function textInLanguageProblem(text: string): string | undefined {
  return nameProblem(text, 5_000);
}

/** What is wrong with one entry of a language map, or `undefined`. */
export function languageTextProblem(language: string, text: unknown): string | undefined {
  return languageProblem(language) ?? (typeof text === 'string' ? textInLanguageProblem(text) : notText);
}

function languageProblems(value: unknown, name: string): readonly Detail[] {
  if (!isRecord(value)) return [{ field: name, reason: noLanguageMap }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ field: name, reason: noLanguage }];
  return entries.flatMap(([language, text]) =>
    detailsFor(`${name} ${language}`, languageTextProblem(language, text)),
  );
}

/** What a property of a public service is: one that is tried out, and may be deleted, or one that guests stay in. */
export const propertyStatuses: readonly string[] = ['Test', 'Live'];

/** A status as the service spells it, whatever letters it is typed in; `undefined` where it is none. */
export function statusNamed(text: string): string | undefined {
  return propertyStatuses.find((status) => status.toLowerCase() === text.toLowerCase());
}

/** What is wrong with a status, or `undefined`. */
export function statusProblem(text: string): string | undefined {
  return statusNamed(text) === undefined
    ? `${quote(text)} is not ${propertyStatuses.join(' or ')}`
    : undefined;
}
