import { hasHidden } from '../print/text.ts';

/** A value of a cache file of completions: a line `BER<TAB>Grand Hotel Berlin`. The description may be empty. */
export interface CachedLine {
  readonly value: string;
  readonly description: string;
}

/** Maximum number of lines of a file. */
export const MOST_LINES = 5_000;

const LONGEST_VALUE = 200;

/** The valid lines of a file: on one line, without what a terminal interprets or does not show. */
export function linesIn(text: string): readonly CachedLine[] {
  return text.split('\n', MOST_LINES).flatMap((line) => {
    const [value = '', description, ...more] = line.split('\t');
    // Bytes that are not UTF-8 become U+FFFD.
    const isWrong =
      description === undefined || more.length > 0 || /\ufffd/.test(line) || hasHidden(description);
    return isWrong || !isCacheable(value)
      ? []
      : [{ value, description: description.slice(0, LONGEST_VALUE) }];
  });
}

/** The text of a file: each value once, as in its first line. */
export function linesText(lines: readonly CachedLine[]): string {
  const byValue = new Map<string, string>();
  for (const { value, description } of lines) {
    if (byValue.size === MOST_LINES) break;
    if (!byValue.has(value)) byValue.set(value, description);
  }
  return [...byValue].map((line) => `${line.join('\t')}\n`).join('');
}

/** Whether a value is short, and shown as it is by a terminal. */
export function isCacheable(value: string): boolean {
  return value.trim() !== '' && value.length <= LONGEST_VALUE && !/[\n\t]/.test(value) && !hasHidden(value);
}
