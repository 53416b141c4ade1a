import type { RowDef, SheetFilter } from 'hucre';
import { type Cell, type CellValue, type MergeRange, readXlsx, type Sheet } from 'hucre/xlsx';
import { messageOf } from '../cli/errors.ts';
import { andList, counted, textOfFormula, unquotedCell } from '../model/text.ts';
import { type CellKind, cellName, type Row } from './csv-read.ts';
import { FileProblem, SAVE_AS } from './read.ts';

/** A row costs memory for each column up to its last one, and a row of a few bytes may have 16,384. */
const MOST_COLUMNS = 100;
const MOST_ROWS = 1_048_576;

const MIB = 1_048_576;
const ENTRY = 0x02014b50;
const END_LENGTH = 22;
const ENTRY_LENGTH = 46;
const LONGEST_COMMENT = 65_535;
/** What a workbook may have unpacked: 100,000 hotels. */
const MOST_MIB = 64;

const COPY = 'Copy or save it again.';

/**
 * Reads the first sheet of an Excel workbook (.xlsx) that is not hidden. Of a formula it has the value that was saved.
 *
 * @param all its hidden rows and columns, too.
 * @throws {FileProblem} when it is another file, is damaged or encrypted, or too large unpacked.
 */
export async function readFirstSheet(bytes: Uint8Array, name: string, all = false) {
  refuseOther(bytes, name);
  refuseBomb(bytes, name);
  const shown: string[] = [];
  const isFirst: SheetFilter = (info) =>
    info.hidden !== true && info.veryHidden !== true && shown.push(info.name) === 1;
  const range = `A1:${cellName(MOST_COLUMNS, MOST_ROWS)}`;
  const { sheets } = await readXlsx(bytes, { sheets: isFirst, range }).catch((cause: unknown) => {
    const reason = `is damaged, or no Excel workbook: ${messageOf(cause)}`;
    throw new FileProblem(name, reason, { cause, hint: SAVE_AS });
  });
  const [sheet] = sheets;
  if (sheet === undefined) throw new FileProblem(name, 'has no sheet that is not hidden');
  if (sheet.rows.some((cells) => isFilled(cells[MOST_COLUMNS])))
    throw new FileProblem(name, `has more than ${MOST_COLUMNS} columns`);
  const seen = all ? { ...sheet, columns: [], rowDefs: new Map<number, RowDef>() } : sheet;
  return {
    name: sheet.name,
    /** The other sheets that are not hidden. */
    others: shown.slice(1),
    /** What is hidden and so not in the rows, `2 hidden rows and 1 hidden column`, or an empty text. */
    left: leftOf(seen),
    /** The headers of hidden columns. */
    unseen: unseenIn(seen),
    /** Without blank rows. */
    rows: rowsOf(seen),
  };
}

/** Old workbooks, and encrypted ones, are in a container of OLE. */
function refuseOther(bytes: Uint8Array, name: string): void {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (start === '504b0304') return;
  if (start !== 'd0cf11e0') throw new FileProblem(name, 'is no Excel workbook', { hint: SAVE_AS });
  if (Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw new FileProblem(name, 'is encrypted', { hint: 'Save it without a password.' });
  throw new FileProblem(name, 'is an old Excel workbook (.xls)', { hint: SAVE_AS });
}

/**
 * Refuses a ZIP archive that could fill the memory: its directory states how large each part is unpacked, and a reader that
 * unpacks no more than that needs no other limit.
 *
 * @throws {FileProblem} when it has no whole directory, or is larger.
 */
function refuseBomb(bytes: Uint8Array, name: string): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = view.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0 || end + END_LENGTH > view.length || end < view.length - END_LENGTH - LONGEST_COMMENT)
    throw new FileProblem(name, 'is not whole: its end is missing', { hint: COPY });
  let at = view.readUInt32LE(end + 16);
  let size = 0;
  for (let left = view.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + ENTRY_LENGTH > end || view.readUInt32LE(at) !== ENTRY) throw damaged(name);
    const [packed, unpacked] = [view.readUInt32LE(at + 20), view.readUInt32LE(at + 24)];
    // Without sizes here, a reader believes those in front of the part.
    if ((packed === 0) !== (unpacked === 0)) throw damaged(name);
    size += unpacked;
    if (size > MOST_MIB * MIB)
      throw new FileProblem(name, `is larger than ${MOST_MIB} MiB when unpacked; give it in several files`);
    at += ENTRY_LENGTH + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  }
}

