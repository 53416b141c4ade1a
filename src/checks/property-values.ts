import { type Detail, detailsFor } from '../errors.ts';
import { isRecord } from '../records.ts';
import { languageProblem } from './language.ts';
import type { PropertyField } from './property-fields.ts';
import { nameProblem, textProblem } from './text.ts';

/** What is wrong with the value of a field; `name` is how messages call it. */
export async function valueProblems(
  field: PropertyField,
  value: unknown,
  name: string,
): Promise<readonly Detail[]> {
  if (field.kind === 'languages') return languageProblems(value, name);
  if (typeof value !== 'string') return [{ field: name, reason: 'must be a text, in quotes' }];
  return detailsFor(name, textProblem(value) ?? (await field.problem(value)));
}

/** What is wrong with one entry of a language map, or `undefined`. */
export function languageTextProblem(language: string, text: unknown): string | undefined {
  return (
    languageProblem(language) ??
    (typeof text === 'string' ? nameProblem(text, 5_000) : 'must be a text, in quotes')
  );
}

function languageProblems(value: unknown, name: string): readonly Detail[] {
  if (!isRecord(value)) return [{ field: name, reason: 'must hold a text for each language code' }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ field: name, reason: 'needs a text in at least one language' }];
  return entries.flatMap(([language, text]) =>
    detailsFor(`${name} ${language}`, languageTextProblem(language, text)),
  );
}
