import { openPaint, type Tone } from './paint.ts';
import { clip, neutraliseLine } from './text.ts';
import { type Measure, openMeasure } from './width.ts';

/** One entry of an outline: a sign, and a text that is wrapped at words; not neutralised. */
export interface OutlineLine {
  /** One character: `+`. Default: none. */
  readonly sign?: string;
  readonly tone?: Tone | undefined;
  readonly text: string;
  /** Further lines, indented. */
  readonly below?: readonly string[];
}

/** Where an outline is printed. */
interface Paper {
  /** Width in columns. */
  readonly columns: number;
  readonly colour: boolean;
  /** Masks secrets. */
  readonly clean: (text: string) => string;
}

/** Lines that are wrapped and written together. */
const AT_ONCE = 200;
/** Longer texts are cut. */
const LONGEST = 2_000;
/** On a narrower terminal the rest is left to the terminal. */
const NARROWEST = 20;

/** The text of an outline in pieces, each ended by a newline. */
export async function* outlineText(lines: Iterable<OutlineLine>, paper: Paper): AsyncGenerator<string> {
  let piece: OutlineLine[] = [];
  for (const line of lines) {
    piece.push(line);
    if (piece.length < AT_ONCE) continue;
    yield await drawn(piece, paper);
    piece = [];
  }
  if (piece.length > 0) yield await drawn(piece, paper);
}

async function drawn(lines: readonly OutlineLine[], { columns, colour, clean }: Paper): Promise<string> {
  const safe = (text: string) => clip(neutraliseLine(clean(text)), LONGEST);
  const shown = lines.map(({ text, below = [], ...line }) => ({
    ...line,
    text: safe(text),
    below: below.map(safe),
  }));
  const measure = await openMeasure(shown.flatMap(({ text, below }) => [text, ...below]));
  const paint = await openPaint(colour);
  const width = Math.max(columns, NARROWEST);
  return shown
    .flatMap(({ sign = ' ', tone, text, below }) => {
      const [first = '', ...rest] = wrapped(text, width, '    ', measure);
      const head = `  ${tone === undefined ? sign : paint[tone](sign)} ${first.slice(4)}`;
      return [head, ...rest, ...below.flatMap((each) => wrapped(each, width, '      ', measure))];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** The lines of a text, broken at blanks; a longer word has a line of its own. Further lines are indented by two more. */
function wrapped(text: string, columns: number, indent: string, measure: Measure): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? `${indent}${word}` : `${line} ${word}`;
    if (line === '' || measure(next) <= columns) {
      line = next;
      continue;
    }
    lines.push(line);
    line = `${indent}  ${word}`;
  }
  return [...lines, line];
}
