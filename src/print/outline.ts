import { openPaint, type Tone } from './paint.ts';
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

/** Where an outline is printed. */
interface Paper {
  /** Width in columns; `Infinity` without a terminal. */
  readonly columns: number;
  readonly colour: boolean;
  /** Masks secrets. */
  readonly clean: (text: string) => string;
}

/** Lines that are written together. */
const AT_ONCE = 200;
/** Longer texts are cut. */
const LONGEST = 2_000;

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
  const paint = await openPaint(colour);
  const drawLine = async ({ sign = ' ', tone, text, below = [] }: OutlineLine) => {
    const head = await wrapped(safe(text), { columns, first: 4, below: 6 });
    const rest = await Promise.all(below.map((each) => wrapped(`      ${safe(each)}`, { columns })));
    const mark = tone === undefined ? sign : paint[tone](sign);
    return [`  ${mark} ${head}`, ...rest].map((line) => `${line}\n`).join('');
  };
  return (await Promise.all(lines.map(drawLine))).join('');
}
