import type { Look, Row, Sheet } from './sheet.ts';
import { displayWidth, pad } from './width.ts';

/** Columns; the values of longer labels are not aligned with the others. */
const LONGEST_ALIGNED_LABEL = 60;

/** Draws one block for each record, nothing cut, with a blank line between blocks and between the sheets of a list. */
export function openCards(look: Pick<Look, 'title' | 'cell' | 'isLines'>): (sheet: Sheet) => string {
  let begun = false;
  return ({ head, rows }) => {
    const before = begun ? '\n' : '';
    begun = true;
    return `${before}${rows.map((row) => cardFor(head, row, look)).join('\n')}`;
  };
}

function cardFor(head: Row, row: Row, look: Pick<Look, 'title' | 'cell' | 'isLines'>): string {
  const told = [...row.keys()].filter((index) => row[index] !== '' || !look.isLines(index));
  return drawCard(
    told.map((index) => head[index] ?? ''),
    told.map((index) => look.cell(row[index] ?? '', index)),
    look,
  );
}

/**
 * One record as lines of `Label: value`, the values below each other.
 *
 * @param values one for each label; both neutralised. Further lines of a value are aligned with its first.
 */
export function drawCard(
  labels: readonly string[],
  values: readonly string[],
  { title }: Pick<Look, 'title'>,
): string {
  const widths = labels.map((label) =>
    Math.min(displayWidth(label, LONGEST_ALIGNED_LABEL), LONGEST_ALIGNED_LABEL),
  );
  const column = widths.reduce((widest, width) => Math.max(widest, width), 0) + 1;
  const below = `\n${' '.repeat(column + 1)}`;
  return labels
    .map((label, index) => {
      const value = (values[index] ?? '').replaceAll('\n', below);
      return `${title(pad(`${label}:`, column))} ${value}\n`;
    })
    .join('');
}
