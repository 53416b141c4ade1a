import { type Detail, detailsFor } from '../errors.ts';
import { isRecord } from '../records.ts';
import { languageProblem } from './language.ts';
import type { PropertyField } from './property-fields.ts';
import { nameProblem, textProblem } from './text.ts';

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
