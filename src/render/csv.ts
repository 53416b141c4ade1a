import { quotedCell } from '../checks/formula.ts';

/** What has to stand within quotes. A reader that looks for other delimiters, or trims, finds none of that outside them. */
const QUOTED = /[",;\n\r\t]|^\s|\s$/;

/**
 * Rows as CSV (RFC 4180, with LF). A cell that a spreadsheet would take for a formula, or that begins with ', gets one '
 * in front; whoever reads takes exactly that one away.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  // An empty cell alone on its line would be an empty line, which readers leave out.
  const empty = rows.every((cells) => cells.length === 1) ? '""' : '';
  const written = (cell: string) => (cell === '' ? empty : withinQuotes(quotedCell(cell)));
  return rows.map((cells) => `${cells.map(written).join(',')}\n`).join('');
}

function withinQuotes(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
