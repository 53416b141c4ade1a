import stringWidth from 'string-width';

const ASCII = /^[ -~]*$/;

/** Columns that a neutralised line takes on a terminal. */
export function displayWidth(line: string): number {
  return ASCII.test(line) ? line.length : stringWidth(line);
}

/** The line, filled with spaces up to `columns`. */
export function pad(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - displayWidth(line)));
}

/** The line if it fits into `columns`, else as many of its characters as fit before an ellipsis. */
export function truncate(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    width += displayWidth(segment);
    if (width >= columns) break;
    kept += segment;
  }
  return `${kept}…`;
}
