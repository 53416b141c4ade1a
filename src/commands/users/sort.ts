import { nearest } from '../../checks/nearest.ts';
import { quote } from '../../checks/text.ts';
import type { Detail } from '../../errors.ts';

/** The service's names of what users can be sorted by, by ours and its own. */
const fields: ReadonlyMap<string, string> = new Map([
  ['first_name', 'firstname'],
  ['last_name', 'lastname'],
  ['email', 'email'],
  ['firstname', 'firstname'],
  ['lastname', 'lastname'],
]);

const directions = ['asc', 'desc'];

/**
 * What --sort asks for, as the service writes it: `firstname:asc`. It ignores whatever else it gets in silence, so that
 * each direction is said.
 *
 * @param given `first_name`, `email:desc`.
 */
export function sortFrom(given: readonly string[]): {
  readonly value: readonly string[];
  readonly problems: readonly Detail[];
} {
  const entries = given.map(partsOf);
  const problems = entries.flatMap(({ field, direction, text }, index) => {
    const isAgain = entries.slice(0, index).some((other) => other.field === field);
    const reason = problemOf(text, field, direction) ?? (isAgain ? `names ${field} twice` : undefined);
    return reason === undefined ? [] : [{ field: '--sort', reason }];
  });
  return { value: entries.map(({ field, direction }) => `${field}:${direction}`), problems };
}

function partsOf(text: string) {
  const at = text.indexOf(':');
  const name = at === -1 ? text : text.slice(0, at);
  return { text, field: fields.get(name), direction: at === -1 ? 'asc' : text.slice(at + 1) };
}

function problemOf(text: string, field: string | undefined, direction: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (field === undefined) {
    const meant = nearest(text.split(':', 1)[0] ?? '', [...fields.keys()]);
    const known = meant === undefined ? 'first_name, last_name or email' : `did you mean ${meant}?`;
    return `${quote(text)} is nothing to sort users by: ${known}`;
  }
  return directions.includes(direction) ? undefined : `${quote(text)} ends neither with :asc nor with :desc`;
}
