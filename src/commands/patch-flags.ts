import type { Command } from '@commander-js/extra-typings';
import { overlap, type PatchStep, pathsChangedBy } from '../api/patch.ts';
import { inexactNumber } from '../checks/number.ts';
import { pointerProblem } from '../checks/pointer.ts';
import { quote } from '../checks/text.ts';
import type { Context } from '../context.ts';
import { type Detail, detailsFor, invalidInput, usageError } from '../errors.ts';
import { decodeFile } from '../files/decode.ts';
import { readJson } from '../files/document.ts';
import { readInput } from '../files/read.ts';
import { collect } from './options.ts';
import { readPatchFile } from './patch-file.ts';
import { isPiped } from './settle.ts';

type Flags = Record<string, unknown>;

/** The flags that change any path of a record, as typed. */
export interface PatchFlags {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly patch?: string;
}

const LARGEST_VALUE = 1_048_576;

/** Adds the flags that both updates share: --set, --add, --remove, --patch and --no-verify. */
export function withPatchFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--set <path=json>', 'replace the value at a JSON Pointer; =@file reads it (repeatable)', collect)
    .option('--add <path=json>', 'add a value at a JSON Pointer; =@file reads it (repeatable)', collect)
    .option('--remove <path>', 'remove what stands at a JSON Pointer (repeatable)', collect)
    .option('--patch <file>', 'JSON Patch (RFC 6902) from YAML or JSON; - is stdin')
    .option('--no-verify', 'do not read the record back afterwards');
}

/**
 * The steps that the flags for any path say: --set, --add, --remove, then --patch as it stands. Files and stdin are
 * read once nothing else is wrong.
 *
 * @param own the paths that the command's own flags change.
 * @param earlier what is known to be wrong already, to be told together with the rest.
 * @param isText whether the field at a path holds texts.
 * @throws {CliError} exit 2 naming all that is wrong: no JSON, no pointer, one path changed by two flags.
 */
export async function stepsFrom(
  own: readonly string[],
  flags: PatchFlags,
  context: Pick<Context, 'stdin' | 'signal'>,
  earlier: readonly Detail[] = [],
  isText: (path: string) => boolean = () => false,
): Promise<readonly PatchStep[]> {
  refuseSharedStdin(flags);
  const typed = typedIn(flags);
  const flagged = [...own, ...typed.flatMap(({ path }) => path ?? [])];
  const details = [
    ...earlier,
    ...typed.flatMap(({ flag, problem }) => detailsFor(flag, problem)),
    ...flagged.flatMap((path, index) => changedTwice(path, flagged.slice(0, index))),
  ];
  if (details.length > 0) throw invalidInput(details);
  const steps: PatchStep[] = [];
  for (const each of typed) steps.push(await stepOf(each, context));
  if (flags.patch === undefined) return steps;
  const file = await readPatchFile(flags.patch, context, isText);
  const again = file.flatMap(pathsChangedBy).flatMap((path) => changedTwice(path, flagged));
  if (again.length > 0) throw invalidInput(again);
  return [...steps, ...file];
}

/** Whether a part of the update comes from stdin: the same command line again needs the same input. */
export function readsStdin(flags: PatchFlags): boolean {
  return stdinReaders(flags) > 0 || isPiped(flags.patch);
}

/** One use of --set, --add or --remove, taken apart. */
interface Typed {
  readonly flag: `--${string}`;
  readonly op: 'replace' | 'add' | 'remove';
  /** `undefined` where none could be read. */
  readonly path: string | undefined;
  /** JSON, or `@file`. */
  readonly text?: string;
  readonly problem: string | undefined;
}

function typedIn({ set = [], add = [], remove = [] }: PatchFlags): readonly Typed[] {
  return [
    ...set.map((text) => withValue('--set', 'replace', text)),
    ...add.map((text) => withValue('--add', 'add', text)),
    ...remove.map((path) => atPath('--remove', 'remove', path)),
  ];
}

function withValue(flag: Typed['flag'], op: Typed['op'], typed: string): Typed {
  const [, path, text] = /^([^=]*)=(.*)$/s.exec(typed) ?? [];
  if (path === undefined || text === undefined) {
    return { flag, op, path: undefined, problem: `${quote(typed)} is not path=json` };
  }
  const at = atPath(flag, op, path);
  return { ...at, text, problem: at.problem ?? jsonProblem(text) };
}

function atPath(flag: Typed['flag'], op: Typed['op'], path: string): Typed {
  const reason = pointerProblem(path);
  if (reason === undefined) return { flag, op, path, problem: undefined };
  return { flag, op, path: undefined, problem: `${quote(path)} ${reason}` };
}

function jsonProblem(text: string): string | undefined {
  if (text.startsWith('@')) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return `${quote(text)} is not JSON; a text stands in quotes: '"..."'`;
  }
  const number = inexactNumber(text);
  return number && `${quote(number)} cannot be sent exactly as a number; write it as a text: "..."`;
}

async function stepOf({ flag, op, path = '', text = '' }: Typed, context: Pick<Context, 'stdin' | 'signal'>) {
  return op === 'remove' ? { op, path } : { op, path, value: await readTyped(text, flag, context) };
}

async function readTyped(
  text: string,
  flag: string,
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<unknown> {
  if (!text.startsWith('@')) return readJson(text, flag);
  const path = text.slice(1);
  const name = path === '-' ? 'stdin' : path;
  return readJson(decodeFile(await readInput(path, stdin, LARGEST_VALUE, signal), name), name);
}

function changedTwice(path: string, others: readonly string[]): readonly Detail[] {
  return others.some((other) => overlap(other, path))
    ? [{ field: path === '' ? 'the whole record' : path, reason: 'is changed by two flags' }]
    : [];
}

function refuseSharedStdin(flags: PatchFlags): void {
  if (stdinReaders(flags) > 1)
    throw usageError('Only one flag can read stdin.', 'Put the others into files.');
}

function stdinReaders({ set = [], add = [], patch }: PatchFlags): number {
  const values = [...set, ...add].filter((text) => /^[^=]*=@-$/.test(text));
  return values.length + (patch === '-' || patch === '@-' ? 1 : 0);
}
