const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Code, and its source map's `mappings`. */
export interface Mapped {
  readonly code: string;
  readonly mappings: string;
}

/**
 * Escapes the code to ASCII, because with one other character V8 stores the whole text in two bytes per character.
 * Escapes are equivalent in strings, patterns and identifiers, but not in tagged templates that read the raw text.
 *
 * @throws if a backslash precedes such a character, because an escape would change the meaning.
 */
export function inAscii({ code, mappings }: Mapped): Mapped {
  const lines = code.split('\n');
  const mapped = mappings.split(';');
  return {
    code: lines.map(escaped).join('\n'),
    mappings: mapped.map((line, index) => shifted(line, lines[index] ?? '')).join(';'),
  };
}

function escaped(line: string): string {
  return line.replace(/(\\*)([^\0-\x7f])/g, (_, backslashes: string, letter: string) => {
    if (backslashes.length % 2 === 1) throw new Error(`A backslash stands before ${letter}.`);
    return `${backslashes}\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Only the first number of each entry is a column of the code, relative to the previous entry. */
function shifted(mappings: string, line: string): string {
  const letters = [...line.matchAll(/[^\0-\x7f]/g)].map(({ index }) => index);
  if (letters.length === 0 || mappings === '') return mappings;
  let [column, columnBefore, passed] = [0, 0, 0];
  const moved = mappings.split(',').map((entry) => {
    const [first = ''] = /^[g-z0-9+/]*[A-Za-f]/.exec(entry) ?? [];
    column += decoded(first);
    while (passed < letters.length && (letters[passed] ?? 0) < column) passed += 1;
    const columnNow = column + passed * ('\\u0000'.length - 1);
    const delta = columnNow - columnBefore;
    columnBefore = columnNow;
    return `${encoded(delta)}${entry.slice(first.length)}`;
  });
  return moved.join(',');
}

/** Base64 VLQ: five bits per digit, the lowest first; the sixth bit continues, the very first bit is the sign. */
function decoded(digits: string): number {
  const value = [...digits].reduceRight((sum, digit) => sum * 32 + (DIGITS.indexOf(digit) % 32), 0);
  return value % 2 === 1 ? -(value - 1) / 2 : value / 2;
}

function encoded(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let digits = '';
  do {
    const more = rest >= 32;
    digits += DIGITS[(rest % 32) + (more ? 32 : 0)];
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return digits;
}
