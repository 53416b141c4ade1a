import type { PatchStep } from '../api/patch.ts';
import { guess } from '../checks/nearest.ts';
import { pointerProblem } from '../checks/pointer.ts';
import { quote } from '../checks/text.ts';
import type { Context } from '../context.ts';
import { type Detail, invalidInput, usageError } from '../errors.ts';
import { readValue } from '../files/document.ts';
import { isRecord, type ServiceRecord } from '../records.ts';

const ops = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const members = ['op', 'path', 'from', 'value'];

/**
 * Reads a JSON Patch (RFC 6902) with steps of any of its six kinds.
 *
 * @param path `-` is stdin; an @ in front is taken off.
 * @param isText whether the field at a path holds texts: then a plain scalar of YAML is its source text, as in the
 * files of records.
 * @throws {CliError} exit 2 naming each step and member that is wrong.
 */
export async function readPatchFile(
  path: string,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
  isText: (path: string) => boolean,
): Promise<readonly PatchStep[]> {
  const { name, value, texts } = await readValue(path.replace(/^@/, ''), stdin, signal);
  if (!Array.isArray(value)) {
    throw usageError(
      `${name} is not a list of operations (RFC 6902).`,
      'An entry of it: {"op":"replace","path":"/name/de","value":"Grandhotel"}',
    );
  }
  if (value.length === 0) throw usageError(`${name} holds no operations.`);
  const details = value.flatMap((step, index) => problemsOf(step, `${name}: ${index + 1}`));
  if (details.length > 0) throw invalidInput(details);
  // problemsOf has checked every member that the steps of RFC 6902 have.
  return value.map((step, index) =>
    bare(isText(step.path) && Array.isArray(texts) ? texts[index] : step),
  ) as PatchStep[];
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
    ...(typeof op === 'string' && ops.includes(op) ? [] : [{ field: `${place} op`, reason: opProblem(op) }]),
    ...pointerProblems(path, `${place} path`),
    ...(op === 'move' || op === 'copy' ? pointerProblems(from, `${place} from`) : []),
    ...moveProblems(step, `${place} path`),
    ...(needsValue(op) && !Object.hasOwn(step, 'value')
      ? [{ field: `${place} value`, reason: 'is missing' }]
      : []),
  ];
}

function opProblem(op: unknown): string {
  if (op === undefined) return 'is missing';
  if (typeof op !== 'string') return `is not one of ${ops.join(', ')}`;
  return `${quote(op)} is not one of ${ops.join(', ')}${guess(op, ops)}`;
}

function pointerProblems(value: unknown, field: string): readonly Detail[] {
  if (value === undefined) return [{ field, reason: 'is missing' }];
  // The whole record.
  if (value === '') return [];
  const reason = typeof value === 'string' ? pointerProblem(value) : 'is not a JSON Pointer such as /name/de';
  return reason === undefined ? [] : [{ field, reason }];
}

/** Nothing moves into itself (RFC 6902, section 4.4). */
function moveProblems({ op, path, from }: ServiceRecord, field: string): readonly Detail[] {
  const isInside = op === 'move' && typeof path === 'string' && path.startsWith(`${from}/`);
  return isInside ? [{ field, reason: `is inside of ${quote(String(from))}, which moves` }] : [];
}

function needsValue(op: unknown): boolean {
  return op === 'add' || op === 'replace' || op === 'test';
}

/** Only what such a step has. */
function bare({ op, path, from, value }: ServiceRecord) {
  if (op === 'move' || op === 'copy') return { op, from, path };
  return needsValue(op) ? { op, path, value } : { op, path };
}
