import type { Sink } from '../cli/ports.ts';
import { type Measure, openMeasure } from './width.ts';

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
    return wrapLine(line, { start, further, columns }, measure);
  });
  return lines.join('\n');
}

/** The columns of a sink; `Infinity` without a terminal. */
export function widthOf({ isTerminal, columns }: Pick<Sink, 'isTerminal' | 'columns'>): number {
  return isTerminal ? columns : Number.POSITIVE_INFINITY;
}

interface LinePlace {
  readonly start: number;
  readonly further: number;
  readonly columns: number;
}

function wrapLine(line: string, { start, further, columns }: LinePlace, measure: Measure): string {
  const lines: string[] = [];
  let width = start;
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
      lines.push(`\n${' '.repeat(further)}${word}`);
      width = further + wide;
    }
  }
  return lines.join('');
}
