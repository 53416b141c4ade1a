import type { ServiceRecord } from '../records.ts';
import { relativeTo } from './dates.ts';
import { toJson } from './json.ts';
import { isObject, valueAt } from './members.ts';
import type { Column } from './output.ts';

/** How values are put into words; the same values, whoever reads. */
export interface Voice {
  readonly missing: string;
  readonly yes: string;
  readonly no: string;
  readonly date: (text: string) => string;
  /** What becomes of `not_attempted`. */
  readonly words: (text: string) => string;
}

/** For programs: everything as the service wrote it. */
export const exactVoice: Voice = { missing: '', yes: 'true', no: 'false', date: asItIs, words: asItIs };

/** For people reading a file or a pipe, where a relative date would be wrong tomorrow. */
export const lastingVoice: Voice = {
  missing: '-',
  yes: 'yes',
  no: 'no',
  date: asItIs,
  words: (text) => text.replaceAll('_', ' '),
};

/**
 * For a person at a terminal, who reads dates as `40 days ago`.
 *
 * @param now milliseconds since the epoch.
 * @param withDate puts the date itself in front, where there is room.
 */
export function spokenVoice(now: number, withDate: boolean): Voice {
  const relative = relativeTo(now);
  return {
    ...lastingVoice,
    date: (text) => {
      const distance = relative(text);
      if (distance === undefined) return text;
      return withDate ? `${text} (${distance})` : distance;
    },
  };
}

/** The words for one value, not yet neutralised. A language map gives its English text, else its first. */
export function cellText(value: unknown, format: Column['format'], voice: Voice): string {
  if (value === undefined || value === null) return voice.missing;
  if (typeof value === 'boolean') return value ? voice.yes : voice.no;
  if (typeof value === 'string')
    return format === 'date' || format === 'words' ? voice[format](value) : value;
  if (Array.isArray(value))
    return value.map(entryText).join(format === 'lines' ? '; ' : ', ') || voice.missing;
  const translation = format === 'language' && isObject(value) ? translationIn(value) : undefined;
  return translation ?? toJson(value, { pretty: false });
}

/** What a column of lines has for a record. */
export function linesIn(record: ServiceRecord, column: Column): readonly string[] {
  const value = valueAt(record, column.field);
  return Array.isArray(value) ? value.map(entryText) : [];
}

/** The cells of one record, in the order of the columns. */
export function cellsOf(record: ServiceRecord, columns: readonly Column[], voice: Voice): readonly string[] {
  return columns.map((column) => cellText(valueIn(record, column), column.format, voice));
}

/** What a record has for a column. */
export function valueIn(record: ServiceRecord, { field, otherwise }: Column): unknown {
  const value = valueAt(record, field);
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return otherwise !== undefined && isNothing ? valueAt(record, otherwise) : value;
}

function asItIs(text: string): string {
  return text;
}

function entryText(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const id = isObject(entry) && Object.hasOwn(entry, 'id') ? entry['id'] : undefined;
  return typeof id === 'string' ? id : toJson(entry, { pretty: false });
}

function translationIn(texts: ServiceRecord): string | undefined {
  return [valueAt(texts, 'en'), ...Object.values(texts)].find((text) => typeof text === 'string');
}
