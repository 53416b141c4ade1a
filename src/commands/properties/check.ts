import { currencyWarning } from '../../checks/currency.ts';
import type { PropertyField } from '../../checks/property-fields.ts';
import { valueProblems } from '../../checks/property-values.ts';
import { type Detail, invalidInput } from '../../errors.ts';
import { isRecord } from '../../records.ts';
import { type Draft, outerFields, valueAt } from './body.ts';

/**
 * Returns when every field that a property needs is there, and all are right.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is missing or wrong, all at once.
 */
export async function checkBody(draft: Draft, warn: (sentence: string) => Promise<void>): Promise<void> {
  await checkFields(draft, ({ isOptional }) => isOptional !== true);
  const warning = currencyWarning(String(draft.body['currency_code']));
  if (warning !== undefined) await warn(warning);
}

/**
 * Returns when what is there is right, whatever is missing.
 *
 * @throws {CliError} exit 2, naming each flag or file field that is wrong, all at once.
 */
export async function checkGiven(draft: Draft): Promise<void> {
  await checkFields(draft, () => false);
}

async function checkFields(draft: Draft, isNeeded: (field: PropertyField) => boolean): Promise<void> {
  const misshapen = misshapenIn(draft);
  const fields = draft.fields.filter(({ path: [outer] }) => !misshapen.includes(outer));
  const details = (
    await Promise.all(fields.map((field) => problemsOf(field, draft, isNeeded(field))))
  ).flat();
  details.push(...misshapen.map((field) => ({ field, reason: 'must hold fields and values' })));
  if (details.length > 0) throw invalidInput(details, 'innctl properties create --help');
}

/** What holds fields of the dialect, and is no object in this draft. */
function misshapenIn({ body, fields }: Draft): readonly string[] {
  return outerFields.filter(
    (outer) =>
      fields.some(({ path }) => path.length === 2 && path[0] === outer) && !isRecord(body[outer] ?? {}),
  );
}

async function problemsOf(
  field: PropertyField,
  { body, nameOf }: Draft,
  isNeeded: boolean,
): Promise<readonly Detail[]> {
  const name = nameOf(field);
  const value = valueAt(body, field);
  if (value !== undefined && value !== null) return valueProblems(field, value, name);
  return isNeeded ? [{ field: name, reason: 'is missing' }] : [];
}
