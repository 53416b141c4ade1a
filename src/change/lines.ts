import { OutcomeUnknown } from '../cli/errors.ts';
import type { GlobalOptions } from '../cli/flags.ts';
import { Interruption } from '../cli/ports.ts';
import type { LocalSession } from '../cli/session.ts';
import { type PatchStep, setsAlone } from '../model/patch.ts';
import { aboutRecord, flagsEnd, sameCommand, shellLine, withFlags } from '../print/text.ts';

/** The flags that choose the service. */
export type ServiceChoice = Pick<GlobalOptions, 'sandbox' | 'profile'>;

/** How to settle an unknown outcome: a command line, and a sentence for the message. */
export interface Settling {
  readonly line: string;
  readonly note?: string | undefined;
}

/**
 * Adds to an unknown outcome how to settle it.
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
 * Settles by running the same command, which does only what was not done.
 *
 * @param argv the words after the program's name.
 * @param more flags that make it safe.
 */
export function settledByRepeating(argv: readonly string[], readsStdin: boolean, ...more: readonly string[]) {
  return { line: sameCommand(argv, ...more), note: readsStdin ? SAME_INPUT : undefined };
}

const SAME_INPUT = 'The command that settles it needs the same input.';

/** The current command line with more flags, and a note if it needs the same input. */
export function again(
  { context: { argv } }: Pick<LocalSession, 'context'>,
  ...more: readonly string[]
): string {
  return `${sameCommand(argv, ...more)}${argv.includes('-') ? ' (with the same input)' : ''}`;
}

/** Settles whether invitations were sent: by sending them again. */
export function resendingOf(
  emails: readonly string[],
  { globals, mayAsk }: Pick<LocalSession, 'globals' | 'mayAsk'>,
): Settling {
  const line = serviceLine(globals, 'invitations', 'resend', ...emails, ...(mayAsk() ? [] : ['--yes']));
  return { line, note: 'Sending it again now may send a second mail.' };
}

/** Settles with a read command, if the same command could do more than intended, or would be rejected. */
export function settledByLooking(line: string): Settling {
  return { line, note: 'Check what exists before you send it again.' };
}

/** Settles an update: by the same command if its steps only set values, otherwise by the command that reads the record. */
export function settlingOf(
  steps: readonly PatchStep[],
  readsStdin: boolean,
  { context, globals }: Pick<LocalSession, 'context' | 'globals'>,
  ...reading: Parameters<typeof aboutRecord>
): Settling {
  if (setsAlone(steps)) return settledByRepeating(context.argv, readsStdin);
  return settledByLooking(lookingLine(globals, ...aboutRecord(...reading)));
}

/** Whether a file is a pipe and cannot be read again. */
export function isPiped(file: string | undefined): boolean {
  return file === '-' || file?.startsWith('/dev/fd/') === true || file === '/dev/stdin';
}

/** A read command line, for the same service and output format. */
export function lookingLine(
  globals: Pick<GlobalOptions, 'sandbox' | 'profile' | 'json'>,
  ...words: string[]
) {
  return serviceLine(globals, ...(globals.json === true ? ['--json'] : []), ...words);
}

/** A command line for the same service. */
export function serviceLine(globals: ServiceChoice, ...words: readonly string[]): string {
  return shellLine(['innctl', ...serviceFlags(globals), ...words]);
}

/** The flags that select the same service. */
export function serviceFlags(globals: ServiceChoice): readonly string[] {
  if (globals.sandbox === true) return ['--sandbox'];
  return globals.profile === undefined ? [] : ['--profile', globals.profile];
}

/** A command line with a flag set to one value, before `--`. */
export function withValue(argv: readonly string[], flag: string, value: string): readonly string[] {
  return withFlags(withoutFlag(argv, flag), [flag, value]);
}

/** A command line without a flag and its value. */
export function withoutFlag(argv: readonly string[], flag: string): readonly string[] {
  return replaceFlags(argv, { [flag]: { takes: 'value', as: () => [] } });
}

/**
 * Prints the equivalent command line after prompts. Also after an error or a final no, to save the answers, but not
 * after an unknown outcome, which must not be repeated.
 *
 * @param isAsked whether there were prompts.
 * @param session its command line has the answers.
 */
export async function withEquivalentLine(
  isAsked: boolean,
  { context, out }: LocalSession,
  work: Promise<void>,
): Promise<void> {
  let mayBeRepeated = true;
  try {
    await work;
  } catch (error) {
    mayBeRepeated = !(error instanceof OutcomeUnknown || error instanceof Interruption);
    throw error;
  } finally {
    if (isAsked && mayBeRepeated) await out.note(`Equivalent command: ${sameCommand(context.argv)}`);
  }
}

/**
 * Prints the command line that has the answers when a prompt is interrupted or declined. For `catch`.
 *
 * @param session its command line has the answers.
 */
export function keepAnswers({ context, out }: LocalSession) {
  return async (error: unknown): Promise<never> => {
    const what = error instanceof Interruption ? 'To go on' : 'Equivalent command';
    await out.note(`${what}: ${sameCommand(context.argv)}`);
    throw error;
  };
}

/** A flag of a command line, and what replaces it. */
export interface FlagReplacement {
  /** `truth`: an optional true or false follows; the default is true. */
  readonly takes: 'value' | 'truth' | 'nothing';
  /** Its replacement. */
  readonly as: (value: string) => readonly string[];
}

/**
 * The command line with some flags replaced, keeping their values.
 *
 * @param argv the words after the program's name.
 * @param flags by long name: `--first-name`.
 */
export function replaceFlags(argv: readonly string[], flags: Readonly<Record<string, FlagReplacement>>) {
  const words: string[] = [];
  const end = flagsEnd(argv);
  const typed = argv.slice(0, end);
  for (let word = typed.shift(); word !== undefined; word = typed.shift()) {
    const [name = '', attached] = word.split(/=(.*)/s);
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    const takesNext =
      attached === undefined &&
      (flag?.takes === 'value' || (flag?.takes === 'truth' && typed[0]?.startsWith('-') === false));
    const value = attached ?? (takesNext ? typed.shift() : undefined) ?? 'true';
    words.push(...(flag === undefined ? [word] : flag.as(value)));
  }
  return [...words, ...argv.slice(end)];
}
