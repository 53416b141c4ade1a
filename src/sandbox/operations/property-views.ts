import type { PropertyRecord } from '../store/records.ts';

/** Fields that hold a text for each language. */
const languageMaps = ['name', 'description', 'payment_terms'] as const;

type LanguageMap = Readonly<Record<string, string>>;

/** A property in a list: the name and the description in one language. */
export function listView({
  default_check_in_time: _in,
  default_check_out_time: _out,
  ...property
}: PropertyRecord) {
  const { name, description } = property;
  return {
    ...property,
    name: oneText(name),
    ...(description === undefined ? {} : { description: oneText(description) }),
  };
}

/** A property as the contract shows it in a list, and nothing that the contract does not show. */
export function bareView({ id, name }: PropertyRecord) {
  return { id, name: oneText(name) };
}

/**
 * A property alone. The times of day are stored and never read back, as in the real service.
 *
 * @param languages which texts to show; empty or with `all`: all of them, so that what is read can be written.
 */
export function singleView(
  { default_check_in_time: _in, default_check_out_time: _out, ...property }: PropertyRecord,
  languages: readonly string[],
) {
  if (languages.length === 0 || languages.includes('all')) return property;
  const chosen = languageMaps.flatMap((field) => {
    const map = property[field];
    return map === undefined ? [] : [[field, only(map, languages)]];
  });
  return { ...property, ...Object.fromEntries(chosen) };
}

/** What may be done to a property now, and why not. */
export function actionsOf({ status }: PropertyRecord) {
  const inTest = status === 'Test';
  return [
    action('Delete', inTest, 'DeleteNotAllowedForPropertyNotInStatusTest'),
    action('Archive', !inTest, 'ArchiveNotAllowedForPropertyNotInStatusLive'),
    action('SetLive', inTest, 'SetToLiveNotAllowedForPropertyNotInStatusTest'),
    action('Reset', inTest, 'ResetNotAllowedForPropertyNotInStatusTest'),
  ];
}

function action(name: string, isAllowed: boolean, code: string) {
  if (isAllowed) return { action: name, is_allowed: true };
  const status = code.endsWith('Live') ? 'Live' : 'Test';
  return {
    action: name,
    is_allowed: false,
    reasons: [{ code, message: `Only a property in status ${status} allows this.` }],
  };
}

function oneText(map: LanguageMap): string {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

function only(map: LanguageMap, languages: readonly string[]): LanguageMap {
  return Object.fromEntries(Object.entries(map).filter(([language]) => languages.includes(language)));
}
