/** What a spreadsheet would take for a formula, and the quote that stands in front of such a cell. */
const FORMULA = /^[=+\-@\t\r']/;

const QUOTED = new RegExp(`^'${FORMULA.source.slice(1)}`);

/** A cell for a spreadsheet: what it would take for a formula, or begins with ', gets one ' in front. */
export function quotedCell(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** The text of a cell without the one ' that `quotedCell` put there. */
export function unquotedCell(cell: string): string {
  return QUOTED.test(cell) ? cell.slice(1) : cell;
}

/** The text of a formula that is nothing but one, `="01067"`: a spreadsheet keeps its zeros so. `undefined` for any other cell. */
export function textOfFormula(cell: string): string | undefined {
  if (!/^="/.test(cell) || cell.length < 3 || !cell.endsWith('"')) return undefined;
  const inside = cell.slice(2, -1);
  return inside.replaceAll('""', '').includes('"') ? undefined : inside.replaceAll('""', '"');
}
