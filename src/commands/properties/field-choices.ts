import type { Api } from '../../api/api.ts';
import type { PropertyField } from '../../checks/property-fields.ts';
import type { Choice } from '../../prompter.ts';
import { choice, choicesFrom } from '../choices.ts';

/**
 * What a field can be chosen from: countries as the service lists them, zones and currencies as Node knows them.
 *
 * @returns `undefined` where it is typed: it has no list, or the service keeps it from this caller.
 */
export async function choicesOf(
  field: PropertyField,
  api: Pick<Api, 'countries'>,
): Promise<readonly Choice[] | undefined> {
  const choices = await listed(field, api);
  return choices === undefined || choices.length === 0 ? undefined : choices;
}

async function listed(field: PropertyField, { countries }: Pick<Api, 'countries'>) {
  const problem = await field.check();
  const isRight = (text: string) => problem(text) === undefined;
  if (field.flag === 'country-code') {
    const names = new Intl.DisplayNames(['en'], { type: 'region' });
    return choicesFrom(countries.list({}, {}), {
      field: 'code',
      problem,
      labelOf: ({ code }) => names.of(String(code)),
    });
  }
  if (field.flag === 'time-zone') {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);
    return [...zones].filter(isRight).map((zone) => choice(zone, undefined));
  }
  if (field.flag === 'currency-code') {
    const { currencyWarning } = await import('../../checks/currency.ts');
    const names = new Intl.DisplayNames(['en'], { type: 'currency' });
    return Intl.supportedValuesOf('currency')
      .filter((code) => isRight(code) && currencyWarning(code) === undefined)
      .map((code) => choice(code, names.of(code)));
  }
  return undefined;
}
