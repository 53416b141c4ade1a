import { parseInstant } from '../model/dates.ts';
import { fieldAt, groupBy, isObject, memberOf, type ServiceRecord } from '../model/records.ts';
import { quotedCell } from '../model/text.ts';
import { labelOf } from './labels.ts';
import type { Column } from './output.ts';
import { asItIs, type Tone } from './paint.ts';
import { grouped, toJson } from './text.ts';

/** How values are written in cells. */
interface Wording {
  /** For programs: everything as the service sent it. */
  readonly isExact: boolean;
  readonly date: (text: string) => string;
}

/** Shown to people where there is no value. */
export const MISSING = '-';

export const exactWording: Wording = { isExact: true, date: asItIs };

/** For people who read a file or a pipe, where a relative date would soon be wrong. */
export const absoluteWording: Wording = { isExact: false, date: asItIs };

/**
 * For people at a terminal: dates are relative, `40 days ago`.
 *
 * @param now milliseconds since the epoch.
 * @param withDate puts the date itself in front.
 */
export function relativeWording(now: number, withDate: boolean): Wording {
  return {
    isExact: false,
    date: (text) => {
      const distance = relativeTo(now, text);
      if (distance === undefined) return text;
      return withDate ? `${text} (${distance})` : distance;
    },
  };
}

/** The text of one value, not neutralised. A language map gives its English text, else its first. */
export function cellText(value: unknown, format: Column['format'], { isExact, date }: Wording): string {
  const missing = isExact ? '' : MISSING;
  if (value === undefined || value === null) return missing;
  if (isExact && typeof value === 'boolean') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && format === 'date') return date(value);
  if (typeof value === 'string') return format === 'words' && !isExact ? value.replaceAll('_', ' ') : value;
  if (Array.isArray(value) && format === 'grouped') return groupedText(value) || missing;
  if (Array.isArray(value)) return value.map(entryText).join(separatorOf(value, format)) || missing;
  const translation = format === 'language' && isObject(value) ? translationIn(value) : undefined;
  return translation ?? toJson(value);
}

/** The cells of one record, in the order of the columns. */
export function cellsOf(record: ServiceRecord, columns: readonly Column[], wording: Wording) {
  return columns.map(({ field, format, value = (each) => fieldAt(each, field) }) =>
    cellText(value(record), format, wording),
  );
}

function separatorOf(list: readonly unknown[], format: Column['format']): string {
  return format === 'sentences' || list.some((entry) => rolesOf(entry) !== undefined) ? '; ' : ', ';
}

/** `BER`, with roles `BER: FrontDesk, Auditor`, without any `BER: none`. */
function entryText(entry: unknown): string {
  if (typeof entry === 'string') return entry;
  const id = idOf(entry);
  if (id === undefined) return toJson(entry);
  const roles = rolesOf(entry);
  if (roles === undefined) return id;
  const text = Array.isArray(roles) ? roles.map(entryText).join(', ') : entryText(roles);
  return `${id}: ${text || 'none'}`;
}

/** `BER, MUC: FrontDesk; VIE: Auditor` */
function groupedText(list: readonly unknown[]): string {
  const groups = groupBy(list, (entry) => {
    const id = idOf(entry);
    return id === undefined ? '' : entryText(entry).slice(id.length);
  });
  const texts = [...groups].map(([roles, entries]) => {
    const ids = entries.map((entry) => idOf(entry) ?? entryText(entry));
    return `${ids.join(', ')}${roles}`;
  });
  return texts.join('; ');
}

function idOf(entry: unknown): string | undefined {
  const id = memberOf(entry, 'id');
  return typeof id === 'string' ? id : undefined;
}

function rolesOf(entry: unknown): unknown {
  return memberOf(entry, 'roles') ?? undefined;
}

