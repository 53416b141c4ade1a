import { stringify } from 'csv-stringify/sync';
import { quotedCell } from '../checks/formula.ts';

/**
 * Rows as CSV (RFC 4180, with LF). A cell that a spreadsheet would take for a formula, or that begins with ', gets one '
 * in front; whoever reads takes exactly that one away.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  // An empty cell alone on its line would be an empty line, which readers leave out.
  const isAlone = rows.every((cells) => cells.length === 1);
  return stringify(
    rows.map((cells) => cells.map(quotedCell)),
    // A reader that looks for other delimiters, or trims, finds none of that outside quotes.
    { record_delimiter: '\n', quoted_empty: isAlone, quoted_match: /[;\t\r]|^\s|\s$/ },
  );
}
