import { openPaint, type Tone } from './paint.ts';
import type { Destination } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';
import { wrapped } from './wrap.ts';

/** One entry of an outline: a sign, and a text that is wrapped at words; not neutralised. */
export interface OutlineLine {
  /** One character: `+`. Default: none. */
  readonly sign?: string;
  readonly tone?: Tone | undefined;
  readonly text: string;
  /** Further lines, indented. */
  readonly below?: readonly string[];
}

/** Longer texts are cut. */
const LONGEST = 2_000;

/** The text of an outline, line by line. @param columns `Infinity` without a terminal. */
export async function* outlineText(
  lines: Iterable<OutlineLine>,
  { columns, colour, clean }: Pick<Destination, 'columns' | 'colour' | 'clean'>,
): AsyncGenerator<string> {
  const safe = (text: string) => clip(neutraliseLine(clean(text)), LONGEST);
  const paint = await openPaint(colour);
  for (const { sign = ' ', tone, text, below = [] } of lines) {
    const mark = tone === undefined ? sign : paint[tone](sign);
    yield `  ${mark} ${await wrapped(safe(text), { columns, first: 4, below: 6 })}\n`;
    for (const each of below) yield `${await wrapped(`      ${safe(each)}`, { columns })}\n`;
  }
}
