import type { Look, Row, Sheet } from './sheet.ts';
import { pad } from './width.ts';

/** A table in boxes, and how wide its columns are. */
interface Boxed extends Pick<Sheet, 'head' | 'rows'> {
  readonly widths: readonly number[];
}

/** The table in boxes, each cell as many lines high as the highest of its row. */
export function drawBoxes({ head, rows, widths }: Boxed, { title, headers, cell }: Look): string {
  const frame = ([left, middle, right]: readonly [string, string, string]) =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}\n`;
  const drawn = (row: Row, paint: Look['cell']) => drawRow(row, widths, paint);
  return [
    frame(['┌', '┬', '┐']),
    ...(headers ? [drawn(head, title), frame(['├', '┼', '┤'])] : []),
    ...rows.map((row) => drawn(row, cell)),
    frame(['└', '┴', '┘']),
  ].join('');
}

function drawRow(row: Row, widths: readonly number[], paint: Look['cell']): string {
  const cells = row.map((text, index) => wrappedLines(text, widths[index] ?? 0, (whole) => paint(whole, index)));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const texts = cells.map((lines, index) => lines[line] ?? ' '.repeat(widths[index] ?? 0));
    return `│ ${texts.join(' │ ')} │\n`;
  }).join('');
}

/** The lines of a cell, each as wide as its column; colours take no room. */
function wrappedLines(text: string, width: number, paint: (text: string) => string): readonly string[] {
  const painted = paint(text).split('\n');
  return text
    .split('\n')
    .map((line, index) => `${painted[index] ?? ''}${pad(line, width).slice(line.length)}`);
}
