import type { PatchStep } from '../api/patch.ts';
import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import type { Context } from '../context.ts';
import { type Detail, invalidInput, usageError } from '../errors.ts';
import { readValue } from '../files/document.ts';
import { isRecord, type ServiceRecord } from '../records.ts';

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const members = ['op', 'path', 'from', 'value'];

/** The whole document, or segments in which ~ is escaped (RFC 6901). */
const pointer = /^(\/([^~/]|~[01])*)*$/;

/**
 * Reads a JSON Patch (RFC 6902) with any of its six operations.
 *
 * @param path `-` is stdin; an @ in front is taken off.
 * @throws {CliError} exit 2 naming each operation and member that is wrong.
 */
export async function readPatchFile(
  path: string,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<readonly PatchStep[]> {
  const { name, value } = await readValue(path.replace(/^@/, ''), stdin, signal, 'value');
  if (!Array.isArray(value)) throw usageError(`${name} is not a list of operations (RFC 6902).`);
  if (value.length === 0) throw usageError(`${name} holds no operations.`);
  const details = value.flatMap((step, index) => problemsOf(step, `${name}: ${index + 1}`));
  if (details.length > 0) throw invalidInput(details);
  // problemsOf has checked every member that the operations of RFC 6902 have.
  return value.map(bare) as PatchStep[];
}

/** What is wrong with the numbers in a JSON value, or `undefined`: one that would be sent as another is refused. */
export function numberProblem(value: unknown): string | undefined {
  for (const number of numbersIn(value)) {
    if (!isExact(number)) return 'has a number that cannot be sent exactly; write it as a text: "..."';
  }
  return undefined;
}

function problemsOf(step: unknown, place: string): readonly Detail[] {
  if (!isRecord(step)) return [{ field: place, reason: 'is no operation with op and path' }];
  const { op, path, from } = step;
  const strays = Object.keys(step).filter((name) => !members.includes(name));
  return [
    ...strays.map((name) => ({
      field: `${place} ${name}`,
      reason: `is no member of an operation${guess(name, members)}`,
    })),
    ...(typeof op === 'string' && operations.includes(op)
      ? []
      : [{ field: `${place} op`, reason: opProblem(op) }]),
    ...pointerProblems(path, `${place} path`),
    ...(op === 'move' || op === 'copy' ? pointerProblems(from, `${place} from`) : []),
    ...(needsValue(op) ? valueProblems(step, `${place} value`) : []),
  ];
}

function opProblem(op: unknown): string {
  if (op === undefined) return 'is missing';
  if (typeof op !== 'string') return `is not one of ${operations.join(', ')}`;
  return `${quote(op)} is not one of ${operations.join(', ')}${guess(op, operations)}`;
}

function valueProblems(step: ServiceRecord, field: string): readonly Detail[] {
  const reason = Object.hasOwn(step, 'value') ? numberProblem(step['value']) : 'is missing';
  return reason === undefined ? [] : [{ field, reason }];
}

/** Every number in a value, however deep it lies. */
function* numbersIn(value: unknown): Iterable<number> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'number') yield next;
    if (typeof next !== 'object' || next === null) continue;
    for (const inner of Object.values(next)) left.push(inner);
  }
}

function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number));
}

function pointerProblems(value: unknown, field: string): readonly Detail[] {
  if (value === undefined) return [{ field, reason: 'is missing' }];
  if (typeof value === 'string' && pointer.test(value)) return [];
  return [{ field, reason: 'is not a JSON Pointer such as /name/de' }];
}

function needsValue(op: unknown): boolean {
  return op === 'add' || op === 'replace' || op === 'test';
}

function guess(text: string, known: readonly string[]): string {
  const meant = nearest(text, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Only what the operation has. */
function bare({ op, path, from, value }: ServiceRecord) {
  if (op === 'move' || op === 'copy') return { op, from, path };
  return needsValue(op) ? { op, path, value } : { op, path };
}
