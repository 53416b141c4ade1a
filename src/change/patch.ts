import type { Command } from '@commander-js/extra-typings';
import * as v from 'valibot';
import { readJson, readValue } from '../fs/document.ts';
import { type Detail, invalidInput, usageError } from '../model/errors.ts';
import { overlap, type PatchStep, pathsChangedBy } from '../model/patch.ts';
import type { Input } from '../model/ports.ts';
import { choiceProblem, pointerProblem } from '../model/text.ts';
import { collect } from '../session/command-line.ts';
import { isPiped } from './lines.ts';

type Flags = Record<string, unknown>;

/** The flag that patches any path of a record, as typed. */
export interface PatchFlags {
  readonly patch?: readonly string[];
}

/** Adds the flags that both update commands share. */
export function withPatchFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--patch <patch>', 'JSON Patch: a file, - for stdin, or its JSON (repeatable)', collect)
    .option('--no-verify', 'do not verify by reading the record back');
}

/** Flags of updates that are not changes themselves, by attribute name. */
const modifiers: readonly string[] = ['verify', 'validate', 'confirm', 'allowLockout'];

/** Whether the flags give no change, so that a terminal prompts for changes. */
export function givesNoChange(flags: object): boolean {
  return Object.entries(flags).every(([name, value]) => value === undefined || modifiers.includes(name));
}

/**
 * The steps of --patch. Files and stdin are read only if nothing else is invalid.
 *
 * @param own the paths that other flags of the command change.
 * @param earlier other problems, reported together.
 * @param isText whether the field at a path is a text.
 * @throws {CliError} exit 2 with all problems, and paths that other flags change, too.
 */
export async function stepsFrom(
  own: readonly string[],
  { patch = [] }: PatchFlags,
  stdin: Input,
  earlier: readonly Detail[] = [],
  isText: (path: string) => boolean = () => false,
): Promise<readonly PatchStep[]> {
  if (patch.filter((text) => fileOf(text) === '-').length > 1)
    throw usageError('stdin (-) is given twice; it can be read once.');
  if (earlier.length > 0) throw invalidInput(earlier);
  const steps: PatchStep[] = [];
  for (const text of patch) steps.push(...(await readPatch(text, stdin, isText)));
  const again = steps.flatMap(pathsChangedBy).filter((path) => own.some((other) => overlap(other, path)));
  if (again.length === 0) return steps;
  const fields = again.map((path) => (path === '' ? 'the whole record' : path));
  throw invalidInput(fields.map((field) => ({ field, reason: 'is changed by two flags' })));
}

/** The words of a command line that add steps to an update. */
export function patchWords(...steps: readonly PatchStep[]): readonly string[] {
  return ['--patch', JSON.stringify(steps)];
}

/** Whether the command reads stdin, so that repeating it needs the same input. */
export function readsStdin({ patch = [] }: PatchFlags): boolean {
  return patch.some((text) => isPiped(fileOf(text)));
}

/** The file of a --patch, which a leading @ may announce; `undefined` for JSON on the command line. */
function fileOf(text: string): string | undefined {
  return /^\s*\[/.test(text) ? undefined : text.replace(/^@/, '');
}

const pointer = v.pipe(
  v.string('is not a JSON Pointer such as /name/de'),
  // An empty pointer is the whole record.
  v.check(
    (path) => path === '' || pointerProblem(path) === undefined,
    ({ input }) => pointerProblem(input) ?? '',
  ),
);

/** An operation of RFC 6902. Members that it does not define are left out. */
const operation = v.variant('op', [
  v.object({ op: v.picklist(['add', 'replace', 'test']), path: pointer, value: v.unknown() }),
  v.object({ op: v.literal('remove'), path: pointer }),
  v.object({ op: v.picklist(['move', 'copy']), from: pointer, path: pointer }),
]);

const ops = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

/**
 * Reads a JSON Patch (RFC 6902).
 *
 * @param isText whether the field at a path is a text: then a plain YAML scalar is its source text, as in files of
 * records.
 * @throws {CliError} exit 2 with each invalid operation and member.
 */
async function readPatch(
  text: string,
  stdin: Input,
  isText: (path: string) => boolean,
): Promise<readonly PatchStep[]> {
  const { name, value, texts } = await readOperations(text, stdin);
  if (!Array.isArray(value)) {
    throw usageError(`${name} is not a list of operations (RFC 6902).`);
  }
  if (value.length === 0) throw usageError(`${name} contains no operations.`);
  const { success, output, issues } = v.safeParse(v.array(operation), value);
  if (!success) throw invalidInput(issues.map((issue) => problemOf(issue, name)));
  return output.map((step, index) =>
    isText(step.path) && Array.isArray(texts) ? v.parse(operation, texts[index]) : step,
  );
}

async function readOperations(text: string, stdin: Input) {
  const file = fileOf(text);
  if (file !== undefined) return readValue(file, stdin);
  const value = await readJson(text, '--patch');
  return { name: '--patch', value, texts: value };
}

function problemOf({ path, input, message }: v.BaseIssue<unknown>, name: string): Detail {
  const [index, member] = path?.map(({ key }) => key) ?? [];
  const field = [`${name}: ${Number(index) + 1}`, ...(member === undefined ? [] : [member])].join(' ');
  if (member === undefined) return { field, reason: 'is not an operation with op and path' };
  if (input === undefined) return { field, reason: 'is missing' };
  if (member !== 'op') return { field, reason: message };
  return {
    field,
    reason: choiceProblem(typeof input === 'string' ? input : JSON.stringify(input), ops) ?? '',
  };
}
