import { quote } from './text.ts';

/** Codes that are written often. To open the names of all languages takes milliseconds. */
const usualLanguages = new Set(
  'ar bg cs da de el en es et fi fr hr hu it ja ko lt lv nl no pl pt ro ru sk sl sv tr uk zh'.split(' '),
);

/** What is wrong with a BCP 47 language tag such as `de` or `de-AT`, or `undefined`. */
export function languageProblem(tag: string): string | undefined {
  const canonical = canonicalTag(tag);
  if (canonical === undefined || !isKnown(new Intl.Locale(canonical).language)) {
    return `${quote(tag)} is not a language code such as en, de or de-AT`;
  }
  const isMiscased = canonical !== tag && canonical.toLowerCase() === tag.toLowerCase();
  return isMiscased ? `${quote(tag)} is written ${canonical}` : undefined;
}

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Every two-letter code has a name; of the three-letter ones not all do, and longer ones are words. */
function isKnown(language: string): boolean {
  if (language.length === 3 || usualLanguages.has(language)) return true;
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return language.length === 2 && names.of(language) !== undefined;
}
