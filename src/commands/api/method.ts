import { guess } from '../../checks/nearest.ts';
import { quote } from '../../checks/text.ts';
import type { Method } from '../../transport.ts';

/** The methods that can be sent. */
const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The method that a word means, in letters of any case; `undefined` when it means none. */
export function methodOf(word: string): Method | undefined {
  return methods.find((method) => method === word.toUpperCase());
}

/** What is wrong with a word that is no method. */
export function methodProblem(word: string): string {
  if (word.includes('/')) return `${quote(word)} is a path; the method comes first: innctl api GET <path>`;
  return `${quote(word)} is not one of ${methods.join(', ')}${guess(word, methods)}`;
}
