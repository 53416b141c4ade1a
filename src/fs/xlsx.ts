import { inflateRawSync } from 'node:zlib';
import type { RowDef, SheetFilter } from 'hucre';
import { type Cell, type CellValue, type MergeRange, readXlsx, type Sheet } from 'hucre/xlsx';
import { messageOf } from '../model/errors.ts';
import { textOfFormula, unquotedCell } from '../model/text.ts';
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

/**
 * Reads the first sheet of an Excel workbook (.xlsx) that is not hidden. Of a formula it has the value that was saved.
 *
 * @param all also if it has hidden rows or columns, as a filter hides them.
 * @throws {FileProblem} when it hides anything, is another file, is damaged or encrypted, or too large unpacked.
 */
export async function readFirstSheet(bytes: Uint8Array, name: string, all = false) {
  refuseOther(bytes, name);
  refuseLostTexts(partsOf(bytes, name), name);
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
  if (!all && hides(sheet))
    throw new FileProblem(name, 'has hidden rows or columns: show them, or add --hidden');
  return {
    name: sheet.name,
    /** The other sheets that are not hidden. */
    others: shown.slice(1),
    /** Without blank rows. */
    rows: () => rowsOf(sheet),
  };
}

function refuseOther(bytes: Uint8Array, name: string): void {
  // Old and encrypted workbooks are in another container.
  if (Buffer.from(bytes.subarray(0, 4)).toString('hex') !== '504b0304')
    throw new FileProblem(name, 'is no Excel workbook (.xlsx) without a password', { hint: SAVE_AS });
}

/** A part of a ZIP archive. */
interface Part {
  readonly path: string;
  /** Its text; empty if it cannot be unpacked. */
  content(): string;
}

/**
 * The parts of a ZIP archive that does not fill the memory: its directory states how large each part is unpacked, and a reader
 * that unpacks no more than that needs no other limit.
 *
 * @throws {FileProblem} when it has no whole directory, or is larger.
 */
function partsOf(bytes: Uint8Array, name: string): readonly Part[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = view.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0 || end + END_LENGTH > view.length || end < view.length - END_LENGTH - LONGEST_COMMENT)
    throw damaged(name);
  const parts: Part[] = [];
  let at = view.readUInt32LE(end + 16);
  let size = 0;
  for (let left = view.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + ENTRY_LENGTH > end || view.readUInt32LE(at) !== ENTRY) throw damaged(name);
    const [packed, unpacked, start] = [
      view.readUInt32LE(at + 20),
      view.readUInt32LE(at + 24),
      view.readUInt32LE(at + 42),
    ];
    // Without sizes here, a reader believes those in front of the part.
    if ((packed === 0) !== (unpacked === 0)) throw damaged(name);
    size += unpacked;
    if (size > MOST_MIB * MIB)
      throw new FileProblem(name, `is larger than ${MOST_MIB} MiB when unpacked; give it in several files`);
    const path = view.toString('latin1', at + ENTRY_LENGTH, at + ENTRY_LENGTH + view.readUInt16LE(at + 28));
    const isPacked = view.readUInt16LE(at + 10) !== 0;
    parts.push({ path, content: () => unpackedText(view, start, packed, isPacked ? unpacked : undefined) });
    at += ENTRY_LENGTH + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  }
  return parts;
}

/** @param size of a part that is packed. */
function unpackedText(view: Buffer, start: number, packed: number, size: number | undefined): string {
  try {
    const from = start + 30 + view.readUInt16LE(start + 26) + view.readUInt16LE(start + 28);
    const part = view.subarray(from, from + packed);
    return (
      size === undefined ? part : inflateRawSync(part, { maxOutputLength: Math.max(size, 1) })
    ).toString();
  } catch {
    // Reading the workbook says what is wrong.
    return '';
  }
}

/** A cell whose text is in the list of all texts. */
const TEXT_CELL = /<(?:\w+:)?c(?= [^>]*\bt="s")[^>]* r="([A-Z]+\d+)"[^>]*>\s*<(?:\w+:)?v>(\d+)</g;

/** The reader takes a cell for empty whose text is missing. */
function refuseLostTexts(parts: readonly Part[], name: string): void {
  const list = parts.find(({ path }) => /sharedStrings\.xml$/i.test(path))?.content() ?? '';
  const texts = list.split(/<(?:\w+:)?si\b/).length - 1;
  for (const { content } of parts.filter(({ path }) => /worksheets\/[^/]+\.xml$/i.test(path)))
    for (const [, cell, index] of content().matchAll(TEXT_CELL))
      if (Number(index) >= texts)
        throw new FileProblem(name, `is damaged: cell ${cell} cannot be read`, AGAIN);
}

const AGAIN = { hint: 'Copy or save it again.' };

function damaged(name: string): FileProblem {
  return new FileProblem(name, 'is damaged: its directory cannot be read', AGAIN);
}

/** Whether rows or columns with values are hidden. */
function hides({ rows, columns = [], rowDefs }: Sheet): boolean {
  return rows.some((cells, index) =>
    cells.some(
      (cell, column) => isFilled(cell) && (isHidden(rowDefs?.get(index)) || isHidden(columns[column])),
    ),
  );
}

/** Some programs give what is hidden no size instead. */
function isHidden({ hidden, height, width }: RowDef & { readonly width?: number } = {}): boolean {
  return hidden === true || height === 0 || width === 0;
}

function* rowsOf(sheet: Sheet): Generator<Row> {
  const { rows, cells = new Map<string, Cell>(), merges = [] } = sheet;
  const merged = new Map(merges.map((merge) => [merge.startRow, merge]));
  const special = new Set([...cells.keys()].map((place) => Number.parseInt(place, 10)));
  for (const [index, values] of rows.entries()) {
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
  const range = `${cellName(startCol, startRow + 1)}:${cellName(endCol, endRow + 1)}`;
  return `has merged cells: unmerge ${range}${startRow === endRow ? ', or delete that title row' : ''}`;
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
