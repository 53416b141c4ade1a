import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { CliError, codeOf, invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { writeReasonOf } from '../../fs/read.ts';
import { replaceFile, writeNew } from '../../fs/replace.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { accessPage } from '../../people/page.ts';
import type { Judged } from '../../people/policy-rules.ts';
import { sameCommand } from '../../print/text.ts';
import { pathProblem } from '../plan/flags.ts';

/**
 * Checks that a page can be written. Sends nothing.
 *
 * @throws {CliError} exit 2 for a link and whatever else is no plain file; for a file, without --force.
 */
export function checkPage(path: string, force: boolean, session: Session): void {
  const problem = pathProblem(path) ?? placeProblem(path);
  if (problem !== undefined) throw unusable(problem);
  if (!force && lstatSync(path, { throwIfNoEntry: false })) throw existing(path, session);
}

function placeProblem(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    accessSync(dirname(path), constants.W_OK);
    if (found?.isSymbolicLink()) return `${path} is a symbolic link`;
    return found?.isFile() === false ? `${path} is not a file` : undefined;
  } catch (cause) {
    return `cannot be written: ${path}: ${writeReasonOf(cause)}`;
  }
}

function existing(path: string, { context }: Session): CliError {
  return unusable(`${path} exists`, sameCommand(context.argv, '--force'));
}

function unusable(reason: string, hint?: string): CliError {
  return invalidInput([{ field: '--html', reason }], hint);
}

/** Writes a report as a page that only its owner may read. */
export async function writePage(
  path: string,
  { document, judged, force }: { document: AccessDocument; judged: Judged | undefined; force: boolean },
  session: Session,
): Promise<void> {
  const { context, out } = session;
  const masked = <Value>(value: Value): Value => JSON.parse(context.redactor.text(JSON.stringify(value)));
  const page = accessPage(masked(document), judged && masked(judged));
  try {
    if (force) replaceFile(path, page, { lasting: true });
    else writeNew(path, page, true);
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw existing(path, session);
    throw new CliError('page_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, { cause });
  }
  const facts = { html: path, count: document.count, ...(judged && { findings: judged.findings.length }) };
  await out.done(`Wrote ${path}, which only you may read.`, facts);
}
