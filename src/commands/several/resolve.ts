import { CliError, type Detail, usageError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { didYouMean } from '../../model/names.ts';
import { isRepeatable, type PatchStep } from '../../model/patch.ts';
import type { Page, ServiceRecord } from '../../model/records.ts';
import { firstOf, quote, sameName } from '../../model/text.ts';
import { eachOf } from '../../seed/workers.ts';
import { emailOf } from '../../service/find-user.ts';
import { readWhole } from '../../service/paging.ts';
import { serviceLine } from '../lines.ts';
import { findNamed, type Referred } from '../references.ts';
import { type Misspelt, similarNames } from '../suggest.ts';

const WORKERS = 4;
const MOST_NAMED = 20;

/** How the words of a command line are resolved. */
export interface Resolving<Found> {
  /** @throws {CliError} exit 3 if there is no such record, exit 12 if there are several. */
  readonly find: (word: string) => Promise<Found>;
  /** Tells two records apart. */
  readonly idOf: (found: Found) => string;
  /** A name at a terminal is used for reads, and asked for before writes. Default: only references are taken. */
  readonly named?: 'reads' | 'writes' | undefined;
  /** A better hint about the words without a record. */
  readonly hintFor?: ((missing: readonly string[]) => Promise<string | undefined>) | undefined;
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
  const found = new Map<string, Found>();
  const failed = new Map<string, CliError>();
  await eachOf(words, WORKERS, async (word) => {
    try {
      found.set(word, await resolving.find(word));
    } catch (error) {
      if (!isUnresolved(error)) throw error;
      failed.set(word, error.code === 'invalid_input' ? error.with({ exitCode: ExitCode.notFound }) : error);
    }
  });
  const missing = words.filter((word) => failed.get(word)?.exitCode === ExitCode.notFound);
  // One after the other, because each may ask. More are not typed by a person.
  const { named: effect } = resolving;
  for (const word of missing.length > MOST_NAMED ? [] : missing) {
    const named = effect && (await findNamed(word, referred, effect, session));
    if (named !== undefined) found.set(word, await resolving.find(named));
  }
  const left = words.filter((word) => !found.has(word));
  if (left.length > 0) throw await unresolved(left, failed, words.length, referred, resolving, session);
  const byId = new Map(
    words.flatMap((word) => found.get(word) ?? []).map((each) => [resolving.idOf(each), each]),
  );
  return [...byId.values()];
}

/**
 * Makes the search for records by e-mail address, in one list that is read when it is needed.
 *
 * @throws {CliError} `incomplete_list` if a record without a match may not be listed.
 */
export function openAddresses(pages: () => AsyncIterable<Page>, nouns: string) {
  const listed = new Map<string, ServiceRecord[]>();
  const list = () =>
    readWhole(pages(), nouns, (record) => {
      const key = sameName(emailOf(record) ?? '');
      listed.set(key, [...(listed.get(key) ?? []), record]);
    });
  let reading: ReturnType<typeof list> | undefined;
  return async (email: string): Promise<readonly ServiceRecord[]> => {
    reading ??= list();
    const gap = await reading;
    const found = listed.get(sameName(email)) ?? [];
    if (found.length === 0 && gap !== undefined)
      throw new CliError('incomplete_list', `Could not look for ${email}: ${gap}.`);
    return found;
  };
}

/** The problems of words, each named by its word. @param isName words that are no references are looked for by name. */
export function wordProblems(
  words: readonly string[],
  problemsOf: (word: string) => readonly Detail[],
  isName: (word: string) => boolean = () => false,
): readonly Detail[] {
  const references = words.filter((word) => !isName(word));
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

function isUnresolved(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  // Only words that may be names are not checked before.
  const isNoId = error.code === 'invalid_input';
  return isNoId || error.exitCode === ExitCode.notFound || error.exitCode === ExitCode.ambiguous;
}

async function unresolved(
  left: readonly string[],
  failed: ReadonlyMap<string, CliError>,
  total: number,
  { noun: [one, several], misspelt, listWords }: Referred,
  { hintFor }: Pick<Resolving<unknown>, 'hintFor'>,
  { api, globals }: Session,
): Promise<CliError> {
  const details = left.map((word) => ({
    field: quote(word).slice(1, -1),
    reason: reasonFor(failed.get(word), one),
  }));
  const named = details.map(({ field, reason }) => `${field}: ${reason}`);
  const lines = firstOf(named, MOST_NAMED).map((line) => `  ${line}`);
  const missing = left.filter((word) => failed.get(word)?.exitCode === ExitCode.notFound);
  const code = missing.length > 0 ? 'not_found' : 'ambiguous';
  const exitCode = missing.length > 0 ? ExitCode.notFound : ExitCode.ambiguous;
  const found = missing.length > 0 ? 'Not found' : 'Ambiguous';
  const hint =
    (await hintFor?.(missing)) ??
    (await similar(misspelt(missing.slice(0, MOST_NAMED), api))) ??
    serviceLine(globals, ...listWords);
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
