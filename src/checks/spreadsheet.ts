import { quote } from './text.ts';

/** What programs write into a cell whose formula has no value: `#REF!`, `#N/A`, `#BEZUG!`, `Err:502`. */
const ERROR = /^(#[¡¿]?[A-ZÀ-Þ][A-ZÀ-Þ\d_]*(\/[A-Z\d])?[!?]|#N\/[ABD]|#NV|#GETTING_DATA|#{3,}|Err:\d{3})$/;

/** What they make of a text of many digits, or of digits around an E. */
const SCIENTIFIC = /^[+-]?\d+([.,]\d+)?E[+-]\d+$/i;

/**
 * What a spreadsheet has put in the place of a value, as what is wrong with the cell; `undefined` where it has not.
 *
 * @param isText whether a number makes no sense there.
 */
export function spreadsheetProblem(cell: string, isText: boolean): string | undefined {
  const word = cell.trim();
  if (ERROR.test(word)) return `${quote(word)} looks like a spreadsheet error: write the value itself`;
  if (!isText || !SCIENTIFIC.test(word)) return undefined;
  return `${quote(word)} was rewritten by a spreadsheet: format its column as text, and write the value anew`;
}
