import type { Look, Sheet } from './table.ts';
import { displayWidth, pad } from './width.ts';

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
  const width = Math.max(...labels.map(displayWidth)) + 1;
  return labels.map((label, index) => `${title(pad(`${label}:`, width))} ${values[index] ?? ''}\n`).join('');
}
