/** Columns of a neutralised line on a terminal. */
export type Measure = (line: string) => number;

/** Letters and signs of Latin, each one column wide and joined to no other, except © and ®, which may be emoji. */
const LATIN = /^[\n -~\u00a0-\u00a8\u00aa-\u00ac\u00af-\u024f\u2010-\u2027\u20ac]*$/;

export function isLatin(text: string): boolean {
  return LATIN.test(text);
}

/** Measures lines of these texts. Only texts that are not plain Latin load string-width, which takes longer than a table. */
export async function openMeasure(texts: readonly string[]): Promise<Measure> {
  if (isLatin(texts.join(''))) return (line) => line.length;
  const { default: stringWidth } = await import('string-width');
  return (line) => (isLatin(line) ? line.length : stringWidth(line));
}

/** The line, filled with spaces up to `columns`. */
export function pad(line: string, columns: number, measure: Measure): string {
  return line + ' '.repeat(Math.max(0, columns - measure(line)));
}

/** The line if it fits into `columns`, else its beginning and an ellipsis. */
export function truncate(line: string, columns: number, measure: Measure): string {
  if (isLatin(line)) return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
  let kept = 0;
  let width = 0;
  for (const { segment, index } of new Intl.Segmenter('en').segment(line)) {
    width += measure(segment);
    if (width > columns) return `${line.slice(0, kept)}…`;
    if (width < columns) kept = index + segment.length;
  }
  return line;
}
