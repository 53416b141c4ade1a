import { currencyWarning } from '../../checks/currency.ts';
import { type PropertyField, propertyFields } from '../../checks/property-fields.ts';
import { valueProblems } from '../../checks/property-values.ts';
import { type Detail, invalidInput } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import { type Draft, valueAt } from './body.ts';

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

/**
 * Returns when what is there is right, whatever is missing.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is wrong, all at once.
 */
export async function checkGiven(draft: Draft): Promise<void> {
  const { body } = draft;
  const there = propertyFields.filter((field) => (valueAt(body, field) ?? undefined) !== undefined);
  const details = (await Promise.all(there.map((field) => problemsOf(field, draft)))).flat();
  if (!isRecord(body['location'] ?? {}))
    details.push({ field: 'location', reason: 'must hold fields and values' });
  if (details.length > 0) throw invalidInput(details, 'innctl properties create --help');
}

async function problemsOf(field: PropertyField, { body, nameOf }: Draft): Promise<readonly Detail[]> {
  const name = nameOf(field);
  const value = valueAt(body, field);
  if (value === undefined || value === null) return [{ field: name, reason: 'is missing' }];
  return valueProblems(field, value, name);
}
