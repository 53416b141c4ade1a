import { isRecord } from '../../records.ts';
import { clip, hasHidden, neutraliseLine } from '../../render/text.ts';
import { MOST_VALUES, type SeenValue } from './remember.ts';

/** A line of a file that completions read: `BER<TAB>Grand Hotel Berlin`. */
export interface CacheLine {
  readonly value: string;
  /** What it is, for people; may be empty. */
  readonly description: string;
}

const LONGEST_VALUE = 200;
const LONGEST_DESCRIPTION = 80;

/**
 * What was seen, as lines. A value that a shell's screen could not show as it is, and one that holds a secret, is
 * left out.
 *
 * @param clean masks secrets.
 */
export function linesFor(
  values: readonly SeenValue[],
  clean: (text: string) => string,
): readonly CacheLine[] {
  const lines = values.map(({ value, name }) => ({ value: textOf(value), name: nameIn(name) }));
  // One look at all is cheaper than one at each.
  const all = lines.map(({ value, name }) => `${value}\n${name}`).join('\n');
  const cleanText = clean(all) === all ? (text: string) => text : clean;
  return lines.flatMap(({ value, name }) => {
    if (!isShowable(value) || cleanText(value) !== value) return [];
    return [{ value, description: descriptionOf(cleanText(name)) }];
  });
}

/** The lines as the text of a file: each value once, as its first line has it, and 5,000 of them at most. */
export function cacheText(lines: readonly CacheLine[]): string {
  const byValue = new Map<string, string>();
  for (const { value, description } of lines) {
    if (byValue.size === MOST_VALUES) break;
    if (!byValue.has(value)) byValue.set(value, description);
  }
  return [...byValue].map(([value, description]) => `${value}\t${description}\n`).join('');
}

/** The lines that a file holds; what is none of ours is left out. */
export function linesIn(text: string): readonly CacheLine[] {
  return text.split('\n').flatMap((line) => {
    const [, value = '', name = ''] = /^([^\t]*)\t(.*)$/.exec(line) ?? [];
    return isShowable(value) ? [{ value, description: descriptionOf(name) }] : [];
  });
}

function isShowable(value: string): boolean {
  return value.trim() !== '' && value.length <= LONGEST_VALUE && !/[\n\t]/.test(value) && !hasHidden(value);
}

/** Cut before and after: a name may be huge, and grows where it has hidden characters. */
function descriptionOf(name: string): string {
  return clipped(neutraliseLine(clipped(name)));
}

function clipped(line: string): string {
  return line.length <= LONGEST_DESCRIPTION ? line : clip(line, LONGEST_DESCRIPTION - 1);
}

/** A language map gives its English text, else its first. */
function nameIn(name: unknown): string {
  if (!isRecord(name)) return textOf(name);
  const texts = Object.hasOwn(name, 'en') ? [name['en'], ...Object.values(name)] : Object.values(name);
  return textOf(texts.find((text) => typeof text === 'string'));
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}
