import { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { progressText, type Tally } from './progress.ts';
import type { Screen } from './screen.ts';
import { neutraliseLine } from './text.ts';
import { truncate } from './width.ts';

/** A bar in the last line of a terminal. */
export type Bar = ReturnType<typeof openBar>;

/** Columns of the bar itself. */
const WIDEST = 30;
const NARROWEST = 5;

/** A bar whose timer does not keep the process alive. */
class UnrefBar extends SingleBar {
  declare private timer: NodeJS.Timeout | null;

  override render(): void {
    super.render();
    this.timer?.unref();
  }
}

/** Draws a bar immediately, then at most ten times a second. */
export function openBar(screen: Screen, tally: () => Tally) {
  const format = () => lineOf(tally(), screen.columns - 1);
  const bar = new UnrefBar({ stream: lastLineOf(screen), format, clearOnComplete: true });
  const { done, total } = tally();
  bar.start(total, done);
  return {
    update: () => bar.update(tally().done),
    /** Removes the line. */
    stop() {
      bar.stop();
      return screen.footer('');
    },
  };
}

/** The library moves the cursor as if nothing else wrote to the terminal; only its line is used. */
function lastLineOf(screen: Screen): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, written) {
      if (chunk.startsWith('\u001b')) written();
      else screen.footer(chunk).then(() => written(), written);
    },
  });
  // Other writes to the screen report the same failure.
  stream.on('error', () => {});
  return Object.assign(stream, { isTTY: true });
}

function lineOf(tally: Tally, columns: number): string {
  const label = neutraliseLine(tally.label);
  const text = progressText(tally);
  const room = Math.min(WIDEST, columns - label.length - text.length - 2);
  if (room < NARROWEST) return truncate(`${label}: ${text}`, columns, ({ length }) => length);
  const full = Math.floor((room * tally.done) / Math.max(1, tally.total));
  return `${label} ${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
}
