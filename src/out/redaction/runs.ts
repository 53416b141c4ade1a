/** So many characters of a secret in a row are masked; the whole of one that is shorter. */
const RUN = 12;

/** A run is looked for where a part of it of so many characters stands. */
const PROBE = 6;

/** What stands in place of the middle or the end of a text that was cut. */
const ELLIPSIS = /[[(<]?(?:…|[.*•]{2,})[\])>]?/g;

/** So many characters beside an ellipsis are a cut secret; so many on one side of it are looked at. */
const CUT = 8;
const EDGE = 4;

/** So many parts are looked up before a table of them is made. */
const COLD = 300;

/** What is searched for, in lower case and without escapes and breaks. */
export interface Wanted {
  /** Eight characters or more each. */
  readonly secrets: readonly string[];
  /** What they are encoded as. */
  readonly encoded: readonly string[];
  /** What is no secret, where a secret has the same part. */
  readonly open: readonly string[];
}

/**
 * Prepares a search for every run of a secret, and for what an ellipsis left of one. It takes the same time however many
 * secrets there are, and however much they repeat themselves.
 *
 * @returns finds the spans in a text as `readingOf` has it; sorted, and none overlaps another.
 */
export function searchRuns({ secrets, encoded, open }: Wanted): (text: string) => readonly Span[] {
  const words = [...new Set([...secrets, ...encoded])];
  const allowed = new Set(open.flatMap((word) => partsOf(word, RUN)));
  const lengthOf = ({ length }: string) => Math.min(RUN, length);
  const runs = [...new Set(words.map(lengthOf))].map((length) => ({
    length,
    has: createLookup(
      words.filter((word) => lengthOf(word) === length),
      length,
    ),
  }));
  const isProbe = createLookup(words, PROBE);
  // Every run, the shortest too, has one of the places that are probed.
  const step = Math.min(RUN, ...runs.map(({ length }) => length)) - PROBE + 1;
  const cutsIn = searchCuts(secrets);
  return (text) => {
    const spans: { start: number; end: number }[] = [];
    let start = 0;
    for (let at = 0; at + PROBE <= text.length; at += step) {
      if (!isProbe(text.slice(at, at + PROBE))) continue;
      for (start = Math.max(start, at + PROBE - RUN); start <= at; start += 1) {
        for (const { length, has } of runs) {
          const run = text.slice(start, start + length);
          if (run.length === length && has(run) && !allowed.has(run)) cover(spans, start, start + length);
        }
      }
    }
    return merged([...spans, ...cutsIn(text, spans)]);
  };
}

/** The ends of secrets that stand beside an ellipsis. */
function searchCuts(secrets: readonly string[]) {
  const heads = new Set(secrets.flatMap((word) => partsOf(word.slice(0, RUN), EDGE)));
  const tails = new Set(secrets.flatMap((word) => partsOf(word.slice(-RUN), EDGE)));
  return (text: string, runs: readonly Span[]): readonly Span[] => {
    const ends = new Set(runs.map(({ end }) => end));
    const starts = new Set(runs.map(({ start }) => start));
    return [...text.matchAll(ELLIPSIS)].flatMap(({ 0: sign, index }) => {
      const after = index + sign.length;
      const mayBegin = heads.has(text.slice(Math.max(0, index - EDGE), index));
      const mayEnd = tails.has(text.slice(after, after + EDGE));
      if (!mayBegin && !mayEnd) return [];
      return secrets.flatMap((word) => {
        const head = longest(Math.min(word.length, index), (length) =>
          text.startsWith(word.slice(0, length), index - length),
        );
        const tail = longest(word.length, (length) => text.startsWith(word.slice(-length), after));
        const isCut =
          head >= CUT ||
          tail >= CUT ||
          head + tail >= RUN ||
          // The sign may be a part of the secret.
          (head >= EDGE && (starts.has(after) || starts.has(after - 1))) ||
          (tail >= EDGE && (ends.has(index) || ends.has(index + 1)));
        const sides = [
          { start: index - head, end: index },
          { start: after, end: after + tail },
        ];
        return isCut ? sides.filter(({ start, end }) => start < end) : [];
      });
    });
  };
}

/** The greatest length below that of a run that holds; none, 0. */
function longest(most: number, holds: (length: number) => boolean): number {
  for (let length = Math.min(most, RUN - 1); length >= EDGE; length -= 1) if (holds(length)) return length;
  return 0;
}

/** Whether one of the words has this part of so many characters. A table of all parts is made once it pays. */
export function createLookup(words: readonly string[], length: number): (part: string) => boolean {
  const all = words.join('\n');
  let parts: ReadonlySet<string> | undefined;
  let looked = 0;
  return (part) => {
    looked += 1;
    if (looked < COLD) return all.includes(part);
    parts ??= new Set(words.flatMap((word) => partsOf(word, length)));
    return parts.has(part);
  };
}

function partsOf(word: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, word.length - length + 1) }, (_, at) =>
    word.slice(at, at + length),
  );
}

/** Where something stands in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans by their starts, those that overlap as one. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) cover(whole, start, end);
  return whole;
}

/** Adds a span that starts no earlier than the last one of `spans`, which grows where they overlap. */
export function cover(spans: { start: number; end: number }[], start: number, end: number): void {
  const last = spans.at(-1);
  if (last === undefined || start >= last.end) spans.push({ start, end });
  else last.end = Math.max(last.end, end);
}
