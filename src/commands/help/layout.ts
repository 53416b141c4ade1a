/** A word or a flag, and what there is to say about it. */
export type Row = readonly [term: string, description: string];

/** Descriptions beside long terms keep so many columns. */
const LEAST_ROOM = 35;
const INDENT = '  ';

/**
 * A text in lines no wider than `width`; a longer word stands alone.
 *
 * @param indent what every line after the first begins with.
 */
export function wrap(text: string, width: number, indent = ''): readonly string[] {
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

/** Where the descriptions of all these rows begin, so that they stand below each other. */
export function columnFor(rows: readonly Row[], width: number): number {
  const longest = Math.max(0, ...rows.map(([term]) => term.length));
  return Math.min(INDENT.length + longest + 2, Math.max(width - LEAST_ROOM, 2 * INDENT.length));
}

/** Rows in lines: each term with its description beside it, or below where the term is too long for that. */
export function linesOf(rows: readonly Row[], width: number, column: number): readonly string[] {
  const margin = ' '.repeat(column);
  return rows.flatMap(([term, description]) => {
    const [first = '', ...rest] = wrap(description, Math.max(width - column, 1));
    const start = `${INDENT}${term}`;
    const below = rest.map((line) => `${margin}${line}`);
    if (first === '') return [start];
    return start.length + 2 > column
      ? [start, `${margin}${first}`, ...below]
      : [`${start.padEnd(column)}${first}`, ...below];
  });
}

/**
 * A text that was written for 80 columns, for fewer: paragraphs and the cells of tables are broken anew. Lines with a
 * command to copy stay whole.
 */
export function reflow(text: string, width: number): string {
  return text
    .split('\n\n')
    .map((block) => reflowBlock(block.split('\n'), width).join('\n'))
    .join('\n\n');
}

function reflowBlock(lines: readonly string[], width: number): readonly string[] {
  if (lines.every((line) => line.length <= width)) return lines;
  return joined(lines).flatMap((line) => reflowLine(line, width));
}

/** A line goes on where the next one begins as far right as its text does. */
function joined(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const line of lines) {
    const last = whole.at(-1);
    if (last !== undefined && goesOn(last, line)) whole.splice(-1, 1, `${last} ${line.trim()}`);
    else whole.push(line);
  }
  return whole;
}

function goesOn(line: string, next: string): boolean {
  if (next === '' || isCommand(line) || isCommand(next)) return false;
  const { start } = partsOf(next);
  return start.trim() === '' && partsOf(line).start.length === start.length;
}

function reflowLine(line: string, width: number): readonly string[] {
  if (line.length <= width || isCommand(line)) return [line];
  const { start, text } = partsOf(line);
  const [first = '', ...rest] = wrap(text, Math.max(width - start.length, 1));
  return [`${start}${first}`, ...rest.map((each) => `${' '.repeat(start.length)}${each}`)];
}

/** A line of a table has its terms in the start, another one its indent alone. */
function partsOf(line: string) {
  const [, start = '', text = ''] = /^(\s*\S.*\s{2,})(\S.*)$/.exec(line) ?? /^(\s*)(.*)$/.exec(line) ?? [];
  return { start, text };
}

function isCommand(line: string): boolean {
  return /^\s+(\$ )?innctl /.test(line);
}
