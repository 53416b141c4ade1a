import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, codeOf, invalidInput } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import { runIdProblem } from '../../model/segment.ts';
import type { PastRun, Sent } from '../../seed/history.ts';
import { journalFolder } from '../../seed/journal.ts';
import { createJournalFile, unreadable } from '../../seed/journal-file.ts';

type Here = Pick<LocalSession, 'folders'> & { readonly out: Pick<LocalSession['out'], 'warn'> };

/** The shortest abbreviation of an id. */
const SHORTEST_REFERENCE = 6;

/** A run and its journal. */
export interface FoundRun {
  readonly run: PastRun;
  readonly path: string;
}

/** The runs of all accounts, the newest first. A journal that cannot be read must not hide the others. */
export async function allRuns({ folders, out }: Here): Promise<readonly FoundRun[]> {
  const runs: FoundRun[] = [];
  for (const path of journalsIn(journalFolder(folders.state))) {
    try {
      const history = await createJournalFile(path, '', true).read();
      runs.push(...history.runs().map((run) => ({ run, path })));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      await out.warn(error.message);
    }
  }
  return runs.toSorted((one, other) => other.run.startedAt - one.run.startedAt);
}

/** The requests of some runs, the newest first. */
export function requestsOf(runs: readonly FoundRun[]): readonly Sent[] {
  const all = runs.flatMap(({ run }) => run.sent).toReversed();
  return all.sort((one, other) => other.at - one.at);
}

/**
 * Finds a run by its id or an abbreviation.
 *
 * @throws {CliError} exit 2 for an invalid id, exit 3 if there is none, exit 12 if there are several.
 */
export async function theRun(session: Here, reference: string): Promise<FoundRun> {
  const idOf = ({ run }: FoundRun) => run.start.run;
  return theOne(reference, 'run', () => allRuns(session), idOf);
}

/** Finds a request in the same way. */
export async function theRequest(session: Here, reference: string): Promise<Sent> {
  const all = async () => requestsOf(await allRuns(session));
  return theOne(reference, 'request', all, ({ id }) => id);
}

async function theOne<Found>(
  reference: string,
  noun: 'run' | 'request',
  all: () => Promise<readonly Found[]>,
  idOf: (found: Found) => string,
): Promise<Found> {
  const wrong = runIdProblem(reference);
  const hint = noun === 'run' ? 'innctl runs list' : 'innctl history';
  if (wrong !== undefined) throw invalidInput([{ field: `${noun}-id`, reason: wrong }], hint);
  const known = await all();
  const exact = known.filter((each) => idOf(each) === reference);
  const isEnough = reference.length >= SHORTEST_REFERENCE;
  const alike = isEnough ? known.filter((each) => idOf(each).startsWith(reference)) : [];
  const found = exact.length > 0 ? exact : alike;
  const [first] = found;
  if (first === undefined) {
    const need = isEnough ? '' : ` An abbreviated id needs ${SHORTEST_REFERENCE} characters.`;
    const sentence = `No journal here has a ${noun} ${reference}.${need}`;
    throw new CliError(`unknown_${noun}`, sentence, { exitCode: ExitCode.notFound, hint });
  }
  if (found.length === 1) return first;
  const ids = found.map(idOf).join(', ');
  throw new CliError(`ambiguous_${noun}`, `${found.length} ${noun}s begin with ${reference}: ${ids}.`, {
    exitCode: ExitCode.ambiguous,
    hint: 'Type more of the id.',
  });
}

/** The paths of the journals in a folder; none if there is no such folder. */
function journalsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[0-9a-f]{32}\.ndjson$/.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw unreadable(folder, cause);
  }
}
