import type { Choice } from '../prompter.ts';
import { neutraliseLine } from '../render/text.ts';

/** A choice as it is drawn and searched. */
export interface Entry {
  readonly value: string;
  /** Neutralised. */
  readonly label: string;
  /** What of the label stands in front of a colon or of two blanks: a code, a title. */
  readonly short: string;
  /** Small letters without accents. */
  readonly folded: string;
}

/** How far the person has come with a list. */
export interface Picked {
  /** What was typed to search for. */
  readonly term: string;
  /** Where the cursor stands among what matches. */
  readonly active: number;
  /** Values; they stay whatever is searched for. */
  readonly chosen: ReadonlySet<string>;
  /** What the last key did that did something; `refused`: Enter, while nothing was chosen of what was typed. */
  readonly last: 'typed' | 'moved' | 'chosen' | 'refused';
}

/** A choice, ready to be drawn and searched many times. */
export function entryOf({ value, label }: Choice): Entry {
  const shown = neutraliseLine(label);
  const [short = ''] = shown.split(/: | {2}/, 1);
  return { value, label: shown, short, folded: fold(shown) };
}

/** The entries that have the term in their label: first where the label begins with it, then where a word does. */
export function matching(entries: readonly Entry[], term: string): readonly Entry[] {
  const wanted = fold(term.trim());
  if (wanted === '') return entries;
  const ranks: readonly [Entry[], Entry[], Entry[]] = [[], [], []];
  for (const entry of entries) {
    const at = entry.folded.indexOf(wanted);
    if (at === -1) continue;
    const rank = at === 0 ? 0 : entry.folded.includes(` ${wanted}`) ? 1 : 2;
    ranks[rank].push(entry);
  }
  return ranks.flat();
}

/** The cursor so many entries further, and not beyond either end. */
export function moved(picked: Picked, by: number, matches: readonly Entry[]): Picked {
  const active = Math.max(0, Math.min(picked.active + by, matches.length - 1));
  return { ...picked, active, last: 'moved' };
}

/** Whether a blank chooses: it belongs to what is searched for while that is typed. */
export function blankChooses({ term, last }: Picked): boolean {
  return term === '' || last === 'moved';
}

/** The entry under the cursor chosen, or no longer. */
export function toggled(picked: Picked, matches: readonly Entry[]): Picked {
  const entry = matches[picked.active];
  if (entry === undefined) return picked;
  const chosen = new Set(picked.chosen);
  if (!chosen.delete(entry.value)) chosen.add(entry.value);
  return { ...picked, chosen, last: picked.last === 'moved' ? 'moved' : 'chosen' };
}

/** Where a page begins that has the cursor in its middle, as far as the ends of the list allow. */
export function windowAround(active: number, count: number, lines: number): number {
  return Math.max(0, Math.min(active - Math.floor(lines / 2), count - lines));
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
