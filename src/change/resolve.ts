import { CliError, type Detail, usageError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Session } from '../cli/session.ts';
import { didYouMean } from '../model/names.ts';
import { isRepeatable, type PatchStep } from '../model/patch.ts';
import { firstOf, quote } from '../model/text.ts';
import { serviceLine } from './lines.ts';
import { findNamed, nameTest, type Referred } from './references.ts';
import { type Misspelt, similarNames } from './suggest.ts';
import { eachOf } from './workers.ts';

const WORKERS = 4;
const MOST_NAMED = 20;

/** How the words of a command line are resolved. */
export interface Resolving<Found> {
  /** @throws {CliError} exit 3 if there is no such record, exit 12 if there are several. */
  readonly find: (word: string) => Promise<Found>;
  /** Tells two records apart. */
  readonly idOf: (found: Found) => string;
  /** A name at a terminal is asked for before it is written to. */
  readonly isWrite?: boolean | undefined;
  /** Records have no names. */
  readonly isNameless?: true;
  /** Also a single word ends with the error of several. */
  readonly isJob?: true;
}

/**
 * The records that words mean, in their order, each once.
 *
 * @throws {CliError} with every word that names no record (exit 3), or only words that name several (exit 12).
 */
export async function resolveAll<Found>(
  words: readonly string[],
  referred: Referred,
  resolving: Resolving<Found>,
  session: Session,
): Promise<readonly Found[]> {
  const { isWrite, isNameless } = resolving;
  const found = new Map<string, Found>();
  const failed = new Map<string, CliError>();
  await eachOf(words, WORKERS, async (word) => {
    try {
      found.set(word, await resolving.find(word));
    } catch (error) {
      if (!isUnresolved(error)) throw error;
      failed.set(word, error);
    }
  });
  const missing = words.filter((word) => isMissing(failed.get(word)));
  // One after the other, because each may ask. More are not typed by a person.
  for (const word of isNameless || missing.length > MOST_NAMED ? [] : missing) {
    const named = await findNamed(word, referred, isWrite ? 'writes' : 'reads', session);
    if (named !== undefined) found.set(word, await resolving.find(named));
  }
  const left = words.filter((word) => !found.has(word));
  const [alone] = words.length === 1 && !resolving.isJob ? failed.values() : [];
  if (left.length > 0 && alone !== undefined) throw alone;
  if (left.length > 0) throw await unresolved(left, failed, words.length, referred, session);
  const byId = new Map(
    words.flatMap((word) => found.get(word) ?? []).map((each) => [resolving.idOf(each), each]),
  );
  return [...byId.values()];
}

/** The problems of words, each named by its word. @param session words that may be names are looked for; default: none. */
export function wordProblems(
  words: readonly string[],
  problemsOf: (word: string) => readonly Detail[],
  session?: Pick<Session, 'mayAsk'>,
): readonly Detail[] {
  const isName = session && nameTest(session);
  const references = words.filter((word) => isName?.(word) !== true);
  return references.flatMap((word) =>
    problemsOf(word).map(({ field, reason }) => ({ field: `${field} ${quote(word)}`, reason })),
  );
}

/** Refuses steps that a repeat of the command would apply twice. @throws {CliError} exit 2. */
export function refuseUnrepeatable(steps: readonly PatchStep[], one: string): void {
  if (isRepeatable(steps)) return;
  throw usageError(
    `Steps that move, copy, or change an entry of a list are for one ${one} at a time: a repeat would apply them twice.`,
  );
}

/** Only words that may be names are not checked before. */
function isMissing(error: CliError | undefined): boolean {
  return error !== undefined && (error.code === 'invalid_input' || error.exitCode === ExitCode.notFound);
}

function isUnresolved(error: unknown): error is CliError {
  return error instanceof CliError && (isMissing(error) || error.exitCode === ExitCode.ambiguous);
}

async function unresolved(
  left: readonly string[],
  failed: ReadonlyMap<string, CliError>,
  total: number,
  { noun: [one, several], misspelt, listWords }: Referred,
  { api, globals }: Session,
): Promise<CliError> {
  const details = left.map((word) => ({
    field: quote(word).slice(1, -1),
    reason: reasonFor(failed.get(word), one),
  }));
  const named = details.map(({ field, reason }) => `${field}: ${reason}`);
  const lines = firstOf(named, MOST_NAMED).map((line) => `  ${line}`);
  const missing = left.filter((word) => isMissing(failed.get(word)));
  const code = missing.length > 0 ? 'not_found' : 'ambiguous';
  const exitCode = missing.length > 0 ? ExitCode.notFound : ExitCode.ambiguous;
  const found = missing.length > 0 ? 'Not found' : 'Ambiguous';
  const hint =
    (await similar(misspelt(missing.slice(0, MOST_NAMED), api))) ?? serviceLine(globals, ...listWords);
  const sentence = [`${found}: ${left.length} of ${total} ${several}. Nothing was done.`, ...lines].join(
    '\n',
  );
  return new CliError(code, sentence, { exitCode, details: details.slice(0, MOST_NAMED), hint });
}

function reasonFor(error: CliError | undefined, one: string): string {
  if (error?.exitCode !== ExitCode.ambiguous) return `there is no such ${one}`;
  return [error.message, ...error.details.map(({ reason }) => reason)].join(' ');
}

async function similar(misspelt: Misspelt): Promise<string | undefined> {
  const guesses = (await similarNames(misspelt)).map(({ word, name }) => `${name} for ${word}`);
  return didYouMean(guesses.join(', ') || undefined);
}
