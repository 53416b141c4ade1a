import { resolve } from 'node:path';
import type { FoundRun, FoundRuns } from '../../apply/runs.ts';
import { runIdProblem } from '../../checks/run-id.ts';
import { detailsFor, invalidInput, usageError } from '../../errors.ts';
import type { LocalSession } from '../../session.ts';

/** How --journal is explained where it says which file is meant. */
export const journalFlag = [
  '--journal <path>',
  'the journal, where it was given a place of its own',
] as const;

type Here = Pick<LocalSession, 'context' | 'folders' | 'out'>;

/** Every run that is known here, the newest first; those of one more journal among them, if it is named. */
export async function allRuns(session: Here, journal: string | undefined): Promise<readonly FoundRun[]> {
  const { newestFirst, runsAt } = await import('../../apply/runs.ts');
  const { runs } = await knownRuns(session);
  if (journal === undefined) return runs;
  const path = journalNamed(journal);
  const named = await runsAt(path, session.context);
  return newestFirst([...named, ...runs.filter((found) => found.path !== path)]);
}

/**
 * The run that is meant by its id or the beginning of it, in the journal that is named, else in any that is known here.
 *
 * @throws {CliError} exit 2 when no run can have such an id, exit 3 when there is none, exit 12 when there are several.
 */
export async function theRun(
  session: Here,
  reference: string,
  journal: string | undefined,
): Promise<FoundRun> {
  const wrong = detailsFor('run-id', runIdProblem(reference));
  if (wrong.length > 0) throw invalidInput(wrong, 'innctl runs list');
  const { findRun, runsAt } = await import('../../apply/runs.ts');
  const runs =
    journal === undefined
      ? (await knownRuns(session)).runs
      : await runsAt(journalNamed(journal), session.context);
  return findRun(runs, reference);
}

/** A journal that cannot be read must not hide the others. */
async function knownRuns({ context, folders, out }: Here): Promise<FoundRuns> {
  const { runsIn } = await import('../../apply/runs.ts');
  const { runsFolder } = await import('../../apply/journal-path.ts');
  const found = await runsIn(runsFolder(folders.state), context);
  for (const { message } of found.problems) await out.warn(message);
  return found;
}

function journalNamed(journal: string): string {
  if (journal === '' || journal.includes('\0')) {
    throw usageError(`--journal: ${JSON.stringify(journal)} is not the name of a file.`);
  }
  return resolve(journal);
}
