import { hasHidden, neutralise } from '../out/text.ts';

const SPELLED = /\\u\{([0-9a-f]{1,6})\}/g;

/** A cell of a table in which what a terminal obeys or hides stands as `\u{1b}`; newline and tab stay. */
export function spelledCell(cell: string): string {
  // A text that looks like such a spelling must be read back as that text.
  return neutralise(cell.replaceAll(SPELLED, '\\u{5c}u{$1}').replaceAll('\r', '\\u{d}'));
}

/** The text that `spelledCell` wrote; `\u{...}` for any other character stays as it is. */
export function unspelledCell(cell: string): string {
  if (!cell.includes('\\u{')) return cell;
  return cell.replaceAll(SPELLED, (spelled, hex: string) => {
    const code = Number.parseInt(hex, 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return character === '\\' || hasHidden(character) ? character : spelled;
  });
}
