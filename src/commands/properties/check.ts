import { currencyWarning } from '../../checks/currency.ts';
import { languageProblem } from '../../checks/language.ts';
import { nameProblem, textProblem } from '../../checks/text.ts';
import { type Detail, detailsFor, invalidInput } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import { type Draft, valueAt } from './body.ts';
import { type PropertyField, propertyFields } from './fields.ts';

/**
 * Returns when every contract field is there and right.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is missing or wrong, all at once.
 */
export async function checkBody(draft: Draft, warn: (sentence: string) => Promise<void>): Promise<void> {
  const location = draft.body['location'] ?? {};
  const isMisshapen = !isRecord(location);
  const fields = propertyFields.filter(({ path }) => path.length === 1 || !isMisshapen);
  const details = (await Promise.all(fields.map((field) => problemsOf(field, draft)))).flat();
  if (isMisshapen) details.push({ field: 'location', reason: 'must hold fields and values' });
  if (details.length > 0) throw invalidInput(details, 'innctl properties create --help');
  const warning = currencyWarning(String(draft.body['currency_code']));
  if (warning !== undefined) await warn(warning);
}

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

async function problemsOf(field: PropertyField, { body, nameOf }: Draft): Promise<readonly Detail[]> {
  const name = nameOf(field);
  const value = valueAt(body, field);
  if (value === undefined || value === null) return [{ field: name, reason: 'is missing' }];
  return valueProblems(field, value, name);
}

function languageProblems(value: unknown, name: string): readonly Detail[] {
  if (!isRecord(value)) return [{ field: name, reason: 'must hold a text for each language code' }];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ field: name, reason: 'needs a text in at least one language' }];
  return entries.flatMap(([language, text]) =>
    detailsFor(`${name} ${language}`, languageTextProblem(language, text)),
  );
}
