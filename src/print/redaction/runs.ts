/** Consecutive characters of a secret that are masked; a shorter secret is masked as a whole. */
const RUN = 12;

/** Length of the part of a run that is looked up first. */
const PROBE = 6;

/** Marks where the middle or the end of a text was cut. */
const ELLIPSIS = /[[(<]?(?:…|[.*•]{2,})[\])>]?/g;

/** Characters next to an ellipsis that count as a cut secret, and the fewest on one side that are considered. */
const CUT = 8;
const EDGE = 4;

/** Lookups before a table of parts is built. */
const COLD = 300;

/**
 * Prepares a search for runs of secrets, and for what an ellipsis left of one. Its time does not depend on the number of
 * secrets.
 *
 * All words are as `readingOf` returns them.
 *
 * @param secrets eight characters or more each.
 * @param encoded their encodings.
 * @param open values that are not masked, even where they equal a part of a secret.
 * @returns finds the spans in a text that `readingOf` returned; sorted, without overlaps.
 */
export function searchRuns(secrets: readonly string[], encoded: readonly string[], open: readonly string[]) {
  const words = [...new Set([...secrets, ...encoded])];
  const allowed = new Set(open.flatMap((word) => partsOf(word, RUN)));
  const lengthOf = ({ length }: string) => Math.min(RUN, length);
  const runs = [...new Set(words.map(lengthOf))].map((length) => {
    const alike = words.filter((word) => lengthOf(word) === length);
    return { length, has: createLookup(alike, length) };
  });
  const isProbe = createLookup(words, PROBE);
  // Every run, even the shortest, contains one of the places that are probed.
  const step = Math.min(RUN, ...runs.map(({ length }) => length)) - PROBE + 1;
  const cutsIn = searchCuts(secrets);
  return (text: string): readonly Span[] => {
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

/** The ends of secrets next to an ellipsis. */
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
          // The dots may be a part of the secret.
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

/** The greatest length, below that of a run, that `holds`; 0 where none does. */
function longest(most: number, holds: (length: number) => boolean): number {
  for (let length = Math.min(most, RUN - 1); length >= EDGE; length -= 1) if (holds(length)) return length;
  return 0;
}

/** Whether one of the words contains a part of this length. A table of all parts is built after some lookups. */
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

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The spans sorted, overlapping ones merged. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) cover(whole, start, end);
  return whole;
}

/** Adds a span that does not start before the last one of `spans`; merges them where they overlap. */
export function cover(spans: { start: number; end: number }[], start: number, end: number): void {
  const last = spans.at(-1);
  if (last === undefined || start >= last.end) spans.push({ start, end });
  else last.end = Math.max(last.end, end);
}
