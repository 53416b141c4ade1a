import { CliError, ExitCode, OutcomeUnknown } from '../model/errors.ts';
import { type PatchStep, setsAlone } from '../model/patch.ts';
import { Interruption } from '../model/ports.ts';
import { withoutHoles } from '../model/records.ts';
import type { Facts, Output } from '../print/output.ts';
import { aboutRecord, flagsEnd, sameCommand, shellLine } from '../print/text.ts';
import type { GlobalOptions } from '../session/command-line.ts';
import type { LocalSession } from '../session/session.ts';
import type { Result } from './item.ts';

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
export function again({ context: { argv } }: Pick<LocalSession, 'context'>, ...more: readonly string[]) {
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

/** A command line without a flag and its value. */
export function withoutFlag(argv: readonly string[], flag: string): readonly string[] {
  const end = flagsEnd(argv);
  const isFlag = (word = '') => word === flag || word.startsWith(`${flag}=`);
  return argv.filter((word, index) => index >= end || !(isFlag(word) || argv[index - 1] === flag));
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

/** The sentence and the facts about one changed or deleted record. */
interface Told {
  /** The beginning of a sentence: `Updated property BER`. */
  readonly done: string;
  /** The sentence if nothing was written. */
  readonly undone: string;
  readonly facts: Facts;
  /** The fact that says whether it was written. */
  readonly fact: 'updated' | 'changed' | 'deleted' | 'archived';
}

/** Tells how the change or deletion of one record ended, and what reading it back showed. */
export async function tellOne(
  { readBack }: Pick<Result, 'readBack'>,
  { done, undone, facts, fact }: Told,
  out: Output,
): Promise<void> {
  if (readBack === undefined || readBack.isWritten === false)
    return out.done(undone, { ...facts, [fact]: false });
  const { verification, paths, failure, presumed } = readBack;
  const start = presumed ?? done;
  const known = { ...facts, [fact]: true, ...(presumed !== undefined && { presumed: true }) };
  if (verification === undefined) return out.done(`${start}.`, known);
  const reasons = [...paths, ...(failure === undefined ? [] : [failure.message])].join(', ');
  const why = reasons === '' ? '' : ` (${reasons.replace(/\.$/, '')})`;
  const unconfirmed = paths.length === 0 ? undefined : paths;
  const read = { verification, unconfirmed, reason: failure?.message, request_id: failure?.requestId };
  await out.done(
    `${start}: ${verification.replaceAll('_', ' ')}${why}.`,
    withoutHoles({ ...known, ...read }),
  );
}

/** Makes a deletion succeed if there is nothing to delete; also settles an unknown deletion. */
export const ignoreNotFoundFlag = ['--ignore-not-found', 'succeed if there is nothing to delete'] as const;

/** Whether --ignore-not-found turns the failure into a result. */
export function isIgnored(error: unknown, ignoreNotFound: true | undefined): boolean {
  return ignoreNotFound === true && error instanceof CliError && error.code === 'not_found';
}

/** Adds the flag for the command that settles a deletion, unless it was given. */
export function ignoringNotFound(isIgnored: true | undefined): readonly string[] {
  return isIgnored === true ? [] : ['--ignore-not-found'];
}

/** That a user has no role at added properties. */
export function noRoleText(who: string, ids: readonly string[], has = 'has'): string {
  return `${who} ${has} no role at ${ids.join(', ')} and will see nothing there; set roles in the service's web app.`;
}

/** The error at the end of a grant that is done, and gives no access until roles are set. @param lines one for each user. */
export function rolelessError(lines: readonly string[], { globals }: Pick<LocalSession, 'globals'>) {
  const hint = `Set the roles there; to check: ${serviceLine(globals, 'access', 'report')}`;
  return new CliError('partly_done', lines.join('\n'), { exitCode: ExitCode.partlyDone, hint });
}
