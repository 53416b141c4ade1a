import { quote } from '../../checks/text.ts';
import type { Detail } from '../../errors.ts';
import { entryProblems } from '../options.ts';

/** A value as it was given, and how messages name it. */
export interface Given {
  readonly place: string;
  readonly value: unknown;
}

/** A value as it can be sent, where there is one, and what is wrong with the given ones. */
export interface Checked<Value> {
  readonly value?: Value;
  readonly problems: readonly Detail[];
}

/** One text. @param problem says what is wrong with a text, or `undefined`. */
export function checkedText(
  given: Given | undefined,
  problem: (text: string) => string | undefined,
): Checked<string> {
  if (given === undefined) return { problems: [] };
  const { place, value } = given;
  if (typeof value !== 'string') return wrong(place, 'must be a text, in quotes');
  const reason = problem(value);
  return reason === undefined ? { value, problems: [] } : wrong(place, reason);
}

/** True or false; YAML files give the words as texts. */
export function checkedTruth(given: Given | undefined): Checked<boolean> {
  if (given === undefined) return { problems: [] };
  const { place, value } = given;
  if (value === true || value === 'true') return { value: true, problems: [] };
  if (value === false || value === 'false') return { value: false, problems: [] };
  const quoted = typeof value === 'string' ? `${quote(value)} is neither true nor false: ` : '';
  return wrong(place, `${quoted}write true or false`);
}

/** What a list holds, and how messages say so. */
export interface Entries {
  readonly plural: string;
  readonly example: string;
  /** Says what is wrong with an entry, or `undefined`. */
  readonly problem: (entry: string) => string | undefined;
}

/** The texts out of one or more lists, each once, in the order given. */
export function checkedList(lists: readonly Given[], entries: Entries): Checked<readonly string[]> {
  if (lists.length === 0) return { problems: [] };
  const problems = lists.flatMap((list) => problemsOfList(list, entries));
  if (problems.length > 0) return { problems };
  const texts = lists.flatMap(({ value }) => (Array.isArray(value) ? value : []));
  return { value: [...new Set(texts.map(String))], problems: [] };
}

function problemsOfList({ place, value }: Given, { plural, example, problem }: Entries): readonly Detail[] {
  if (!Array.isArray(value)) return [{ field: place, reason: `must be a list of ${plural}: ${example}` }];
  if (value.every((entry) => typeof entry === 'string')) return entryProblems(place, value, problem);
  return [{ field: place, reason: `must hold ${plural} as texts, in quotes` }];
}

function wrong(field: string, reason: string): Checked<never> {
  return { problems: [{ field, reason }] };
}
