import { lstatSync } from 'node:fs';
import { CliError, codeOf, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { writeReasonOf } from '../../fs/read.ts';
import { probeReplace, replaceFile, writeNew } from '../../fs/replace.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { accessPage } from '../../people/page.ts';
import { sameCommand } from '../../print/text.ts';
import { pathProblem } from '../plan/flags.ts';
import type { openPolicy } from './policy.ts';

/** A page to write. */
export interface OpenedPage {
  readonly path: string;
  /** Whether it may replace a file. */
  readonly force: boolean;
  readonly policy: Awaited<ReturnType<typeof openPolicy>> | undefined;
}

/**
 * Checks that a page can be written, and reads the policy. Sends nothing.
 *
 * @throws {CliError} exit 2 for a link and whatever else is no plain file; for a file, without --force; like `openPolicy`.
 */
export async function openPage(
  path: string,
  { policy, hidden, force }: { readonly policy?: string; readonly hidden?: true; readonly force?: true },
  session: Session,
): Promise<OpenedPage> {
  checkPlace(path, force === true, session.context);
  const opened =
    policy === undefined ? undefined : (await import('./policy.ts')).openPolicy(policy, session, hidden);
  return { path, force: force === true, policy: await opened };
}

function checkPlace(path: string, force: boolean, context: Context): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw unusable(problem);
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) throw unusable(`${path} is a symbolic link`);
    if (found?.isFile() === false) throw unusable(`${path} is not a file`);
    if (found !== undefined && !force) throw existing(path, context);
    probeReplace(path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unusable(`cannot be written: ${path}: ${writeReasonOf(cause)}`);
  }
}

function existing(path: string, { argv }: Pick<Context, 'argv'>): CliError {
  return unusable(`${path} exists`, sameCommand(argv, '--force'));
}

function unusable(reason: string, hint?: string): CliError {
  return invalidInput([{ field: '--html', reason }], hint);
}

/** Writes a report as a page that only its owner may read. */
export async function writePage(
  document: AccessDocument,
  { path, force, policy }: OpenedPage,
  session: Session,
): Promise<void> {
  const { context, out } = session;
  const judged = policy && (await (await import('./policy.ts')).judgeAccess(policy, document, session));
  const { text: clean } = context.redactor;
  const masked = <Value>(value: Value): Value => JSON.parse(clean(JSON.stringify(value)));
  const page = accessPage(masked(document), judged && masked(judged));
  try {
    if (force) replaceFile(path, page, { lasting: true });
    else writeNew(path, page, true);
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    if (codeOf(cause) === 'EEXIST') throw existing(path, context);
    throw new CliError('page_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, { cause });
  }
  const facts = { html: path, count: document.count, ...(judged && { findings: judged.findings.length }) };
  await out.done(`Wrote ${path}, which only you may read.`, facts);
}
