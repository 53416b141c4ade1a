/** Rows below a heading. */
export type Section = readonly [heading: string, rows: readonly Row[]];

/** The content of a help page, serialisable as JSON. */
export interface Page {
  readonly description: string;
  readonly usage: string;
  readonly sections: readonly Section[];
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Lines of a text, and the command that shows more. */
  readonly foot: readonly (readonly [text: string, page: string])[];
}

/** A help page, wrapped at `width` except for examples, which must stay one line to copy. */
export function pageText({ description, usage, sections, examples, foot }: Page, width: number): string {
  const column = columnFor(
    sections.flatMap(([, rows]) => rows),
    width,
  );
  const blocks = [
    wrap(description, width),
    wrap(`Usage: ${usage}`, width, '  '),
    ...sections.map(([heading, rows]) => [`${heading}:`, ...linesOf(rows, width, column)]),
    examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  $ innctl ${line}`)],
    foot.flatMap(([text, page]) => pointer(text, page, width)),
  ];
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** A text followed by the command that shows more, which is never broken. */
function pointer(text: string, page: string, width: number): readonly string[] {
  const whole = `${text} ${page}`.trimEnd();
  return whole.length <= width
    ? [whole]
    : [...wrap(text, width, '  '), ...(page === '' ? [] : [`  ${page}`])];
}

export type Row = readonly [term: string, description: string];

/** Minimum width of the description column. */
const MIN_DESCRIPTION = 35;
const INDENT = '  ';

/** Wraps a text at `width`; a longer word is a line of its own. `indent` is put before every line but the first. */
function wrap(text: string, width: number, indent = ''): readonly string[] {
  const [first = '', ...words] = text.split(/\s+/).filter(Boolean);
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    if (line.length + 1 + word.length <= width) {
      line = `${line} ${word}`;
    } else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** The column in which the descriptions of all these rows begin. */
export function columnFor(rows: readonly Row[], width: number): number {
  const longest = Math.max(0, ...rows.map(([term]) => term.length));
  return Math.min(INDENT.length + longest + 2, Math.max(width - MIN_DESCRIPTION, 2 * INDENT.length));
}

/** Rows as lines: the description beside the term, or below a term that is too long; without a term it begins the line. */
export function linesOf(rows: readonly Row[], width: number, column: number): readonly string[] {
  return rows.flatMap(([term, description]) => {
    const start = `${INDENT}${term}`;
    if (description === '') return [start];
    if (term === '') return hanging(INDENT, description, width);
    return start.length + 2 > column
      ? [start, ...hanging(' '.repeat(column), description, width)]
      : hanging(start.padEnd(column), description, width);
  });
}

/** Rewraps a text of 80 columns for fewer. Paragraphs and table cells are rewrapped, lines with a command are not. */
export function reflow(text: string, width: number): string {
  const blocks = text.split('\n\n').map((block) => reflowBlock(block.split('\n'), width));
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

function reflowBlock(lines: readonly string[], width: number): readonly string[] {
  if (lines.every((line) => line.length <= width)) return lines;
  const whole: { readonly start: string; text: string }[] = [];
  for (const line of lines) {
    const next = partsOf(line);
    const last = whole.at(-1);
    // A continuation line begins in the column of the text.
    const isContinued = next.start.trim() === '' && next.start.length === last?.start.length;
    if (isContinued && next.text !== '' && last.text !== '') last.text += ` ${next.text}`;
    else whole.push(next);
  }
  return whole.flatMap(({ start, text }) => hanging(start, text, width));
}

/** A text wrapped in the column behind `start`. */
function hanging(start: string, text: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrap(text, Math.max(width - start.length, 1));
  return [`${start}${first}`, ...rest.map((line) => `${' '.repeat(start.length)}${line}`)];
}

/** `start` is the indent, with the term in a table line; a command is not taken apart. */
function partsOf(line: string) {
  if (/^\s+(\$ )?innctl /.test(line)) return { start: line, text: '' };
  const [, start = '', text = ''] = /^(\s*\S.*\s{2,})(\S.*)$/.exec(line) ?? /^(\s*)(.*)$/.exec(line) ?? [];
  return { start, text };
}
