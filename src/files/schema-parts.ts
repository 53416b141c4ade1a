import * as v from 'valibot';
import type { Check } from '../cli/ports.ts';
import { noLanguage, noLanguageMap, notText, textInLanguageProblem } from '../model/property-fields.ts';
import { languageProblem } from '../model/values.ts';

/** What an entry of one kind may be. Null, empty and blank fields are left out before. */
export type EntrySchema = v.GenericSchema<unknown, Record<string, unknown>>;

/** Keywords of the JSON Schema for a field, besides its type. */
export type Hints = Readonly<Record<string, unknown>>;

/** Of a text that is not blank. */
export const filled: Hints = { pattern: '\\S' };

/** Of the id of a record, or what stands for it. */
export const idPattern = '^[^/\\\\?#%\\[\\]{}"\\s]{1,256}$';

/** An object with these fields and no others. */
export function object<Fields extends v.ObjectEntries>(fields: Fields) {
  return v.strictObject(fields, 'must hold fields and values');
}

/** A text for each language code. @param example as a flag takes it: `en="Grand Hotel"`. */
export function languageMap(summary: string, example: string | undefined): v.GenericSchema {
  const language = text(remembering(languageProblem), {
    pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$',
  });
  return v.pipe(
    v.record(language, text(textInLanguageProblem, filled), noLanguageMap),
    v.check((map) => Object.keys(map).length > 0, noLanguage),
    v.metadata({
      description: `${summary}, by language code`,
      minProperties: 1,
      examples: [{ en: /^en="?(.+?)"?$/.exec(example ?? '')?.[1] ?? '' }],
    }),
  );
}

/** A text that a check judges; the check's words are the message. */
export function text(problem: Check, hints: Hints) {
  return v.pipe(
    v.string(({ input }) => notTextReason(input)),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (!typed) return;
      // A cell with a line break looks like two rows, and a block of YAML like one line.
      const message = /[\n\r]/.test(value) ? 'has a line break' : problem(value);
      if (message !== undefined) addIssue({ message });
    }),
    v.metadata(hints),
  );
}

function notTextReason(value: unknown): string {
  if (value === null) return 'is empty';
  if (typeof value !== 'object') return notText;
  return `must be a text, and ${Array.isArray(value) ? 'is a list' : 'holds fields and values'}`;
}

/** The description of a field that the contract does not name: the JSON Schema is the same for all services. */
export function ofDialect(description: string): string {
  return `${description} (services of the dialect apaleo)`;
}

const MOST_REMEMBERED = 1_000;

/** A check with a cache: time zones and languages are slow to check, and repeat. */
export function remembering(check: Check): Check {
  const known = new Map<string, string | undefined>();
  return (value) => {
    if (known.has(value)) return known.get(value);
    const problem = check(value);
    if (known.size < MOST_REMEMBERED) known.set(value, problem);
    return problem;
  };
}
