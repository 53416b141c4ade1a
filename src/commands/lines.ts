import { OutcomeUnknown } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession } from '../cli/session.ts';
import { sameCommand, shellLine } from '../out/text.ts';

/** The flags that say which service is meant. */
export interface ServiceChoice {
  readonly sandbox?: true;
  readonly profile?: string;
}

/** What settles a doubt: one command line, and what else there is to know, as a sentence. */
export interface Settling {
  readonly line: string;
  readonly besides?: string | undefined;
}

/**
 * Adds to an unknown outcome what settles it.
 *
 * @returns the error to throw.
 */
export function withSettling(error: unknown, { line, besides }: Settling): unknown {
  return error instanceof OutcomeUnknown ? error.settledBy(line, besides) : error;
}

/** `withSettling` for `catch`. */
export function settleBy(settling: Settling) {
  return (error: unknown): never => {
    throw withSettling(error, settling);
  };
}

/**
 * The command that was typed settles it: it does what was not done, and nothing twice.
 *
 * @param argv the words after the program's name.
 * @param more flags that it needs then.
 */
export function settledByRepeating(
  argv: readonly string[],
  {
    more = [],
    readsStdin = false,
  }: { readonly more?: readonly string[]; readonly readsStdin?: boolean } = {},
): Settling {
  return { line: sameCommand(argv, ...more), besides: readsStdin ? SAME_INPUT : undefined };
}

/** What comes through a pipe must come through it once more. */
const SAME_INPUT = 'The command that settles it needs the same input.';

/** Where the same again could do more than was asked for, or be refused, a read command settles it: it shows what is there. */
export function settledByLooking(line: string): Settling {
  return { line, besides: 'Look at what is there before you send it again.' };
}

/** Whether a file is read from a pipe, and cannot be read again. */
export function isPiped(file: string | undefined): boolean {
  return file === '-' || file?.startsWith('/dev/fd/') === true || file === '/dev/stdin';
}

/** A read command for the service that is meant, in the form that was asked for. */
export function lookingLine(
  globals: ServiceChoice & { readonly json?: true },
  ...words: readonly string[]
): string {
  return serviceLine(globals, ...(globals.json === true ? ['--json'] : []), ...words);
}

/** A command line for the service that is meant. */
export function serviceLine(globals: ServiceChoice, ...words: readonly string[]): string {
  return shellLine(['innctl', ...serviceFlags(globals), ...words]);
}

/** The words of a command line that say which service is meant, for a hint that must not lead to another one. */
export function serviceFlags(globals: ServiceChoice): readonly string[] {
  if (globals.sandbox === true) return ['--sandbox'];
  return globals.profile === undefined ? [] : ['--profile', globals.profile];
}

/** The words of a command line with more flags, in front of a `--`. */
export function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? [...argv, ...flags] : [...argv.slice(0, end), ...flags, ...argv.slice(end)];
}

/** The words of a command line with the value of a flag in place of the one that was typed, or in front of a `--`. */
export function withValue(argv: readonly string[], flag: string, value: string): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const joined = flags.findIndex((word) => word.startsWith(`${flag}=`));
  if (joined !== -1) return argv.with(joined, `${flag}=${value}`);
  const at = flags.indexOf(flag);
  return at === -1 ? withFlags(argv, [flag, value]) : argv.with(at + 1, value);
}

/**
 * Does the work that answers led to, and tells the command line that would have said the same: also after a refusal and
 * a last no, so that nothing must be answered twice, but not in doubt, where it must not be typed again.
 *
 * @param argv the words after the program's name, answers included; `undefined` where nothing was asked.
 */
export async function withEquivalentLine<Result>(
  argv: readonly string[] | undefined,
  { out }: Pick<LocalSession, 'out'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const tell = async () => {
    if (argv !== undefined) await out.note(`The same as one line: ${sameCommand(argv)}`);
  };
  try {
    const result = await work();
    await tell();
    return result;
  } catch (error) {
    const mayBeTyped = !(error instanceof OutcomeUnknown || error instanceof Interruption);
    if (mayBeTyped) await tell();
    throw error;
  }
}

/** The words of a command line without a flag that takes a value. */
export function withoutFlag(flag: string, argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isFlag = (index: number) => end === -1 || index < end;
  return argv.filter(
    (word, index) =>
      !isFlag(index) || !(word === flag || word.startsWith(`${flag}=`) || argv[index - 1] === flag),
  );
}

/** A flag that a service does not have, and what says the same. */
export interface OtherFlag {
  /** `truth`: true or false may follow, and alone it means true. */
  readonly takes: 'value' | 'truth' | 'nothing';
  /** The words in its place. */
  readonly as: (value: string) => readonly string[];
}

/**
 * The command line that was typed, with other flags that say the same: for a hint, which keeps the values.
 *
 * @param argv the words after the program's name.
 * @param flags by their long names: `--first-name`.
 */
export function inOtherFlags(argv: readonly string[], flags: Readonly<Record<string, OtherFlag>>): string {
  const words: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      words.push(word, ...rest);
      break;
    }
    const [name = '', attached] = word.split(/=(.*)/s);
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    const takesNext =
      attached === undefined &&
      (flag?.takes === 'value' || (flag?.takes === 'truth' && rest[0]?.startsWith('-') === false));
    const value = attached ?? (takesNext ? rest.shift() : undefined) ?? 'true';
    words.push(...(flag === undefined ? [word] : flag.as(value)));
  }
  return shellLine(['innctl', ...words]);
}
