import { OutcomeUnknown } from '../cli/errors.ts';
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
