import { distance } from 'fastest-levenshtein';
import { quote } from './text.ts';

/**
 * The candidate that was probably meant, or `undefined` if none is close: at most a third of the letters may be wrong. Two
 * swapped letters are one mistake.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const typed = text.slice(0, 100).toLowerCase();
  const most = Math.max(1, Math.floor(typed.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, meant: candidate.toLowerCase() }))
    // The difference in length is a lower bound, and much cheaper than the distance.
    .filter(({ meant }) => Math.abs(meant.length - typed.length) <= most)
    .map(({ candidate, meant }) => ({ candidate, wrong: mistakes(typed, meant) }))
    .sort((a, b) => a.wrong - b.wrong);
  return best !== undefined && best.wrong <= most ? best.candidate : undefined;
}

/**
 * The flag that was probably meant, or `undefined`. A flag that differs in a whole word, or in its beginning, means
 * something else, however similar: `--remove-properties` is not `--set-properties`, nor `get-live` `set-live`.
 *
 * @param typed without leading dashes, like the candidates.
 */
export function nearestFlag(typed: string, candidates: readonly string[]): string | undefined {
  const alike = candidates.filter((candidate) => isOneStem(typed.toLowerCase(), candidate));
  return nearest(typed, alike);
}

function isOneStem(typed: string, meant: string): boolean {
  const wrong = mistakes(typed, meant);
  if (wrong <= 1) return typed[0] === meant[0] || typed.slice(1) !== meant.slice(1);
  if (typed[0] !== meant[0]) return false;
  const [words, others] = [typed.split('-'), meant.split('-')];
  if (words.length !== others.length) return wrong <= 2;
  return words.every((word, index) => isOneWord(word, others[index] ?? ''));
}

/** `property` and `properties` are forms of one word. */
function isOneWord(word: string, other: string): boolean {
  return word.slice(0, 4) === other.slice(0, 4) || nearest(word, [other]) !== undefined;
}

/** The hint about an unknown name: `Did you mean json?`. */
export function didYouMean(meant: string | readonly string[] | undefined): string | undefined {
  const names = [meant ?? []].flat();
  if (names.length === 0) return undefined;
  return `Did you mean ${names.length === 1 ? '' : 'one of '}${names.join(', ')}?`;
}

/** The same at the end of a reason: `; did you mean json?`, `; ${otherwise}`, or nothing. */
export function suggestion(meant: string | readonly string[] | undefined, otherwise = ''): string {
  const hint = didYouMean(meant);
  if (hint !== undefined) return `; d${hint.slice(1)}`;
  return otherwise === '' ? '' : `; ${otherwise}`;
}

/** The suggestion for an unknown name. */
export function guess(name: string, known: readonly string[], otherwise?: string): string {
  return suggestion(nearest(name, known), otherwise);
}

/** What is wrong with a word that must be one of a few, or `undefined`. */
export function choiceProblem(word: string, choices: readonly string[]): string | undefined {
  if (choices.includes(word)) return undefined;
  const among = choices.length > 1 ? 'one of ' : '';
  return `${quote(word)} is not ${among}${choices.join(', ')}${guess(word, choices)}`;
}

/**
 * The e-mail address that was probably meant, or `undefined`. Addresses of one domain are similar: the part before the @
 * must be similar, too.
 */
export function nearestAddress(email: string, listed: readonly string[]): string | undefined {
  const alike = listed.filter((other) => nearest(beforeAt(email), [beforeAt(other)]) !== undefined);
  return nearest(email, alike);
}

function beforeAt(email: string): string {
  return email.slice(0, Math.max(email.lastIndexOf('@'), 0));
}

function mistakes(typed: string, meant: string): number {
  const wrong = distance(typed, meant);
  if (wrong !== 2 || typed.length !== meant.length) return wrong;
  const at = typed.split('').findIndex((letter, index) => letter !== meant[index]);
  const isSwapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  return isSwapped ? 1 : wrong;
}