/** The English text of a language map, else its first. */
export function translationIn(texts: ServiceRecord): string | undefined {
  return [fieldAt(texts, 'en'), ...Object.values(texts)].find((text) => typeof text === 'string');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Invitations live for 30 days, so days are counted for longer than a month. */
const units = [
  { unit: 'year', ms: 365 * DAY, from: 730 * DAY },
  { unit: 'month', ms: 30 * DAY, from: 90 * DAY },
  { unit: 'day', ms: DAY, from: DAY },
  { unit: 'hour', ms: HOUR, from: HOUR },
  { unit: 'minute', ms: MINUTE, from: MINUTE },
] as const;

/**
 * How far an ISO date-time is from `now`: `40 days ago`, `in 2 hours`, `just now`.
 *
 * @param now milliseconds since the epoch.
 * @returns `undefined` for a text that is no date-time with a zone.
 */
export function relativeTo(now: number, text: string): string | undefined {
  const moment = parseInstant(text);
  if (moment === undefined) return undefined;
  const distance = moment - now;
  const fitting = units.find(({ from }) => Math.abs(distance) >= from);
  return fitting ? distanceInWords(Math.trunc(distance / fitting.ms), fitting.unit) : 'just now';
}

/** As Intl.RelativeTimeFormat in English, whose data alone takes 10 ms to load. */
function distanceInWords(distance: number, unit: string): string {
  const number = Math.abs(distance);
  const length = `${grouped(number)} ${unit}${number === 1 ? '' : 's'}`;
  return distance < 0 ? `${length} ago` : `in ${length}`;
}

/** Cells that are quoted: those that RFC 4180 requires, and those that other delimiters or trimming would change. */
const QUOTED = /[",;\n\r\t]|^\s|\s$/;

/**
 * Rows as CSV (RFC 4180, with LF). A cell that a spreadsheet would run as a formula, or that begins with ', is prefixed
 * with one ', which our reader removes.
 */
export function csvText(rows: readonly (readonly string[])[]): string {
  // A row with one empty cell would be an empty line, which readers skip.
  const empty = rows.every((cells) => cells.length === 1) ? '""' : '';
  const written = (cell: string) => {
    const text = quotedCell(cell);
    return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text || empty;
  };
  return rows.map((cells) => `${cells.map(written).join(',')}\n`).join('');
}

/** Deeper values are shown as JSON. */
const DEEPEST = 8;

/**
 * Every field of the record with its value as text, in its own order, dates as in lists. An array of plain values is one
 * field.
 *
 * The path is dotted, entries of an array by index: `property_roles.0.id`.
 */
export function fieldsOf(record: ServiceRecord, columns: readonly Column[], wording: Wording) {
  return leavesOf(record, '', 0).map(([path, value]) => ({
    path,
    text: textAt(path, value, columns, wording),
  }));
}

/** The same for people: with labels, and a line for the roles at each property. */
export function cardFields(record: ServiceRecord, columns: readonly Column[], wording: Wording) {
  const leaves = leavesOf(record, '', 0, (value) => placedRoles(value) !== undefined);
  return leaves.flatMap(([path, value]) => {
    const placed = placedRoles(value);
    if (placed !== undefined)
      return placed.map(([id, text]) => ({ label: `Roles at ${id}`, text, tone: undefined }));
    const text = textAt(path, value, columns, wording);
    const column = columns.find(({ field }) => field === path);
    return [{ label: labelOf(path, columns), text, tone: toneOf(text, column) }];
  });
}

/** The colour of a cell. */
export function toneOf(text: string, { tones = {} }: Partial<Column> = {}): Tone | undefined {
  return Object.hasOwn(tones, text) ? tones[text] : undefined;
}

/** The roles at each property; `undefined` for anything but a list of `{id, roles}`. */
function placedRoles(value: unknown): readonly (readonly [id: string, roles: string])[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const placed = value.flatMap((entry) => {
    const id = idOf(entry);
    const isPlaced = id !== undefined && rolesOf(entry) !== undefined && Object.keys(entry).length === 2;
    return isPlaced ? [[id, entryText(entry).slice(id.length + 2)] as const] : [];
  });
  return placed.length === value.length ? placed : undefined;
}

function textAt(path: string, value: unknown, columns: readonly Column[], wording: Wording): string {
  const column = columns.find(({ field }) => field === path);
  return cellText(value, column?.format ?? 'date', wording);
}

/** The column of this field, else a new one with the label that the field has in a card. */
export function columnFor(field: string, columns: readonly Column[]): Column {
  const found = columns.find((column) => column.field === field);
  return found ?? { field, header: labelOf(field, columns) };
}

/** The paths of the values of a record; lists are not entered. */
export function pathsIn(record: ServiceRecord): readonly string[] {
  return leavesOf(record, '', 0, Array.isArray).map(([path]) => path);
}

/** The values without fields of their own, with their paths. */
function leavesOf(
  parent: object,
  prefix: string,
  depth: number,
  isLeaf: (value: unknown) => boolean = () => false,
): readonly (readonly [string, unknown])[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const isDeep = depth < DEEPEST && hasFields(value) && !isLeaf(value);
    return isDeep ? leavesOf(value, `${path}.`, depth + 1, isLeaf) : [[path, value]];
  });
}

function hasFields(value: unknown): value is object {
  if (Array.isArray(value)) return value.some((entry) => typeof entry === 'object' && entry !== null);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
