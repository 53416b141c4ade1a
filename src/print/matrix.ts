import { onePage, type Page, type ServiceRecord } from '../model/records.ts';
import { only } from './fitting.ts';
import type { Gathered, Matrix } from './output.ts';
import { allOf, type Destination, type Remark } from './styles.ts';
import { drawLines, type ListForm, listOf, lookOf, rowsOf, shownText } from './table.ts';
import { openMeasure } from './width.ts';
import { widthOf } from './wrap.ts';

/** Columns between two cells. */
const GAP = 2;

/** Columns between two entries of the legend. */
const LEGEND_GAP = 3;

/** A longer cell in the first column is cut: one long name must not cost the column. */
const LONGEST_FIRST = 24;

/** Columns of a legend. */
const MOST_WIDE = 120;

/** A list as the matrix that was gathered of it, if that fits; otherwise, and where it is asked for, as a table or cards. */
export async function* matrixOf(
  gather: (records: readonly ServiceRecord[]) => Gathered,
  pages: AsyncIterable<Page>,
  form: ListForm,
  destination: Destination,
): AsyncGenerator<string | Remark, void> {
  const { shape, records, matrix } = gather(await allOf(pages, ({ items }) => items));
  const isDrawn = form === 'table' && !destination.plain && records.length > 0 && matrix !== undefined;
  const text = isDrawn ? await textOf(matrix, records, destination) : undefined;
  if (text !== undefined) yield text;
  else yield* listOf(form, shape, onePage(records), destination);
}

/** @returns `undefined` if it does not fit. */
async function textOf(
  { leading, columns: places, legend }: Matrix,
  records: readonly ServiceRecord[],
  destination: Destination,
): Promise<string | undefined> {
  const look = await lookOf(destination, true);
  const width = widthOf(destination);
  // Titles alone may be too wide, and there may be many cells.
  if (places.reduce((sum, { header }) => sum + header.length + GAP, 0) > width) return undefined;
  const columns = [...leading, ...places];
  const shown = (text: string) => shownText(text, destination.clean);
  const head = columns.map(({ header }) => shown(header));
  const rows = rowsOf(records, columns, destination);
  const measure = await openMeasure([head, ...rows].flat());
  const lines = look.headers ? [head, ...rows] : rows;
  const limits = columns.map((_, column) => (column === 0 ? LONGEST_FIRST : Number.POSITIVE_INFINITY));
  const widths = limits.map((most, column) =>
    lines.reduce((widest, line) => Math.max(widest, Math.min(most, measure(line[column] ?? ''))), 0),
  );
  const from = [0, 1].find(
    (first) => widths.slice(first).reduce((sum, each) => sum + each + GAP, -GAP) <= width,
  );
  if (from === undefined) return undefined;
  const sheet = only({ columns, head, rows, measure }, [...columns.keys()].slice(from));
  const layout = { widths: widths.slice(from), limits: limits.slice(from) };
  return `${drawLines(sheet, layout, look, look.headers)}\n${legendText(legend.map(shown), width)}`;
}

/** The entries below each other in columns. */
function legendText(entries: readonly string[], width: number): string {
  const widest = entries.reduce((most, { length }) => Math.max(most, length), 0);
  const across = Math.max(1, Math.floor((Math.min(width, MOST_WIDE) + LEGEND_GAP) / (widest + LEGEND_GAP)));
  const down = Math.ceil(entries.length / across);
  const lines = entries.slice(0, down).map((_, row) => {
    const line = entries.filter((_entry, index) => index % down === row);
    return line
      .map((entry) => entry.padEnd(widest + LEGEND_GAP))
      .join('')
      .trimEnd();
  });
  return lines.map((line) => `${line}\n`).join('');
}
