import { countryCodes, currencyCodes } from '../model/codes.ts';
import { languageCodes } from '../model/values.ts';
import { linesText } from './cached-lines.ts';
import type { Data } from './complete.ts';
import type { CommandModel } from './model.ts';

/** What the build knows for completions, as JSON: making the names of codes takes as long as the rest of a Tab. */
export function completionData(root: CommandModel): string {
  const codes: Data['codes'] = {
    country: named(countryCodes(), 'region'),
    currency: named(currencyCodes(), 'currency'),
    language: named(languageCodes, 'language'),
    zone: linesText(Intl.supportedValuesOf('timeZone').map((value) => ({ value, description: '' }))),
  };
  const data: Data = { root, codes };
  return JSON.stringify(data, (key, value) => (key === 'about' ? undefined : value));
}

function named(values: readonly string[], type: 'currency' | 'language' | 'region'): string {
  const names = new Intl.DisplayNames(['en'], { type });
  return linesText(values.map((value) => ({ value, description: names.of(value) ?? '' })));
}
