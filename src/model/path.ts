import { invalidInput } from './errors.ts';
import { heldEmailProblem, leavesSegment } from './segment.ts';

/** What an editor can check of the id of a record, or of what stands for it. */
export const idPattern = '^[^/\\\\?#%\\[\\]{}"\\s]{1,256}$';

/** Longer ids are refused. */
const LONGEST_ID = 256;

/**
 * A path with its placeholders filled in; each value is checked and encoded as one segment.
 *
 * @param template as in the operations table: `/api/v1/invitations/{email}`.
 * @throws {CliError} exit 2, naming the placeholder, if a value cannot be a segment.
 */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name] ?? ''));
}

/** What is wrong with an id that would go into a path, or `undefined`. */
export function idProblem(id: string): string | undefined {
  if (id.trim() === '') return 'must not be empty';
  if (id === '.' || id === '..' || id === '$count') return `${JSON.stringify(id)} is not an id`;
  if (id.length > LONGEST_ID) return `is longer than ${LONGEST_ID} characters`;
  if (isStrayInId(id) || leavesSegment(id)) return `${JSON.stringify(id)} has characters that no id has`;
  return undefined;
}

/** Characters that would change the path, or be invisible. In a function, because V8 takes milliseconds for the expression. */
function isStrayInId(id: string): boolean {
  return /[/\\?#%[\]{}"\s\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(id);
}

function segment(name: string, value: string): string {
  const problem = name === 'email' ? heldEmailProblem(value) : idProblem(value);
  if (problem !== undefined) throw invalidInput([{ field: name, reason: problem }]);
  return encodeURIComponent(value);
}
