import type { Sink } from '../model/ports.ts';

/** Columns of a neutralised line on a terminal. */
export type Measure = (line: string) => number;

/** Letters and signs of Latin, each one column wide and joined to no other, except © and ®, which may be emoji. */
const LATIN = /^[\n -~\u00a0-\u00a8\u00aa-\u00ac\u00af-\u024f\u2010-\u2027\u20ac]*$/;

export function isLatin(text: string): boolean {
  return LATIN.test(text);
}

/** Measures lines of these texts. Only texts that are not plain Latin load string-width, which takes longer than a table. */
export async function openMeasure(...texts: readonly (readonly string[])[]): Promise<Measure> {
  if (texts.every((some) => some.every(isLatin))) return (line) => line.length;
  const { default: stringWidth } = await import('string-width');
  return (line) => (isLatin(line) ? line.length : stringWidth(line));
}

/** The line, filled with spaces up to `columns`. */
export function pad(line: string, columns: number, measure: Measure): string {
  return line + ' '.repeat(Math.max(0, columns - measure(line)));
}

/** The line if it fits into `columns`, else its beginning and an ellipsis. */
export function truncate(line: string, columns: number, measure: Measure): string {
  if (isLatin(line) || columns === Number.POSITIVE_INFINITY)
    return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
  let kept = 0;
  let width = 0;
  for (const { segment, index } of new Intl.Segmenter('en').segment(line)) {
    width += measure(segment);
    if (width > columns) return `${line.slice(0, kept)}…`;
    if (width < columns) kept = index + segment.length;
  }
  return line;
}

/** In a narrower space lines would be single words. */
const LEAST_WIDTH = 20;

/** What stays on one line: a command to copy, to the end of its line or of its brackets, or to another way (`; or ...`); else one word. */
const WORD =
  /(?<=^\s*|[:;] )(?:[A-Z]+=\S+ )?(?:innctl(?! \d)|mv|cp|rm|chmod|chown|kill|ssh|curl|printf) .*?(?:;(?= or )|$)|\(innctl [^()]*\)\S*|\S+/g;

/** Where a text stands on a terminal. */
interface Place {
  /** `Infinity` without a terminal. */
  readonly columns: number;
  /** Columns before its first line. */
  readonly first?: number;
  /** Blanks before what is continued of its first line. Default: two more than before the line, as for its other lines. */
  readonly below?: number;
}

/** The text in lines that end at words. A command and a word that are too long stay whole. @param text neutralised. */
export async function wrapped(text: string, { columns, first = 0, below }: Place): Promise<string> {
  if (columns === Number.POSITIVE_INFINITY || first + text.length <= columns / 2) return text;
  const measure = await openMeasure([text]);
  const lines = text.split('\n').map((line, index) => {
    const indent = line.length - line.trimStart().length;
    const isFirst = index === 0;
    const start = isFirst ? first : 0;
    const further = isFirst ? (below ?? indent + 2) : indent + 2;
    if (start + measure(line) <= columns || columns - further < LEAST_WIDTH) return line;
    return wrapLine(line, { first: start, below: further, columns }, measure);
  });
  return lines.join('\n');
}

/** A text behind its label, its other lines below its first. @param text neutralised. @param paint of the label. */
export async function labelled(
  label: string,
  text: string,
  columns: number,
  paint: (text: string) => string,
): Promise<string> {
  const indent = label.length + 1;
  return `${paint(label)} ${await wrapped(text, { columns, first: indent, below: indent })}`;
}

/** The columns of a sink; `Infinity` without a terminal. */
export function widthOf({ isTerminal, columns }: Pick<Sink, 'isTerminal' | 'columns'>): number {
  return isTerminal ? columns : Number.POSITIVE_INFINITY;
}

function wrapLine(line: string, { first, below, columns }: Required<Place>, measure: Measure): string {
  const lines: string[] = [];
  let width = first;
  let end = 0;
  for (const { 0: word, index } of line.matchAll(WORD)) {
    const blanks = line.slice(end, index);
    const wide = measure(word);
    const isFirst = end === 0;
    end = index + word.length;
    if (isFirst || width + blanks.length + wide <= columns) {
      lines.push(blanks, word);
      width += blanks.length + wide;
    } else {
      lines.push(`\n${' '.repeat(below)}${word}`);
      width = below + wide;
    }
  }
  return lines.join('');
}
