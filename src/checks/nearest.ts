import { distance } from 'fastest-levenshtein';

/**
 * The candidate that was probably meant, or `undefined` when none is close: at most a third of the letters wrong.
 * Two letters that changed places are one mistake.
 */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const typed = text.slice(0, 100).toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, wrong: mistakes(typed, candidate.toLowerCase()) }))
    .sort((a, b) => a.wrong - b.wrong);
  const [best] = ranked;
  return best !== undefined && best.wrong <= Math.max(1, Math.floor(typed.length / 3))
    ? best.candidate
    : undefined;
}

function mistakes(typed: string, meant: string): number {
  const wrong = distance(typed, meant);
  if (wrong !== 2 || typed.length !== meant.length) return wrong;
  const at = typed.split('').findIndex((letter, index) => letter !== meant[index]);
  const isSwapped = typed[at] === meant[at + 1] && typed[at + 1] === meant[at];
  return isSwapped ? 1 : wrong;
}
