import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { type Holder, STALE_MS } from '../fs/lock.ts';
import { reasonOf, writeReasonOf } from '../fs/read.ts';
import { shellLine } from '../print/text.ts';
import type { RunLine } from './journal-line.ts';
import { isUnknown, type Target, targetText } from './target.ts';

/** The journal cannot be written; without it nothing more is sent. Exit 1. */
export function journalFailed(path: string, cause: unknown): CliError {
  return new CliError('journal_failed', `Could not write the journal ${path}: ${writeReasonOf(cause)}.`, {
    cause,
    hint: 'Once it can be written, run the same command again to continue.',
  });
}

/** The journal exists and cannot be read. Exit 2. */
export function journalUnreadable(path: string, cause: unknown): CliError {
  const sentence = `Could not read the journal ${path}: ${reasonOf(cause)}.`;
  return unusable('unreadable_journal', sentence, undefined, cause);
}

/** A line of the journal is invalid. Exit 2; the file is not changed. */
export function journalCorrupt(path: string, line: number, reason: string): CliError {
  const hint = `If it is no longer needed, move it away: ${movingLine(path)}`;
  return unusable('corrupt_journal', `The journal ${path} cannot be used: line ${line}: ${reason}.`, hint);
}

/** The journal was written by a newer innctl. Exit 2. */
export function journalNewer(path: string, version: number): CliError {
  const sentence = `The journal ${path} was written by a newer innctl (version ${version} of the file).`;
  return unusable('newer_journal', sentence, 'Use that innctl, or another file with --journal.');
}

/** The path of the journal is a link, a folder or a device. Exit 2. */
export function noJournal(path: string, what = 'not a regular file'): CliError {
  const hint = 'Name the file itself, or another one, with --journal.';
  return unusable('no_journal', `${path} cannot be a journal: it is ${what}.`, hint);
}

function unusable(code: string, sentence: string, hint?: string, cause?: unknown): CliError {
  return new CliError(code, sentence, { exitCode: ExitCode.usage, hint, cause });
}

/** The journal is of another service or account. Exit 2. */
export function otherTarget(path: string, header: RunLine, wanted: Target): CliError {
  const sentence = `The journal ${path} is of runs against ${targetText(header)}, and this one goes to ${targetText(wanted)}`;
  const [end, hint] = isUndetermined(header, wanted)
    ? [': it cannot be determined whether that is the same account', leavingHint(header, path)]
    : ['', 'Give each service and account its own journal with --journal.'];
  return unusable('other_target', `${sentence}${end}.`, hint);
}

/** Whether the service is the same, and the journal does not identify the account. */
function isUndetermined(of: Target, now: Target): boolean {
  const isOneService = of.identity_url === now.identity_url && of.base_url === now.base_url;
  return isOneService && isUnknown(of.account);
}

function leavingHint({ id }: RunLine, path: string): string {
  const show = shellLine(['innctl', 'runs', 'show', id, '--journal', path]);
  return `Look at what it did (${show}), and start without it: ${movingLine(path)}`;
}

function movingLine(path: string): string {
  return shellLine(['mv', path, `${path}.old`]);
}

/** Another process uses the journal. Exit 6. */
export function journalBusy(path: string, { pid, life, silentMs }: Holder): CliError {
  const isVisible = life !== 'unknown';
  const facts = [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(isVisible ? [] : [`last heartbeat ${Math.round(silentMs / 1000)} s ago`]),
  ];
  const hint = isVisible
    ? 'Wait until it has ended, then run the same command again.'
    : `Wait until it has ended; the lock of a killed run is stale after ${STALE_MS / 1000} s.`;
  const sentence = `The journal ${path} is in use by another innctl (${facts.join(', ')}).`;
  return new CliError('busy', sentence, { exitCode: ExitCode.refused, hint });
}
