import type { Sink } from '../cli/ports.ts';
import { toJsonLines } from './json.ts';
import { screenOf } from './streams.ts';
import { grouped, neutraliseLine } from './text.ts';
import { truncate } from './width.ts';

/** Columns of the bar itself. */
const WIDEST = 30;
const NARROWEST = 5;

/** Milliseconds between two drawings of the bar. */
const REDRAWN_MS = 100;

export interface ProgressOptions {
  readonly stderr: Sink;
  /**
   * `auto`: a bar on a terminal, lines elsewhere, nothing under --json. A bar where none can be drawn becomes lines.
   */
  readonly mode: ProgressMode;
  /** No animation: TERM=dumb, ACCESSIBLE=1. */
  readonly plain: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** stderr holds one JSON object or nothing. */
  readonly json: boolean;
}

/** Shows how many of a run's rows have ended. */
export type Progress = ReturnType<typeof openProgress>;

/** Shows progress as `mode` asks for. */
export function openProgress(options: ProgressOptions) {
  const mode = modeFor(options);
  const { stderr, now } = options;
  let run = { ...nothing };
  let started = 0;
  let redrawing: NodeJS.Timeout | undefined;
  let written = Promise.resolve();
  const tally = (): Tally => ({ ...run, elapsedMs: now() - started });
  const say = (text: string) => {
    written = written.then(() => stderr.write(text));
    // `stop` rejects with its error.
    written.catch(() => {});
  };
  const screen = screenOf(stderr);
  // Other writes to the screen report the same failure.
  const draw = () => screen.footer(barLine(tally(), screen.columns - 1)).catch(() => {});
  return {
    /** Starts a run of rows; there may be several, one after the other. */
    async start(total: number, label: string) {
      run = { ...nothing, label, total };
      started = now();
      if (mode !== 'bar' || total === 0) return;
      await draw();
      redrawing = setInterval(draw, REDRAWN_MS).unref();
    },
    /** Counts one more row that ended. Does not wait. */
    step(row?: Readonly<Record<'kind' | 'name' | 'outcome', string>>) {
      const { label, total } = run;
      const before = percentOf(run);
      run.done = Math.min(total, run.done + 1);
      if (row?.outcome === 'failed' || row?.outcome === 'unknown') run[row.outcome] += 1;
      if (mode === 'jsonl' && row !== undefined) {
        const { kind, name, outcome } = row;
        say(toJsonLines([{ event: 'row', kind, name, outcome, done: run.done, total }]));
      }
      if (Math.trunc(percentOf(run) / 10) === Math.trunc(before / 10)) return;
      if (mode === 'lines') say(`${neutraliseLine(label)}: ${progressText(tally())}.\n`);
      if (mode === 'jsonl') say(tenthLine(tally()));
    },
    /** Ends the run of rows, complete or not; resolves when everything is written. Does nothing where none was started. */
    async stop() {
      if (redrawing !== undefined) {
        clearInterval(redrawing);
        redrawing = undefined;
        await screen.footer('');
      }
      await written;
    },
  };
}

function modeFor({ mode, stderr, plain, json }: ProgressOptions): Exclude<ProgressMode, 'auto'> {
  if (mode === 'auto' && json) return 'none';
  if (mode !== 'auto' && mode !== 'bar') return mode;
  return stderr.isTerminal && !plain ? 'bar' : 'lines';
}

/** The rows so far as a line with a bar, or without one where there is no room for it. */
function barLine(tally: Tally, columns: number): string {
  const label = neutraliseLine(tally.label);
  const text = progressText(tally);
  const room = Math.min(WIDEST, columns - label.length - text.length - 2);
  if (room < NARROWEST) return truncate(`${label}: ${text}`, columns, ({ length }) => length);
  const full = Math.floor((room * tally.done) / Math.max(1, tally.total));
  return `${label} ${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
}

function tenthLine(tally: Tally): string {
  const { label, done, total } = tally;
  const speed = speedOf(tally);
  const rates = speed && {
    rows_per_second: Math.round(speed.rowsPerSecond * 10) / 10,
    seconds_left: Math.ceil(speed.leftMs / 1000),
  };
  return toJsonLines([{ event: 'progress', label, done, total, percent: percentOf(tally), ...rates }]);
}

/** How progress is shown. */
export const progressModes = ['auto', 'bar', 'lines', 'jsonl', 'none'] as const;
export type ProgressMode = (typeof progressModes)[number];

/**
 * What a run does (`Applying`), how many rows it has, how many of them ended with any outcome, and how many of those failed
 * or have an unknown outcome.
 */
const nothing = { label: '', total: 0, done: 0, failed: 0, unknown: 0 };

/** The rows of a run so far, and the time since its start. */
type Tally = Readonly<typeof nothing> & { readonly elapsedMs: number };

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
  const { rowsPerSecond } = speed;
  const rate = rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : grouped(Math.round(rowsPerSecond));
  return [...parts, `${rate} rows/s`, time].join(', ');
}

/** Whole percent, rounded down: 100 means all. */
export function percentOf({ done, total }: Pick<Tally, 'done' | 'total'>): number {
  return total === 0 ? 100 : Math.floor((100 * done) / total);
}

/** `undefined` while no time has passed or no row has ended. */
function speedOf({ done, total, elapsedMs }: Pick<Tally, 'done' | 'total' | 'elapsedMs'>) {
  if (done === 0 || elapsedMs <= 0) return undefined;
  const rowsPerSecond = (1000 * done) / elapsedMs;
  return { rowsPerSecond, leftMs: (1000 * (total - done)) / rowsPerSecond };
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