function damaged(name: string): FileProblem {
  return new FileProblem(name, 'is damaged: its directory cannot be read', { hint: COPY });
}

/** Rows that a filter or a person has hidden, and hidden columns, unless they are blank. */
function leftOf({ rows, columns = [], rowDefs }: Sheet): string {
  const inRows = rows.filter((cells, index) => isHidden(rowDefs?.get(index)) && cells.some(isFilled));
  const inColumns = columns
    .slice(0, MOST_COLUMNS)
    .filter((column, index) => isHidden(column) && rows.some((cells) => isFilled(cells[index])));
  const found = [counted(inRows.length, 'hidden row'), counted(inColumns.length, 'hidden column')];
  return andList(found.filter((text) => !text.startsWith('0')));
}

function unseenIn({ rows, columns = [] }: Sheet): readonly string[] {
  const header = rows.find((cells) => cells.some(isFilled)) ?? [];
  return header.flatMap((cell, index) => (isHidden(columns[index]) && isFilled(cell) ? [String(cell)] : []));
}

/** Some programs give what is hidden no size instead. */
function isHidden({ hidden, height, width }: RowDef & { readonly width?: number } = {}): boolean {
  return hidden === true || height === 0 || width === 0;
}

function* rowsOf(sheet: Sheet): Generator<Row> {
  const { rows, cells = new Map<string, Cell>(), merges = [], columns = [], rowDefs } = sheet;
  const merged = new Map(merges.map((merge) => [merge.startRow, merge]));
  const special = new Set([...cells.keys()].map((place) => Number.parseInt(place, 10)));
  for (const [index, whole] of rows.entries()) {
    if (isHidden(rowDefs?.get(index))) continue;
    const values = whole.map((value, column) => (isHidden(columns[column]) ? null : value));
    if (!special.has(index) && !values.some(isFilled)) continue;
    const merge = merged.get(index);
    yield {
      number: index + 1,
      cells: values.map(textOf),
      kinds: values.map((value, column) => kindOf(value, cells.get(`${index},${column}`))),
      ...(merge && { problem: mergedText(merge) }),
    };
  }
}

function mergedText({ startRow, startCol, endRow, endCol }: MergeRange): string {
  return `has merged cells from ${cellName(startCol, startRow + 1)} to ${cellName(endCol, endRow + 1)}: split them`;
}

function isFilled(value: CellValue | undefined): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** @param cell what is known of a formula or an error. */
function kindOf(value: CellValue, cell: Cell | undefined): CellKind {
  if (cell?.type === 'error') return 'error';
  if (cell?.formula !== undefined && value === null) return 'formula';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'truth';
  if (!(value instanceof Date)) return 'text';
  if (Number.isNaN(value.getTime())) return 'error';
  return isTime(value) ? 'time' : 'date';
}

/** Times are parts of a day 0, which is in 1899, or in 1904 in workbooks of old Macs. */
function isTime(date: Date): boolean {
  return /^(1899-12-31|1904-01-01)/.test(inSeconds(date));
}

/** A part of a day has no exact seconds. */
function inSeconds(date: Date): string {
  return new Date(Math.round(date.getTime() / 1_000) * 1_000).toISOString();
}

/** Numbers as they are stored, dates and times as in ISO 8601, texts as in CSV. */
function textOf(value: CellValue): string {
  if (typeof value === 'string') return textOfFormula(value) ?? unquotedCell(value);
  if (!(value instanceof Date)) return value === null ? '' : String(value);
  if (Number.isNaN(value.getTime())) return 'no date';
  const text = inSeconds(value);
  if (isTime(value)) return text.slice(11, 19);
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
}
