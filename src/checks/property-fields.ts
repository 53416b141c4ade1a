import { textProblem } from './text.ts';
import { timeOfDayProblem } from './time-of-day.ts';
import { timeZoneProblem } from './time-zone.ts';

/** Says what is wrong with a text, or `undefined`. */
export type Check = (text: string) => string | undefined;

/** One field of the create-property body, as the contract names it. */
export interface PropertyField {
  /** Where it stands in the body. */
  readonly path: readonly [string] | readonly ['location', string];
  /** Name of its flag, without dashes. */
  readonly flag: string;
  /** What help and the prompt say of it. */
  readonly summary: string;
  /** A value as it is typed, where its form is not plain. */
  readonly example?: string;
  /** `languages`: a text for each language code. */
  readonly kind: 'text' | 'languages';
  /** Opens the check of a text: some load long tables. */
  readonly check: () => Promise<Check>;
}

/** All fields of create property: the contract names no others, and a property needs each of them. */
export const propertyFields: readonly PropertyField[] = [
  field('code', 'short code, as in reports'),
  { ...field('name', 'name in one language', 'en="Grand Hotel"'), kind: 'languages' },
  field('company_name', 'company that runs it'),
  field('commercial_register_entry', "the company's entry in the commercial register"),
  field('tax_id', "the company's tax id"),
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

/** Those that stay what they were when the property was created: the service refuses to change them. */
export const fixedFields: readonly string[] = ['code', 'time_zone', 'currency_code'];

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
  return { ...field(name, summary, example), path: ['location', name] };
}
