import type { ServiceRecord } from '../records.ts';
import { relativeTo } from './dates.ts';
import { toJson } from './json.ts';
import { isObject, memberOf, valueAt } from './members.ts';
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
  if (Array.isArray(value)) return value.map(entryText).join(separatorOf(value, format)) || voice.missing;
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
export function valueIn(record: ServiceRecord, column: Column): unknown {
  const { field, otherwise } = column;
  const value = joinedIn(record, column) ?? valueAt(record, field);
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return otherwise !== undefined && isNothing ? valueAt(record, otherwise) : value;
}

/**
 * The ids of a column with what stands beside it, in its place; what is there alone follows.
 *
 * @returns `undefined` where nothing is shown beside it, or one of the two is no such list.
 */
export function joinedIn(record: ServiceRecord, { field, beside }: Column): readonly unknown[] | undefined {
  const entries = beside === undefined ? undefined : valueAt(record, beside);
  if (!Array.isArray(entries)) return undefined;
  const ids = valueAt(record, field) ?? [];
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) return undefined;
  const byId = new Map<unknown, unknown[]>(ids.map((id) => [id, []]));
  for (const entry of entries) {
    const id = idOf(entry);
    if (id === undefined) return undefined;
    const own = byId.get(id);
    if (own === undefined) byId.set(id, [entry]);
    else own.push(entry);
  }
  return [...byId].flatMap(([id, own]) => (own.length === 0 ? [id] : own));
}

function asItIs(text: string): string {
  return text;
}

function separatorOf(list: readonly unknown[], format: Column['format']): string {
  return format === 'lines' || list.some((entry) => rolesOf(entry) !== undefined) ? '; ' : ', ';
}

/** `BER`, or where roles are shown `BER: FrontDesk, Auditor`; of none `BER: none`. */
function entryText(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const id = idOf(entry);
  if (id === undefined) return toJson(entry, { pretty: false });
  const roles = rolesOf(entry);
  if (roles === undefined) return id;
  const told = Array.isArray(roles) ? roles.map(entryText).join(', ') : entryText(roles);
  return `${id}: ${told || 'none'}`;
}

function idOf(entry: unknown): string | undefined {
  const id = memberOf(entry, 'id');
  return typeof id === 'string' ? id : undefined;
}

function rolesOf(entry: unknown): unknown {
  return memberOf(entry, 'roles') ?? undefined;
}

function translationIn(texts: ServiceRecord): string | undefined {
  return [valueAt(texts, 'en'), ...Object.values(texts)].find((text) => typeof text === 'string');
}
