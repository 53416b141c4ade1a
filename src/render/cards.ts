import type { Look, Sheet } from './table.ts';
import { displayWidth, pad } from './width.ts';

/** Columns; values beside a longer label are not aligned with the others. */
const LONGEST_ALIGNED_LABEL = 60;

/** One block for each record, nothing cut, a blank line between. */
export function drawCards({ head, rows }: Sheet, look: Pick<Look, 'title'>): string {
  return rows.map((cells) => drawCard(head, cells, look)).join('\n');
}

/**
 * One record as lines of `Label: value`, the values below each other.
 *
 * @param values as many as there are labels; both neutralised, each on one line.
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
  return labels.map((label, index) => `${title(pad(`${label}:`, column))} ${values[index] ?? ''}\n`).join('');
}
