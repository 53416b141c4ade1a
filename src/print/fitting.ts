import { MISSING } from './cells.ts';
import type { Column, Shape } from './output.ts';
import type { Measure } from './width.ts';

/** Longest cell of a table that would not fit otherwise. */
const LONGEST_CELL = 60;

/** Essential columns are cut further, but to no less. */
const LEAST_CELL = 12;

/** Cells that are cut last are cut less. */
const LEAST_CUT_LAST = 30;

/** A cell where no column may be left out: cards show all of them. */
const LEAST_CELL_OF_ALL = 30;

/** No table has fewer columns because of a narrow terminal. */
const LEAST_ESSENTIAL = 2;

/** A narrower terminal gets a table only if no column must be left out. */
const LEAST_COLUMNS = 50;

/** The cells of one record. */
export type Row = readonly string[];

/** Cells of a list, neutralised, each on one line; and how to measure them. */
export interface Sheet {
  readonly columns: readonly Column[];
  readonly head: Row;
  readonly rows: readonly Row[];
  readonly measure: Measure;
}

/** What a table may fill. */
export interface Room {
  /** `Infinity` without a terminal. */
  readonly columns: number;
  /** Whether there is a header. */
  readonly headers: boolean;
  /** Nothing is cut or left out. */
  readonly isWide: boolean;
}

/** What decides about the columns of a table. */
export type Ranking = Pick<Shape, 'id' | 'columns' | 'essential' | 'isAsked'>;

/** Width of each column that is shown, and how much of its cells is shown: `Infinity` where nothing is cut. */
export interface Layout {
  readonly widths: readonly number[];
  readonly limits: readonly number[];
}

/** The columns that have a cell with a value, in their order; all that were asked for. */
export function filledIn({ columns, rows }: Sheet, { isAsked }: Ranking): readonly number[] {
  const all = [...columns.keys()];
  const isFilled = (column: number) => rows.some((row) => row[column] !== '' && row[column] !== MISSING);
  const filled = isAsked === true ? all : all.filter(isFilled);
  return filled.length === 0 ? all.slice(0, 1) : filled;
}

/** The sheet with only some of its columns. */
export function only(sheet: Sheet, shown: readonly number[]): Sheet {
  if (shown.length === sheet.columns.length) return sheet;
  const { columns, head, rows, measure } = sheet;
  const some = (row: Row) => shown.map((column) => row[column] ?? '');
  return {
    columns: columns.filter((_, column) => shown.includes(column)),
    head: some(head),
    rows: rows.map(some),
    measure,
  };
}

/**
 * The first that fits: very long cells cut, the last columns left out, essential ones cut, these left out as
 * well. An id is never cut.
 *
 * @returns as many widths as columns are shown; `undefined` if nothing fits.
 */
export function layoutOf(sheet: Sheet, ranking: Ranking, isPlain: boolean, room: Room): Layout | undefined {
  const { columns, head, rows, measure } = sheet;
  const titles = head.map((title) => (room.headers ? measure(title) : 0));
  const cells = columns.map((_, column) => widestOf(rows, column, measure));
  const id = ranking.id ?? ranking.columns[0]?.field;
  const layoutFor = (count: number, limit: number, lastLimit: number): Layout => {
    const limits = columns.slice(0, count).map(({ field, isCutLast }) => {
      if (field === id) return Number.POSITIVE_INFINITY;
      return isCutLast === true ? lastLimit : limit;
    });
    const widths = limits.map((most, column) =>
      Math.max(titles[column] ?? 0, Math.min(cells[column] ?? 0, most)),
    );
    return { widths, limits };
  };
  const fits = ({ widths }: Layout) => {
    const between = isPlain ? 2 * (widths.length - 1) : 3 * widths.length + 1;
    return widths.reduce((sum, width) => sum + width, between) <= room.columns;
  };
  const fitted = (count: number, least: number) => {
    for (const lastLimit of limitsTo(Math.max(least, LEAST_CUT_LAST)))
      for (const limit of limitsTo(least)) {
        const layout = layoutFor(count, limit, lastLimit);
        if (fits(layout)) return layout;
      }
    return undefined;
  };
  const all = columns.length;
  if (room.isWide) {
    const entire = layoutFor(all, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    return isPlain || fits(entire) ? entire : undefined;
  }
  if (room.columns < LEAST_COLUMNS || ranking.isAsked === true) return fitted(all, LEAST_CELL_OF_ALL);
  const essential = Math.min(all, Math.max(LEAST_ESSENTIAL, ranking.essential ?? all));
  const tries = [
    ...countsDown(all, essential).map((count) => [count, LONGEST_CELL] as const),
    ...countsDown(essential, LEAST_ESSENTIAL).map((count) => [count, LEAST_CELL] as const),
  ];
  for (const [count, cell] of tries) {
    const layout = fitted(count, cell);
    if (layout !== undefined) return layout;
  }
  return undefined;
}

/** How much of a cell may be shown: all, then less and less. */
function limitsTo(least: number): readonly number[] {
  return [Number.POSITIVE_INFINITY, ...countsDown(LONGEST_CELL, least)];
}

/** The numbers from one down to another. */
function countsDown(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, from - to + 1) }, (_, less) => from - less);
}

/** The columns that the widest cell of a column takes. */
export function widestOf(rows: readonly Row[], column: number, measure: Measure): number {
  return rows.reduce((widest, row) => Math.max(widest, measure(row[column] ?? '')), 0);
}
