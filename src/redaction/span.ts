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
