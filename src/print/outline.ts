import { openPaint, type Tone } from './paint.ts';
import { clip, neutraliseLine } from './text.ts';
import { wrapped } from './width.ts';

/** One entry of an outline: a sign, and a text that is wrapped at words; not neutralised. */
export interface OutlineLine {
  /** One character: `+`. Default: none. */
  readonly sign?: string;
  readonly tone?: Tone | undefined;
  readonly text: string;
  /** Further lines, indented. */
  readonly below?: readonly string[];
}

/** The signs of results of checks. */
export const resultSigns = {
  ok: { sign: '✓', tone: 'good' },
  warn: { sign: '!', tone: 'warning' },
  fail: { sign: '✗', tone: 'error' },
  skipped: { sign: '-', tone: 'hint' },
} as const;

/** Where an outline stands. `clean` masks secrets; the columns are `Infinity` without a terminal. */
interface Paper {
  readonly columns: number;
  readonly colour: boolean;
  readonly clean: (text: string) => string;
}

/** Longer texts are cut. */
const LONGEST = 2_000;

/** The text of an outline, line by line. */
export async function* outlineText(
  lines: Iterable<OutlineLine>,
  { columns, colour, clean }: Paper,
): AsyncGenerator<string> {
  const safe = (text: string) => clip(neutraliseLine(clean(text)), LONGEST);
  const paint = await openPaint(colour);
  for (const { sign = ' ', tone, text, below = [] } of lines) {
    const mark = tone === undefined ? sign : paint[tone](sign);
    yield `  ${mark} ${await wrapped(safe(text), { columns, first: 4, below: 6 })}\n`;
    for (const each of below) yield `${await wrapped(`      ${safe(each)}`, { columns })}\n`;
  }
}
