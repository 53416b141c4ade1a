import type { Command } from '@commander-js/extra-typings';
import * as v from 'valibot';
import { type Detail, detailsFor, invalidInput, usageError } from '../cli/errors.ts';
import type { Input } from '../cli/ports.ts';
import type { Session } from '../cli/session.ts';
import { readText } from '../fs/decode.ts';
import { readJson, readValue } from '../fs/document.ts';
import { choiceProblem } from '../model/names.ts';
import { overlap, type PatchStep, pathsChangedBy, setsAlone } from '../model/patch.ts';
import { pointerProblem } from '../model/segment.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { aboutRecord } from '../print/text.ts';
import { isPiped, lookingLine, type Settling, settledByLooking, settledByRepeating } from './lines.ts';
import { collect } from './options.ts';

type Flags = Record<string, unknown>;

/** The flags that patch any path of a record, as typed. */
export interface PatchFlags {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly patch?: string;
}

const LARGEST_VALUE = 1_048_576;

/** Adds the flags that both update commands share: --set, --add, --remove, --patch and --no-verify. */
export function withPatchFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--set <path=json>', 'replace by JSON Pointer; =@file (repeatable)', collect)
    .option('--add <path=json>', 'add by JSON Pointer; =@file (repeatable)', collect)
    .option('--remove <path>', 'remove by JSON Pointer (repeatable)', collect)
    .option('--patch <file>', 'apply a JSON Patch from a file; - for stdin')
    .option('--no-verify', 'do not verify by reading the record back');
}

/** Flags of updates that are not changes themselves, by attribute name. */
const modifiers: readonly string[] = ['verify', 'validate', 'confirm', 'allowLockout'];

/** Whether the flags give no change, so that a terminal prompts for changes. */
export function givesNoChange(flags: object): boolean {
  return Object.entries(flags).every(([name, value]) => value === undefined || modifiers.includes(name));
}

/**
 * The steps of --set, --add and --remove, then those of --patch. Files and stdin are read only if nothing else is
 * invalid.
 *
 * @param own the paths that other flags of the command change.
 * @param earlier other problems, reported together.
 * @param isText whether the field at a path is a text.
 * @throws {CliError} exit 2 with all problems: invalid JSON or pointers, and paths changed by two flags.
 */
export async function stepsFrom(
  own: readonly string[],
  flags: PatchFlags,
  stdin: Input,
  earlier: readonly Detail[] = [],
  isText: (path: string) => boolean = () => false,
): Promise<readonly PatchStep[]> {
  if (stdinReaders(flags) > 1)
    throw usageError('Only one flag can read stdin.', 'Put the others into files.');
  const typed = typedIn(flags);
  const flagged = [...own, ...typed.flatMap(({ path }) => path ?? [])];
  const details = [
    ...earlier,
    ...typed.flatMap(({ flag, problem }) => detailsFor(flag, problem)),
    ...flagged.flatMap((path, index) => changedTwice(path, flagged.slice(0, index))),
  ];
  if (details.length > 0) throw invalidInput(details);
  const steps: PatchStep[] = [];
  for (const each of typed) steps.push(await stepOf(each, stdin));
  if (flags.patch === undefined) return steps;
  const file = await readPatchFile(flags.patch, stdin, isText);
  const again = file.flatMap(pathsChangedBy).flatMap((path) => changedTwice(path, flagged));
  if (again.length > 0) throw invalidInput(again);
  return [...steps, ...file];
}

/** Whether the command reads stdin, so that repeating it needs the same input. */
export function readsStdin(flags: PatchFlags): boolean {
  return stdinReaders(flags) > 0 || isPiped(flags.patch);
}

/**
 * How to settle an update: by the same command if its steps only set values, otherwise by reading the record.
 *
 * @param reference the record, as the command line names it.
 */
export function settlingOf(
  steps: readonly PatchStep[],
  flags: PatchFlags,
  { context, globals }: Session,
  noun: 'properties' | 'users',
  reference: string,
): Settling {
  if (setsAlone(steps)) return settledByRepeating(context.argv, readsStdin(flags));
  return settledByLooking(lookingLine(globals, ...aboutRecord(`${noun} get`, reference)));
}

/** One --set, --add or --remove, parsed. */
interface Typed {
  readonly flag: `--${string}`;
  readonly op: 'replace' | 'add' | 'remove';
  /** `undefined` if it could not be parsed. */
  readonly path: string | undefined;
  /** JSON, or `@file`. */
  readonly text?: string;
  readonly problem: string | undefined;
}

function typedIn({ set = [], add = [], remove = [] }: PatchFlags): readonly Typed[] {
  return [
    ...set.map((text) => parseTyped('--set', 'replace', text)),
    ...add.map((text) => parseTyped('--add', 'add', text)),
    ...remove.map((path) => parseTyped('--remove', 'remove', path)),
  ];
}

function parseTyped(flag: Typed['flag'], op: Typed['op'], typed: string): Typed {
  const [, path, text = ''] = op === 'remove' ? ['', typed] : (/^([^=]*)=(.*)$/s.exec(typed) ?? []);
  if (path === undefined) return { flag, op, path, problem: `${quote(typed)} is not path=json` };
  const reason = pointerProblem(path);
  if (reason !== undefined) return { flag, op, path: undefined, problem: `${quote(path)} ${reason}` };
  return { flag, op, path, text, problem: op === 'remove' ? undefined : jsonProblem(text) };
}

function jsonProblem(text: string): string | undefined {
  if (text.startsWith('@')) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return `${quote(text)} is not JSON; a text is written in quotes: '"..."'`;
  }
  const number = inexactNumber(text);
  return number && `${quote(number)} cannot be sent exactly as a number; write it as a text: "..."`;
}

async function stepOf({ flag, op, path = '', text = '' }: Typed, stdin: Input) {
  if (op === 'remove') return { op, path };
  if (!text.startsWith('@')) return { op, path, value: await readJson(text, flag) };
  const { name, text: json } = await readText(text.slice(1), stdin, LARGEST_VALUE);
  return { op, path, value: await readJson(json, name) };
}

function changedTwice(path: string, others: readonly string[]): readonly Detail[] {
  return others.some((other) => overlap(other, path))
    ? [{ field: path === '' ? 'the whole record' : path, reason: 'is changed by two flags' }]
    : [];
}

function stdinReaders({ set = [], add = [], patch }: PatchFlags): number {
  const values = [...set, ...add].filter((text) => /^[^=]*=@-$/.test(text));
  return values.length + (patch === '-' || patch === '@-' ? 1 : 0);
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
 * @param path `-` is stdin; a leading @ is removed.
 * @param isText whether the field at a path is a text: then a plain YAML scalar is its source text, as in files of
 * records.
 * @throws {CliError} exit 2 with each invalid operation and member.
 */
async function readPatchFile(
  path: string,
  stdin: Input,
  isText: (path: string) => boolean,
): Promise<readonly PatchStep[]> {
  const { name, value, texts } = await readValue(path.replace(/^@/, ''), stdin);
  if (!Array.isArray(value)) {
    throw usageError(
      `${name} is not a list of operations (RFC 6902).`,
      'An entry of it: {"op":"replace","path":"/name/de","value":"Grandhotel"}',
    );
  }
  if (value.length === 0) throw usageError(`${name} contains no operations.`);
  const { success, output, issues } = v.safeParse(v.array(operation), value);
  if (!success) throw invalidInput(issues.map((issue) => problemOf(issue, name)));
  return output.map((step, index) =>
    isText(step.path) && Array.isArray(texts) ? v.parse(operation, texts[index]) : step,
  );
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
