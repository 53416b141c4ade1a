import type { Look, Sheet } from './sheet.ts';
import { displayWidth, pad } from './width.ts';

/** Columns; values beside a longer label are not aligned with the others. */
const LONGEST_ALIGNED_LABEL = 60;

/** One block for each record, nothing cut, a blank line between. */
export function drawCards({ head, rows }: Sheet, look: Pick<Look, 'title' | 'isLines'>): string {
  const isEmpty = (cell: string | undefined, index: number) => cell === '' && look.isLines?.(index) === true;
  return rows
    .map((cells) => {
      const told = head.map((_, index) => index).filter((index) => !isEmpty(cells[index], index));
      return drawCard(
        told.map((index) => head[index] ?? ''),
        told.map((index) => cells[index] ?? ''),
        look,
      );
    })
    .join('\n');
}

/**
 * One record as lines of `Label: value`, the values below each other.
 *
 * @param values as many as there are labels; both neutralised. Further lines of a value stand below its first.
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
