import { stringify } from 'csv-stringify/sync';

/** What a spreadsheet would take for a formula, and the quote that stands in front of such a cell. */
const FORMULA = /^[=+\-@\t\r']/;

/**
 * Rows as CSV (RFC 4180, with LF). A cell that a spreadsheet would take for a formula, or that begins with ', gets one '
 * in front; whoever reads takes exactly that one away.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((cells) => cells.map(escaped)),
    // A reader that looks for other delimiters, or trims, finds none of that outside quotes.
    { record_delimiter: '\n', quoted_match: /[;\t\r]|^\s|\s$/ },
  );
}

function escaped(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}
