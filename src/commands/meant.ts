import { nearest } from '../checks/nearest.ts';
import { CliError } from '../errors.ts';
import type { Page } from '../records.ts';

/** So many records are looked through for what was meant. */
export const MOST_LOOKED_THROUGH = 1_000;

/** A word that was typed, and what the service lists in its place. */
export interface Doubtful {
  readonly word: string;
  readonly listed: () => Promise<readonly string[]>;
}

/** Answers that may come from a misspelt word. */
const perhapsMisspelt = new Set([400, 404, 410, 422]);

/**
 * Adds to a refusal what was probably meant, from what the service lists. Nothing is ever sent on a guess.
 *
 * @returns for `catch`; every error goes on.
 */
export function suggesting(...doubtful: readonly Doubtful[]) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof CliError) || !perhapsMisspelt.has(error.status ?? 0)) throw error;
    const guesses: string[] = [];
    for (const { word, listed } of doubtful) {
      const names = await listed();
      const guess = names.includes(word) ? undefined : nearest(word, names);
      if (guess !== undefined) guesses.push(doubtful.length === 1 ? guess : `${guess} for ${word}`);
    }
    throw guesses.length === 0 ? error : error.withHint(`Did you mean ${guesses.join(', ')}?`);
  };
}

/** The texts that a list has in one field; none where it cannot be read. */
export async function namesIn(pages: AsyncIterable<Page>, field: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { items } of pages) {
      for (const item of items) {
        const name = item[field];
        if (typeof name === 'string') names.push(name);
      }
    }
  } catch (cause) {
    // The refusal itself is what matters; without a list there is nothing to add to it.
    if (!(cause instanceof CliError)) throw cause;
  }
  return names;
}
