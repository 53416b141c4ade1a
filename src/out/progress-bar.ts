import { progressText, type Tally } from './progress-text.ts';
import type { Screen } from './screen.ts';
import { neutraliseLine } from './text.ts';
import { displayWidth, truncate } from './width.ts';

const REDRAW_MS = 100;

/** Columns of the bar itself. */
const WIDEST = 30;
const NARROWEST = 5;

/**
 * Draws a bar in the last line of a terminal, ten times a second. Its timer keeps no process alive.
 *
 * @returns draws it once more and takes it away.
 */
export function openBar(screen: Screen, tally: () => Tally): () => Promise<void> {
  let drawn = '';
  const draw = () => {
    const line = lineOf(tally(), screen.columns - 1);
    if (line === drawn) return;
    drawn = line;
    // Taking the line away fails with the same error.
    screen.footer(line).catch(() => {});
  };
  draw();
  const timer = setInterval(draw, REDRAW_MS).unref();
  return () => {
    clearInterval(timer);
    draw();
    return screen.footer('');
  };
}

function lineOf(tally: Tally, columns: number): string {
  const label = neutraliseLine(tally.label);
  const text = progressText(tally);
  const room = Math.min(WIDEST, columns - displayWidth(label) - displayWidth(text) - 2);
  if (room < NARROWEST) return truncate(`${label}: ${text}`, columns);
  const full = Math.floor((room * tally.done) / Math.max(1, tally.total));
  return `${label} ${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
}
