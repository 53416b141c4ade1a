import { Interruption } from '../context.ts';
import { OutcomeUnknown } from '../errors.ts';
import { sameCommand } from '../render/shell.ts';
import type { LocalSession } from '../session.ts';

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
export async function tellingLine<Result>(
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
