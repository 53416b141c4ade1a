/** The rows of a run so far. */
export interface Tally {
  /** What the run does: `Applying`. */
  readonly label: string;
  /** Rows that ended, with any outcome. */
  readonly done: number;
  /** Those of them that failed, and those with an unknown outcome. */
  readonly failed: number;
  readonly unknown: number;
  readonly total: number;
  /** Since the start. */
  readonly elapsedMs: number;
}

/** `300 of 1,000 rows ended, 8 failed, 30 %, 120 rows/s, about 6 s left`; what is not known yet is left out. */
export function progressText({ done, failed, unknown, total, elapsedMs }: Omit<Tally, 'label'>): string {
  const speed = speedOf({ done, total, elapsedMs });
  const parts = [
    `${grouped(done)} of ${grouped(total)} rows ended`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    ...(unknown === 0 ? [] : [`${grouped(unknown)} unknown`]),
    `${percentOf({ done, total })} %`,
  ];
  if (speed === undefined) return parts.join(', ');
  const time = done >= total ? `in ${duration(elapsedMs)}` : `about ${duration(speed.leftMs)} left`;
  return [...parts, `${rateText(speed.rowsPerSecond)} rows/s`, time].join(', ');
}

/** Whole percent, rounded down: 100 means all. */
export function percentOf({ done, total }: Pick<Tally, 'done' | 'total'>): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}

/** `undefined` while no time has passed or no row has ended. */
export function speedOf({ done, total, elapsedMs }: Pick<Tally, 'done' | 'total' | 'elapsedMs'>) {
  if (done === 0 || elapsedMs <= 0) return undefined;
  const rowsPerSecond = (1000 * done) / elapsedMs;
  return { rowsPerSecond, leftMs: (1000 * (total - done)) / rowsPerSecond };
}

function rateText(rowsPerSecond: number): string {
  return rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : grouped(Math.round(rowsPerSecond));
}

/** As `toLocaleString('en')` writes whole numbers, whose first use takes as long as to start Node. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
