import { columnFor, linesOf, type Row, wrap } from './layout.ts';

/** Rows below a heading. */
export type Section = readonly [heading: string, rows: readonly Row[]];

/** What a help page says; it can be written down as JSON. */
export interface Page {
  readonly description: string;
  readonly usage: string;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  readonly sections: readonly Section[];
  /** A text, and the command that tells more of it. */
  readonly foot: readonly [text: string, page: string] | undefined;
}

/** A help page, no wider than `width` but for its examples: each is one line to copy. */
export function pageText({ description, usage, examples, sections, foot }: Page, width: number): string {
  const column = columnFor(
    sections.flatMap(([, rows]) => rows),
    width,
  );
  const blocks = [
    wrap(description, width),
    wrap(`Usage: ${usage}`, width, '  '),
    examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ innctl ${line}`)],
    ...sections.map(([heading, rows]) => [`${heading}:`, ...linesOf(rows, width, column)]),
    foot === undefined ? [] : pointer(...foot, width),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A line that ends in what to type for more of it; that is never broken. */
function pointer(text: string, page: string, width: number): readonly string[] {
  const whole = `${text} (${page})`;
  return whole.length <= width ? [whole] : [...wrap(text, width, '  '), `  (${page})`];
}
