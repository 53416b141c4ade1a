import type { Page } from '../model/records.ts';
import { relativeTo } from './cells.ts';
import type { Checked, Shape } from './output.ts';
import { openPaint, type Tone } from './paint.ts';
import { allOf, type Destination } from './styles.ts';
import { clip, neutraliseLine } from './text.ts';
import { openMeasure, pad, widthOf, wrapped } from './width.ts';

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

/** The signs of results, and what a terminal shows that has only ASCII. */
const signs: Readonly<Record<Checked['result'], readonly [sign: string, ascii: string, tone: Tone]>> = {
  ok: ['✓', '+', 'good'],
  warn: ['!', '!', 'warning'],
  fail: ['✗', 'x', 'error'],
  skipped: ['-', '-', 'hint'],
};

const HINT = 'hint:';

/** A line for each check with its sign; below it, what to do about it. */
export async function* checksOf(
  checked: NonNullable<Shape['checked']>,
  pages: AsyncIterable<Page>,
  destination: Destination,
): AsyncGenerator<string, void> {
  const { clean, isTerminal, plain, colour, now } = destination;
  const records = await allOf(pages, ({ items }) => items);
  const paint = await openPaint(colour);
  const date = (text: string) => (isTerminal ? relativeTo(now(), text) : undefined) ?? text;
  const checks = records.map((record) => checked(record, date));
  const shown = (text: string) => neutraliseLine(clean(text));
  const measure = await openMeasure(checks.map(({ name }) => shown(name)));
  const widest = Math.max(0, ...checks.map(({ name }) => measure(shown(name))));
  const indent = widest + 4;
  const place = { columns: widthOf(destination), below: indent };
  for (const { result, name, detail, hint } of checks) {
    const [sign, ascii, tone] = signs[result];
    const text = await wrapped(shown(detail), { ...place, first: indent });
    yield `${paint[tone](plain ? ascii : sign)} ${pad(shown(name), widest, measure)}  ${text}\n`;
    for (const [index, line] of (hint?.split('\n') ?? []).entries()) {
      const before = ' '.repeat(indent) + (index === 0 ? paint.hint(HINT) : ' '.repeat(HINT.length));
      const inner = indent + HINT.length + 1;
      yield `${before} ${await wrapped(shown(line), { ...place, first: inner, below: inner })}\n`;
    }
  }
}
