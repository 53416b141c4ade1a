import { distance } from 'fastest-levenshtein';

/**
 * The candidate that was probably meant, or `undefined` when none is close: at most a third of the letters wrong.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const typed = text.slice(0, 100).toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, wrong: distance(typed, candidate.toLowerCase()) }))
    .sort((a, b) => a.wrong - b.wrong);
  const [best] = ranked;
  return best !== undefined && best.wrong <= Math.max(1, Math.floor(typed.length / 3))
    ? best.candidate
    : undefined;
}
