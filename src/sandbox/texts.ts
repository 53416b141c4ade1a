import type { LanguageMap, PropertyRecord, UnitGroupRecord } from './records.ts';

/** The text that lists and embedded records show: the English one if there is one. */
export function oneText(map: LanguageMap): string {
  return map['en'] ?? Object.values(map)[0] ?? '';
}

/** The texts in some languages; in all of them if none is named, or `all`. */
export function inLanguages(map: LanguageMap, languages: readonly string[]): LanguageMap {
  if (languages.length === 0 || languages.includes('all')) return map;
  return Object.fromEntries(Object.entries(map).filter(([language]) => languages.includes(language)));
}

/** A property inside another record. */
export function embeddedProperty({ id, code, name, description }: PropertyRecord) {
  return {
    ...{ id, code, name: oneText(name) },
    ...(description === undefined ? {} : { description: oneText(description) }),
  };
}

/** A unit group inside another record. */
export function embeddedGroup({ id, code, name, description, type }: UnitGroupRecord) {
  return { id, code, name: oneText(name), description: oneText(description), type };
}
