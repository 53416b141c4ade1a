import { CliError, type Detail, ExitCode, usageError } from '../model/errors.ts';
import { isRepeatable, type PatchStep } from '../model/patch.ts';
import type { Check, Context } from '../model/ports.ts';
import { allOf, type Page, type ServiceRecord } from '../model/records.ts';
import { capitalised, firstOf, quote } from '../model/text.ts';
import { folded, neutraliseLine } from '../print/text.ts';
import type { OperationId } from '../service/operations.ts';
import type { Api } from '../service/service.ts';
import { type Session, withSession } from '../session/session.ts';
import type { Answerable } from './ask.ts';
import { serviceLine } from './lines.ts';
import type { Misspelt } from './suggest.ts';
import { eachOf, READERS } from './workers.ts';

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
  await eachOf(words, READERS, async (word) => {
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
  if (left.length > 0) throw unresolved(left, failed, words.length, referred, session);
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

function unresolved(
  left: readonly string[],
  failed: ReadonlyMap<string, CliError>,
  total: number,
  { noun: [one, several], listWords }: Referred,
  { globals }: Session,
): CliError {
  const details = left.map((word) => ({
    field: quote(word).slice(1, -1),
    reason: reasonFor(failed.get(word), one),
  }));
  const named = details.map(({ field, reason }) => `${field}: ${reason}`);
  const lines = firstOf(named, MOST_NAMED).map((line) => `  ${line}`);
  const missing = left.filter((word) => isMissing(failed.get(word)));
  const [code, exitCode, found] =
    missing.length > 0
      ? (['not_found', ExitCode.notFound, 'Not found'] as const)
      : (['ambiguous', ExitCode.ambiguous, 'Ambiguous'] as const);
  const hint = serviceLine(globals, ...listWords);
  const sentence = [`${found}: ${left.length} of ${total} ${several}. Nothing was done.`, ...lines].join(
    '\n',
  );
  return new CliError(code, sentence, { exitCode, details: details.slice(0, MOST_NAMED), hint });
}

function reasonFor(error: CliError | undefined, one: string): string {
  if (error?.exitCode !== ExitCode.ambiguous) return `there is no such ${one}`;
  return [error.message, ...error.details.map(({ reason }) => reason)].join(' ');
}

/** Records that the command line names, asks for, or finds by name at a terminal. */
export interface Referred {
  /** `['user', 'users']` */
  readonly noun: readonly [one: string, several: string];
  /** The name of the argument. */
  readonly argument: string;
  /** How messages call an invalid reference. */
  readonly field: string;
  readonly list: (api: Api) => AsyncIterable<Page>;
  /** Refuses a service without such records, before anything is asked. @throws {CliError} */
  readonly refuse?: (session: Session) => void;
  /** The words of the command line that lists all. */
  readonly listWords: readonly string[];
  /** Where misspelt references are looked for. */
  readonly misspelt: (words: readonly string[], api: Api) => Misspelt;
  /** What the command line calls a record; `undefined` if it cannot name it. */
  readonly referenceOf: (record: ServiceRecord) => string | undefined;
  /** What people call it: its name, an empty text if unknown, then others, such as its city. */
  readonly namesOf: (record: ServiceRecord) => readonly string[];
  /** What tells it apart: its city and state; what is not text is left out. */
  readonly detailsOf: (record: ServiceRecord) => readonly unknown[];
}

/** What a command does with the records that its line names. */
interface Referring<Flags> {
  /** What the guards are asked before anything is read; default: nothing. */
  readonly operation?: OperationId;
  readonly all: (
    references: readonly string[],
    flags: Flags,
    session: Session,
    command: Answerable<Flags>,
  ) => Promise<void>;
  /** Whether several can be chosen when it prompts. Default: for writes. */
  readonly choosesSeveral?: (flags: Flags) => boolean;
}

/**
 * Runs a command about the records that its line names. Without one, a terminal prompts for it.
 *
 * @throws {CliError} exit 2 if prompting is not possible, before anything else is done.
 */
export function withReferences<Flags>(
  context: Context,
  referred: Referred,
  { operation, all, choosesSeveral = () => operation !== undefined }: Referring<Flags>,
) {
  type Typed = string | readonly string[] | undefined;
  return withSession(
    context,
    async (given, typed: Typed, flags: Flags, command: Answerable<Flags>) => {
      referred.refuse?.(given);
      const { references, session } = await givenReferences(typed, referred, choosesSeveral(flags), given);
      if (operation !== undefined) {
        const { permitEach } = await import('./guards.ts');
        permitEach(operation, references, session);
      }
      await all(references, flags, session, command);
    },
    ({ mayAsk }, typed, _, command) => {
      if ([typed ?? []].flat().length > 0 || mayAsk()) return;
      const words = `${referred.noun[1]} ${command.name()}`;
      throw usageError(`missing required argument '${referred.argument}'`, `innctl ${words} --help`);
    },
  );
}

/**
 * The references of a command line, each once. Without one, a terminal prompts for it, and the session is as if the answers had
 * been typed.
 *
 * @param several whether several can be chosen.
 * @throws {CliError} exit 3 if there is nothing to choose.
 */
async function givenReferences(
  typed: string | readonly string[] | undefined,
  referred: Referred,
  several: boolean,
  session: Session,
): Promise<{ readonly references: readonly [string, ...string[]]; readonly session: Session }> {
  const [first, ...others] = new Set([typed ?? []].flat());
  if (first !== undefined) return { references: [first, ...others], session };
  const { api, context } = session;
  const [one, plural] = referred.noun;
  const { choice, sessionWith } = await import('./ask.ts');
  const choices = (await allOf(referred.list(api), ({ items }) => items)).flatMap((record) => {
    const reference = referred.referenceOf(record);
    const about = [referred.namesOf(record)[0], ...referred.detailsOf(record)];
    return reference === undefined ? [] : [choice(reference, ...about)];
  });
  if (choices.length === 0)
    throw new CliError('not_found', `There is no ${one} to choose.`, { exitCode: ExitCode.notFound });
  const chosen = several
    ? await context.prompter.chooseSeveral(capitalised(plural), choices)
    : [await context.prompter.choose(capitalised(one), choices)];
  const [reference, ...more] = chosen;
  if (reference === undefined) throw usageError(`No ${one} was chosen; nothing was sent.`);
  return { references: [reference, ...more], session: sessionWith(chosen, session) };
}

/**
 * The reference of the only record with a name; asks before it is used to write.
 *
 * @returns `undefined` if no record has the name, or off a terminal.
 * @throws {CliError} exit 12 if several records have it; exit 11 after a no.
 */
async function findNamed(
  name: string,
  referred: Referred,
  effect: 'reads' | 'writes',
  { api, context, out, mayAsk }: Session,
): Promise<string | undefined> {
  if (!nameTest({ mayAsk })(name)) return undefined;
  // Without a list the first error stands.
  const listed = await allOf(referred.list(api), ({ items }) => items).catch(unlessFailed);
  const found = withName(name, listed, referred);
  const [one] = found;
  if (one === undefined) return undefined;
  if (found.length > 1) throw ambiguous(name, found, referred);
  const [reference, called] = one;
  const shown = neutraliseLine(called === '' ? reference : `${reference} (${called})`);
  if (effect === 'reads') await out.note(shown);
  else await (await import('../session/consent.ts')).askForYes(`Do you mean ${shown}?`, context);
  return reference;
}

/** A value as a reference; `undefined` if no command line can give it. */
export function usable(value: unknown, problem: Check): string | undefined {
  return typeof value === 'string' && !value.startsWith('-') && problem(value) === undefined
    ? value
    : undefined;
}

function unlessFailed(error: unknown): readonly never[] {
  if (error instanceof CliError) return [];
  throw error;
}

/** References and names of the records that are called so, or else that have all of the words in their name. */
function withName(
  typed: string,
  records: readonly ServiceRecord[],
  { referenceOf, namesOf }: Referred,
): readonly (readonly [reference: string, name: string])[] {
  const wanted = wordsOf(typed);
  const all = records.flatMap((record) => {
    const reference = referenceOf(record);
    const names = namesOf(record);
    const named = [reference ?? '', names[0] ?? ''] as const;
    return reference === undefined ? [] : [{ named, names: names.map(wordsOf) }];
  });
  const exact = all.filter(({ names }) => names.some((words) => words.join(' ') === wanted.join(' ')));
  const partly = all.filter(({ names: [words = []] }) => wanted.every((word) => words.includes(word)));
  return (exact.length > 0 ? exact : partly).map(({ named }) => named);
}

/** The words of a name, compared without case and accents. */
function wordsOf(name: string): readonly string[] {
  return folded(name).split(/\s+/).filter(Boolean);
}

/** Makes the test of words that a terminal looks for by name, whatever characters an id has. */
export function nameTest({ mayAsk }: Pick<Session, 'mayAsk'>) {
  // A name has letters, and nothing that only a path, an address or a flag has.
  return (word: string): boolean =>
    mayAsk() && word.length <= 100 && /^[\p{L}\p{M}\p{N} .,'’&()-]*$/u.test(word) && /\p{L}/u.test(word);
}

function ambiguous(
  typed: string,
  found: readonly (readonly [reference: string, name: string])[],
  { noun: [, several] }: Referred,
): CliError {
  const named = found.map(([reference, name]) => `${reference}: ${name}`);
  const lines = firstOf(named, MOST_NAMED).map((line) => `  ${line}`);
  const sentence = [`${quote(typed)} matches ${found.length} ${several}:`, ...lines].join('\n');
  return new CliError('ambiguous', sentence, {
    exitCode: ExitCode.ambiguous,
    details: found.slice(0, MOST_NAMED).map(([field, reason]) => ({ field, reason })),
  });
}
