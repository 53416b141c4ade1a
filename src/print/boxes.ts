import Table from 'cli-table3';
import { isLatin, type Measure } from './width.ts';

/** Stands for one column of a text that is not Latin, until the table is drawn: the library knows older widths. */
const COLUMN = '\ue000';

/** How boxes are drawn. */
interface BoxLook {
  readonly measure: Measure;
  readonly title: (text: string) => string;
  /** Colours what is shown of a cell, by its text and column. */
  readonly paint: (cell: string, column: number) => (line: string) => string;
}

/**
 * The table in boxes.
 *
 * @param head none: no header.
 */
export function drawBoxes(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { measure, title, paint }: BoxLook,
): string {
  const others: string[] = [];
  const placed = (line: string) => {
    if (isLatin(line)) return line;
    const width = measure(line);
    others.push(width === 0 ? ` ${line}` : line);
    return COLUMN.repeat(Math.max(1, width));
  };
  const table = new Table({
    head: head.map((text) => title(placed(text))),
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    table.push(row.map((cell, column) => paint(cell, column)(placed(cell))));
  }
  return `${table.toString().replaceAll(new RegExp(`${COLUMN}+`, 'g'), () => others.shift() ?? '')}\n`;
}
