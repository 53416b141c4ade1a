import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { didYouMean, nearest } from '../model/names.ts';
import type { Page, ServiceRecord } from '../model/records.ts';
import { createPropertyNames, type PropertyNames } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';

/** So many records are looked through for what was meant. */
export const MOST_LOOKED_THROUGH = 1_000;

/** Nobody waits longer for a suggestion, milliseconds. */
const LONGEST_LOOK_MS = 3_000;

/** A word that may be misspelt, and what the service lists in its place. */
export interface Misspelt {
  readonly word: string;
  readonly listed: () => Promise<readonly string[]>;
  /** Picks what was probably meant; `nearest` otherwise. */
  readonly pick?: typeof nearest;
}

/** Answers that may come from a misspelt word. */
const perhapsMisspelt = new Set([400, 404, 410, 422]);

/**
 * Adds to a refusal what was probably meant, from what the service lists. Nothing is ever sent on a guess.
 *
 * @returns for `catch`; every error goes on.
 */
export function suggesting(...words: readonly Misspelt[]) {
  return async (error: unknown): Promise<never> => {
    if (!mayComeFromAWord(error)) throw error;
    const guesses: string[] = [];
    for (const { word, listed, pick = nearest } of words) {
      const names = await listed();
      const guess = names.includes(word) ? undefined : pick(word, names);
      if (guess !== undefined) guesses.push(words.length === 1 ? guess : `${guess} for ${word}`);
    }
    const hint = didYouMean(guesses.join(', ') || undefined);
    throw hint === undefined ? error : error.withHint(hint);
  };
}

/** Like `suggesting`, for the id in a path: the only refusal that is about it says that there is no such record. */
export function suggestingId(id: Misspelt) {
  const suggest = suggesting(id);
  return async (error: unknown): Promise<never> => {
    if (error instanceof CliError && error.exitCode === ExitCode.notFound) return suggest(error);
    throw error;
  };
}

/** The ids of the properties, read once, when they are first asked for; a name stands for its id. */
export function listedProperties({ properties }: Pick<Api, 'properties'>): Omit<Misspelt, 'word'> {
  const names = createPropertyNames();
  const read = async () => {
    const ids: string[] = [];
    await lookThrough(properties.list({}, { limit: MOST_LOOKED_THROUGH }), (property) => {
      names.see(property);
      if (typeof property['id'] === 'string') ids.push(property['id']);
    });
    return ids;
  };
  let ids: Promise<readonly string[]> | undefined;
  return {
    listed: () => {
      ids ??= read();
      return ids;
    },
    pick: (word, listed) => names.idsOf(word)[0] ?? nearest(word, listed),
  };
}

/** The names of the properties; those that could be read in a moment. */
export async function propertyNames({ properties }: Pick<Api, 'properties'>): Promise<PropertyNames> {
  const names = createPropertyNames();
  await lookThrough(properties.list({}, { limit: MOST_LOOKED_THROUGH }), names.see);
  return names;
}

/** The texts that a list has in some fields; those that could be read in a moment. */
export async function namesIn(
  pages: AsyncIterable<Page>,
  ...fields: readonly string[]
): Promise<readonly string[]> {
  const names: string[] = [];
  await lookThrough(pages, (item) => {
    names.push(...fields.map((field) => item[field]).filter((name) => typeof name === 'string'));
  });
  return names;
}

/** Shows the records of a list that could be read in a moment. */
async function lookThrough(pages: AsyncIterable<Page>, see: (record: ServiceRecord) => void): Promise<void> {
  const moment = openMoment();
  const collect = async () => {
    for await (const { items } of pages) items.forEach(see);
  };
  try {
    await Promise.race([collect(), moment.over]);
  } catch (cause) {
    // The refusal itself is what matters; without a list there is nothing to add to it, and ^C ends the looking alone.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
  } finally {
    moment.end();
  }
}

/** Settles after a moment, unless it is ended before. */
function openMoment() {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_LOOK_MS);
  });
  return { over, end: () => clearTimeout(timer) };
}

function mayComeFromAWord(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error instanceof OutcomeUnknown) return false;
  // A page of HTML is no answer of the service.
  if (error.code === 'html_answer') return false;
  return perhapsMisspelt.has(error.status ?? 0);
}
