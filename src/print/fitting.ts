import type { Column } from './output.ts';
import { type Measure, truncate } from './width.ts';

/** A column of a table with its cells, neutralised, each on one line. */
export interface Lane {
  readonly column: Column;
  readonly title: string;
  readonly cells: readonly string[];
  /** Of the widest cell. */
  readonly width: number;
  readonly titleWidth: number;
  /** Its cells are not cut shorter: `Infinity` for an id. */
  readonly least: number;
}

/** What a table may fill. */
export interface Room {
  /** `Infinity` without a terminal. */
  readonly columns: number;
  readonly isBoxed: boolean;
  /** So many lanes stay, from the first. */
  readonly least: number;
}

/** Below this no column becomes narrower, so that what is left of a cell can be read. */
export const LEAST_CELL = 24;

/**
 * The table that fits: its widest column shrinks, and where that is not enough, its last columns are left out.
 *
 * @returns `undefined` if nothing fits.
 */
export function fittedTo(
  lanes: readonly Lane[],
  { columns, isBoxed, least }: Room,
  measure: Measure,
): readonly Lane[] | undefined {
  for (let count = lanes.length; count >= Math.min(least, lanes.length); count -= 1) {
    const some = lanes.slice(0, count);
    const between = isBoxed ? 3 * count + 1 : 2 * (count - 1);
    for (let most = columns; most >= LEAST_CELL; most -= 1) {
      const width = some.reduce((sum, lane) => sum + widthAt(lane, most), between);
      if (width <= columns) return some.map((lane) => cutTo(lane, most, measure));
    }
  }
  return undefined;
}

function widthAt({ width, titleWidth, least }: Lane, most: number): number {
  return Math.max(titleWidth, Math.min(width, Math.max(least, most)));
}

function cutTo(lane: Lane, most: number, measure: Measure): Lane {
  const limit = Math.max(lane.least, most);
  if (lane.width <= limit) return lane;
  return { ...lane, width: limit, cells: lane.cells.map((cell) => truncate(cell, limit, measure)) };
}
