import { OutcomeUnknown } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession } from '../cli/session.ts';
import { sameCommand, shellLine } from '../out/text.ts';

/** The flags that choose the service. */
export interface ServiceChoice {
  readonly sandbox?: true;
  readonly profile?: string;
}

/** What settles a doubt: a command line, and a sentence for the message. */
export interface Settling {
  readonly line: string;
  readonly note?: string | undefined;
}

/**
 * Adds to an unknown outcome what settles it.
 *
 * @returns the error to throw.
 */
export function withSettling(error: unknown, { line, note }: Settling): unknown {
  return error instanceof OutcomeUnknown ? error.settledBy(line, note) : error;
}

/** `withSettling` for `catch`. */
export function settleBy(settling: Settling) {
  return (error: unknown): never => {
    throw withSettling(error, settling);
  };
}

/**
 * The same command settles the doubt: it does what was not done, and nothing twice.
 *
 * @param argv the words after the program's name.
 * @param more flags that it needs to be safe.
 */
export function settledByRepeating(
  argv: readonly string[],
  {
    more = [],
    readsStdin = false,
  }: { readonly more?: readonly string[]; readonly readsStdin?: boolean } = {},
): Settling {
  return { line: sameCommand(argv, ...more), note: readsStdin ? SAME_INPUT : undefined };
}

const SAME_INPUT = 'The command that settles it needs the same input.';

/** A read command settles the doubt, if the same command could do more than was requested, or would be refused. */
export function settledByLooking(line: string): Settling {
  return { line, note: 'Check what exists before you send it again.' };
}

/** Whether a file is a pipe, which cannot be read again. */
export function isPiped(file: string | undefined): boolean {
  return file === '-' || file?.startsWith('/dev/fd/') === true || file === '/dev/stdin';
}

/** A command line that reads, for the same service and in the same form. */
export function lookingLine(
  globals: ServiceChoice & { readonly json?: true },
  ...words: readonly string[]
): string {
  return serviceLine(globals, ...(globals.json === true ? ['--json'] : []), ...words);
}

/** A command line for the same service. */
export function serviceLine(globals: ServiceChoice, ...words: readonly string[]): string {
  return shellLine(['innctl', ...serviceFlags(globals), ...words]);
}

/** The flags of a hint, which must not lead to another service. */
export function serviceFlags(globals: ServiceChoice): readonly string[] {
  if (globals.sandbox === true) return ['--sandbox'];
  return globals.profile === undefined ? [] : ['--profile', globals.profile];
}

/** A command line with more flags, in front of a `--`. */
export function withFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? [...argv, ...flags] : [...argv.slice(0, end), ...flags, ...argv.slice(end)];
}

/** A command line with another value for a flag; a flag that is not there is added in front of a `--`. */
export function withValue(argv: readonly string[], flag: string, value: string): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const joined = flags.findIndex((word) => word.startsWith(`${flag}=`));
  if (joined !== -1) return argv.with(joined, `${flag}=${value}`);
  const at = flags.indexOf(flag);
  return at === -1 ? withFlags(argv, [flag, value]) : argv.with(at + 1, value);
}

/**
 * Shows after a dialogue the command line that does the same: also after a refusal or a final no, to save the answers, but
 * not in doubt, when it must not be typed again.
 *
 * @param argv the words after the program's name, answers included; `undefined` if nothing was asked.
 */
export async function withEquivalentLine(
  argv: readonly string[] | undefined,
  { out }: Pick<LocalSession, 'out'>,
  work: Promise<void>,
): Promise<void> {
  let mayBeTyped = true;
  try {
    await work;
  } catch (error) {
    mayBeTyped = !(error instanceof OutcomeUnknown || error instanceof Interruption);
    throw error;
  } finally {
    if (argv !== undefined && mayBeTyped) await out.note(`The same as one line: ${sameCommand(argv)}`);
  }
}

/** A command line without a flag that takes a value. */
export function withoutFlag(flag: string, argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const isFlag = (index: number) => end === -1 || index < end;
  return argv.filter(
    (word, index) =>
      !isFlag(index) || !(word === flag || word.startsWith(`${flag}=`) || argv[index - 1] === flag),
  );
}

/** A flag that a service does not have, and its replacement. */
export interface OtherFlag {
  /** `truth`: true or false may follow, and alone it means true. */
  readonly takes: 'value' | 'truth' | 'nothing';
  /** The words that replace it. */
  readonly as: (value: string) => readonly string[];
}

/**
 * The same command line with some flags replaced, for a hint that keeps their values.
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
