import type { Command } from '@commander-js/extra-typings';
import { overlap, type PatchStep } from '../api/patch.ts';
import { quote } from '../checks/text.ts';
import type { Context } from '../context.ts';
import { type Detail, invalidInput, usageError } from '../errors.ts';
import { decodeFile } from '../files/decode.ts';
import { readJson } from '../files/document.ts';
import { readInput } from '../files/read.ts';
import { collect } from './options.ts';
import { numberProblem, readPatchFile } from './patch-file.ts';

type Flags = Record<string, unknown>;

/** The flags that change any path of a record, as typed. */
export interface PatchFlags {
  readonly set?: readonly string[];
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly patch?: string;
}

const LARGEST_VALUE = 1_048_576;

/** Adds the flags of every update: any path of the record, and whether it is read back. */
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
 * The operations of an update: those of its own flags, then --set, --add, --remove, then --patch as it stands.
 *
 * @param own what the command's own flags say.
 * @param earlier what is known to be wrong already, to be told together with the rest.
 * @throws {CliError} exit 2 naming all that is wrong: no JSON, no pointer, one path changed by two flags.
 */
export async function stepsFrom(
  own: readonly PatchStep[],
  flags: PatchFlags,
  context: Pick<Context, 'stdin' | 'signal'>,
  earlier: readonly Detail[] = [],
): Promise<readonly PatchStep[]> {
  refuseSharedStdin(flags);
  const details: Detail[] = [...earlier];
  const typed: PatchStep[] = [...own];
  for (const [flag, op, texts] of [
    ['--set', 'replace', flags.set],
    ['--add', 'add', flags.add],
  ] as const) {
    for (const text of texts ?? []) {
      const [, path, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      const problem = path === undefined ? `${quote(text)} is not path=json` : pointerProblem(path);
      if (problem !== undefined) details.push({ field: flag, reason: problem });
      else typed.push({ op, path: path ?? '', value: await readTyped(value ?? '', flag, details, context) });
    }
  }
  for (const path of flags.remove ?? []) {
    const problem = pointerProblem(path);
    if (problem !== undefined) details.push({ field: '--remove', reason: problem });
    else typed.push({ op: 'remove', path });
  }
  details.push(...changedTwice(typed));
  const file = flags.patch === undefined ? [] : await readPatchFile(flags.patch, context);
  if (details.length > 0) throw invalidInput(details);
  return [...typed, ...file];
}

/** Whether a part of the update comes from stdin: the same command line again needs the same input. */
export function readsStdin(flags: PatchFlags): boolean {
  return stdinReaders(flags) > 0;
}

/** What is wrong with a JSON Pointer that a flag gives, or `undefined`. */
export function pointerProblem(path: string): string | undefined {
  if (/^(\/([^~/]|~[01])*)+$/.test(path)) return undefined;
  const meant = /^[\w/-]+$/.test(path) ? `: write /${path}` : '';
  return `${quote(path)} is not a JSON Pointer such as /name/de (~ is written ~0, / in a name ~1)${meant}`;
}

async function readTyped(
  text: string,
  flag: string,
  details: Detail[],
  { stdin, signal }: Pick<Context, 'stdin' | 'signal'>,
): Promise<unknown> {
  if (text.startsWith('@')) {
    const path = text.slice(1);
    const name = path === '-' ? 'stdin' : path;
    const value = await readJson(decodeFile(await readInput(path, stdin, LARGEST_VALUE, signal), name), name);
    const problem = numberProblem(value);
    if (problem !== undefined) details.push({ field: `${flag} ${name}`, reason: problem });
    return value;
  }
  const problem = jsonProblem(text);
  if (problem === undefined) return readJson(text, flag);
  details.push({ field: flag, reason: problem });
  return undefined;
}

function jsonProblem(text: string): string | undefined {
  try {
    return numberProblem(JSON.parse(text));
  } catch {
    return `${quote(text)} is not JSON; a text stands in quotes: '"..."'`;
  }
}

function changedTwice(steps: readonly PatchStep[]): readonly Detail[] {
  return steps.flatMap(({ path }, index) =>
    steps.slice(0, index).some((earlier) => overlap(earlier.path, path))
      ? [{ field: path, reason: 'is changed by two flags' }]
      : [],
  );
}

function refuseSharedStdin(flags: PatchFlags): void {
  if (stdinReaders(flags) > 1)
    throw usageError('Only one flag can read stdin.', 'Put the others into files.');
}

function stdinReaders({ set = [], add = [], patch }: PatchFlags): number {
  const values = [...set, ...add].filter((text) => /^[^=]*=@-$/.test(text));
  return values.length + (patch === '-' || patch === '@-' ? 1 : 0);
}
