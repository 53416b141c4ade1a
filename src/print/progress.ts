import type { Sink } from '../model/ports.ts';
import { screenOf } from './streams.ts';
import { grouped, neutraliseLine, toJsonLines } from './text.ts';
import { truncate } from './width.ts';

/** Columns of the bar itself. */
const WIDEST = 30;
const NARROWEST = 5;

/** Milliseconds between two drawings of the bar. */
const REDRAWN_MS = 100;

/** How progress is shown. */
export const progressModes = ['auto', 'bar', 'lines', 'jsonl', 'none'] as const;
export type ProgressMode = (typeof progressModes)[number];

export interface ProgressOptions {
  readonly stderr: Sink;
  /**
   * `auto`: a bar on a terminal, lines elsewhere, nothing under --json. A bar where none can be drawn becomes lines.
   */
  readonly mode: ProgressMode;
  /** No animation: TERM=dumb, ACCESSIBLE=1. */
  readonly plain: boolean;
  /** stderr holds one JSON object or nothing. */
  readonly json: boolean;
}

/** Shows how many of a run's rows have ended. */
export type Progress = ReturnType<typeof openProgress>;

/** Shows progress as `mode` asks for. */
export function openProgress(options: ProgressOptions) {
  const mode = modeFor(options);
  const { stderr } = options;
  let run = { ...nothing };
  let redrawing: NodeJS.Timeout | undefined;
  let written = Promise.resolve();
  const say = (text: string) => {
    written = written.then(() => stderr.write(text));
    // `stop` rejects with its error.
    written.catch(() => {});
  };
  const screen = screenOf(stderr);
  // Other writes to the screen report the same failure.
  const draw = () => screen.footer(barLine(run, screen.columns - 1)).catch(() => {});
  return {
    /** Starts a run of rows; there may be several, one after the other. */
    async start(total: number, label: string) {
      run = { ...nothing, label: neutraliseLine(label), total };
      if (mode !== 'bar' || total === 0) return;
      await draw();
      redrawing = setInterval(draw, REDRAWN_MS).unref();
    },
    /** Counts one more row that ended. Does not wait. */
    step({ kind, name, outcome }: Readonly<Record<'kind' | 'name' | 'outcome', string>>) {
      const before = percentOf(run);
      run.done = Math.min(run.total, run.done + 1);
      if (outcome === 'failed' || outcome === 'unknown') run[outcome] += 1;
      const { label, total, done } = run;
      const percent = percentOf(run);
      if (mode === 'jsonl') say(toJsonLines([{ event: 'row', kind, name, outcome, done, total }]));
      if (Math.trunc(percent / 10) === Math.trunc(before / 10)) return;
      if (mode === 'lines') say(`${label}: ${progressText(run)}.\n`);
      if (mode === 'jsonl') say(toJsonLines([{ event: 'progress', label, done, total, percent }]));
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

/**
 * What a run does (`Applying`), how many rows it has, how many of them ended with any outcome, and how many of those failed
 * or have an unknown outcome.
 */
const nothing = { label: '', total: 0, done: 0, failed: 0, unknown: 0 };

/** The rows so far as a line with a bar, or without one where there is no room for it. */
function barLine(run: typeof nothing, columns: number): string {
  const { label, done, total } = run;
  const text = progressText(run);
  const room = Math.min(WIDEST, columns - label.length - text.length - 2);
  if (room < NARROWEST) return truncate(`${label}: ${text}`, columns, ({ length }) => length);
  const full = Math.floor((room * done) / total);
  return `${label} ${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
}

/** `300 of 1,000 rows ended, 8 failed, 30 %` */
function progressText(run: typeof nothing): string {
  const { done, total, failed, unknown } = run;
  return [
    `${grouped(done)} of ${grouped(total)} rows ended`,
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
    ...(unknown === 0 ? [] : [`${grouped(unknown)} unknown`]),
    `${percentOf(run)} %`,
  ].join(', ');
}

/** Whole percent, rounded down: 100 means all. */
function percentOf({ done, total }: typeof nothing): number {
  return Math.floor((100 * done) / Math.max(1, total));
}
