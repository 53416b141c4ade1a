import type { Rule } from './guard.ts';

/** A word that a pattern protects. */
export interface Protected {
  /** As it was written. */
  readonly word: string;
  readonly pattern: string;
  /** Where the pattern is set. */
  readonly source: string;
}

interface Pattern extends Omit<Protected, 'word'> {
  readonly matches: (folded: string) => boolean;
}

/** Code units of the longest id or e-mail address. */
const LONGEST = 320;

/** What stands between the entries of a list. */
const separators = /[,;|/\s]+/;

/** What neither an id nor an e-mail address holds: quotes, brackets, operators. */
const strange = /[^\p{L}\p{M}\p{N}_@.+-]+/u;

/**
 * Finds what protects a text, or a word in it; `undefined` where nothing does.
 *
 * In a pattern `*` stands for any characters, none included, and nothing else is special. Case does not count,
 * nor how accents are composed. `BER` protects what is inside BER as well: `BER-DBL`.
 */
export function createProtection(
  lists: readonly Rule<readonly string[]>[],
): (text: string) => Protected | undefined {
  const patterns = lists.flatMap(({ value, source }) =>
    value.map((pattern): Pattern => ({ pattern, source, matches: matcher(pattern) })),
  );
  if (patterns.length === 0) return () => undefined;
  return (text) => {
    for (const word of wordsIn(visible(text))) {
      const folded = foldCase(word);
      const found = patterns.find(({ matches }) => matches(folded));
      if (found !== undefined) return { word, pattern: found.pattern, source: found.source };
    }
    return undefined;
  };
}

/**
 * The words of a text that may be ids: the whole, the entries of a list, and what is left without all that no id has.
 * An e-mail address is one word. An id is also in its beginnings up to a hyphen: `BER-DBL` is inside `BER`.
 */
function wordsIn(text: string): ReadonlySet<string> {
  const entries = text.split(separators);
  const words = text.split(strange).flatMap((word) => (isAddress(word) ? [word] : word.split(/[@.+]+/)));
  const beginnings = words.flatMap((word) =>
    isAddress(word)
      ? []
      : [...word.slice(0, LONGEST).matchAll(/-+/g)].map(({ index }) => word.slice(0, index)),
  );
  const all = [
    ...entries,
    ...words,
    ...words.map((word) => word.replace(/^[-.]+|[-.]+$/g, '')),
    ...beginnings,
  ];
  return new Set([text, ...all.filter((word) => word !== '')]);
}

function isAddress(word: string): boolean {
  return word.length <= LONGEST && /^[^@]+@[^@]+\.[^@]+$/.test(word);
}

/** Each part is looked for once, from where the one before it ended: a regular expression could go back and back. */
function matcher(pattern: string): (text: string) => boolean {
  const [start = '', ...parts] = foldCase(visible(pattern)).split('*');
  const end = parts.pop();
  if (end === undefined) return (text) => text === start;
  return (text) => {
    const last = text.length - end.length;
    if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
    let from = start.length;
    for (const part of parts) {
      const at = text.indexOf(part, from);
      if (at === -1 || at + part.length > last) return false;
      from = at + part.length;
    }
    return true;
  };
}

/** Letters that look alike are alike: wide ones, and with characters between them that nobody sees. */
function visible(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Small letters alone would keep the two Greek sigmas apart, capitals alone the two sharp s. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().normalize('NFC');
}
