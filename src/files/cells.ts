import type { CellKind } from '../fs/csv-read.ts';
import { NO_ROLES } from '../model/field-values.ts';
import { parsedJson } from '../model/json-text.ts';
import { fieldNamed, namesOfType, timeFields } from '../model/kinds.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote, spreadsheetProblem } from '../model/text.ts';
import { cellText, exactWording } from '../print/cells.ts';
import { hasHidden, neutralise, toJson } from '../print/text.ts';

/** The cell of a list that is given and has nothing in it; an empty cell is not given. */
const EMPTY_LIST = '[]';

/** A cell that begins with it is a comment: a row of them is skipped, and no other row may have one. A text is spelt differently. */
export const COMMENT = '#:';

/** Whether the cells of a field hold a list. */
function isList(field: string): boolean {
  const type = fieldNamed.get(field)?.type;
  return type === 'list' || type === 'names';
}

function areRoles(field: string): boolean {
  return fieldNamed.get(field)?.type === 'roles';
}

/** Separates the items of a list; a blank is part of a name. */
const BETWEEN = /\s*[,;\n\r]\s*/;

/** The same in a cell of roles at each property. */
const BETWEEN_ROLES = /\s*(?:[,;\n\r]|:\s)\s*/;

/** A value of a record. */
export interface Cell {
  /** The names that lead to it. */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly cell: string;
}

/** The cells of a record. */
export function cellsOf(record: ServiceRecord, above: readonly string[] = []): readonly Cell[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...above, name];
    return isRecord(value) ? cellsOf(value, path) : [{ path, value, cell: cellOf(value) }];
  });
}

function cellOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return toJson(value);
  if (value.length === 0) return EMPTY_LIST;
  const texts = value.filter((each) => typeof each === 'string');
  if (texts.length < value.length) return cellText(value, undefined, exactWording);
  return texts.some((each) => /^\s|^\[|[,;\n\r]|\s$/.test(each)) ? toJson(texts) : texts.join(',');
}

/** The items of a cell that holds a list: with marks between them, or as JSON if an item has such a mark. */
function itemsIn(field: string, word: string): readonly string[] {
  // A list of property ids in JSON is a mistake: no id has such marks.
  const value = field !== 'properties' && /^\["/.test(word) ? parsedJson(word) : undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return word === EMPTY_LIST ? [] : word.split(BETWEEN).filter((each) => each !== '');
}

/** The value of a cell in the column of a field. */
export function cellValue(field: string, cell: string): unknown {
  const word = cell.trim();
  if (areRoles(field)) return word === EMPTY_LIST ? [] : rolesIn(word);
  if (isList(field)) return itemsIn(field, word);
  return field === 'kind' ? word : cell;
}

/**
 * Sets a value at a path of names; no path may lead into a value that was set. Every object has the name `constructor`, hence
 * `hasOwn`.
 */
export function putAt(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let outer = record;
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(outer, name)) outer[name] = {};
    // Only the line above sets what is here.
    outer = outer[name] as Record<string, unknown>;
  }
  outer[path.at(-1) ?? ''] = value;
}

/** `BER: FrontDesk, Auditor; VIE: none`; anything else is refused with the entry. */
function rolesIn(word: string): readonly unknown[] {
  const parts = word.split(';').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(rolesAtOne);
}

function rolesAtOne(part: string): Record<string, unknown> {
  const [, id, roles] = /^(\S+?):\s+(.+)$/.exec(part) ?? /^([^:]+):(.+)$/.exec(part) ?? [];
  if (id === undefined || roles === undefined) return { id: part };
  const names = roles.split(',').map((role) => role.trim());
  return { id, roles: roles.trim() === NO_ROLES ? [] : names };
}

/** How a spreadsheet has damaged a cell, or one item of its list; `undefined` if it has not. */
export function cellProblem(field: string, cell: string): string | undefined {
  const isText = !field.startsWith('extra.');
  const between = areRoles(field) ? BETWEEN_ROLES : BETWEEN;
  return [cell, ...(areRoles(field) || isList(field) ? cell.split(between) : [])]
    .map((part) => spreadsheetProblem(part, isText))
    .find((reason) => reason !== undefined);
}

/** What a cell of a workbook is, and no field can be; `undefined` for the others. */
const wrongKinds: Readonly<Partial<Record<CellKind, string>>> = {
  error: 'is an error of the spreadsheet',
  formula: 'is a formula without its value: open the file in a spreadsheet and save it again',
};

/** What a cell of a workbook is, and a text cannot be. */
const notTexts: Readonly<Partial<Record<CellKind, string>>> = {
  number: 'is stored as a number, and may have lost zeros',
  date: 'is a date',
  time: 'is a time',
  truth: 'is true or false',
};

/** The fields that are no texts, by what their cells may be. */
const takenBy: Readonly<Partial<Record<CellKind, readonly string[]>>> = {
  truth: namesOfType('truth'),
  time: timeFields,
  number: namesOfType('whole'),
  date: ['until'],
};

/** Why a cell of a workbook is not what its column holds, or `undefined`. Dates and numbers may be under `extra`. */
export function kindProblem(field: string, cell: string, kind: CellKind = 'text'): string | undefined {
  const { [kind]: wrong } = wrongKinds;
  if (wrong !== undefined) return kind === 'formula' ? wrong : `${quote(cell)} ${wrong}`;
  const { [kind]: reason } = notTexts;
  if (reason === undefined || field.startsWith('extra.') || takenBy[kind]?.includes(field)) return undefined;
  // Rooms are numbers. One that was typed with zeros in front, 007, is 7 in the file, too, so the plan shows it.
  if (kind === 'number' && ['name', 'names'].includes(field) && /^\d{1,9}$/.test(cell)) return undefined;
  return `${quote(cell)} ${reason}: format its column as text, and enter the value again`;
}

const SPELLED = /\\u\{([0-9a-f]{1,6})\}/g;

/** A cell of a table in which what a terminal obeys or hides is written as `\u{1b}`; newline and tab stay. */
export function spelledCell(cell: string): string {
  // A text that looks like such a spelling, or like a comment, must be read back as that text.
  const text = cell.replaceAll(SPELLED, '\\u{5c}u{$1}').replace(/^#(?=:)/, '\\u{23}');
  return neutralise(text.replaceAll('\r', '\\u{d}'));
}

/** The text that `spelledCell` wrote; `\u{...}` for any other character stays as it is. */
export function unspelledCell(cell: string): string {
  if (!cell.includes('\\u{')) return cell;
  return cell.replaceAll(SPELLED, (spelled, hex: string) => {
    const code = Number.parseInt(hex, 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    return /^[\\#]/.test(character) || hasHidden(character) ? character : spelled;
  });
}
