import type { Sink } from '../cli/ports.ts';

/** A sink whose last line may be drawn over and over while whole lines are written above it. */
export interface Screen extends Sink {
  /** Draws the last line, in place of the one before; empty: takes it away. */
  footer(line: string): Promise<void>;
}

/** Back to the first column, and nothing to the right of it. */
const CLEAR = '\r\u001b[K';

/** The sink as a screen: itself where it is one, so that all who write to it know of its last line. */
export function screenOf(sink: Sink): Screen {
  if (isScreen(sink)) return sink;
  let last = '';
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    write: (text) => sink.write(last === '' ? text : `${CLEAR}${text}${text.endsWith('\n') ? last : ''}`),
    footer(line) {
      last = line;
      return sink.write(`${CLEAR}${line}`);
    },
  };
}

function isScreen(sink: Sink): sink is Screen {
  return 'footer' in sink;
}
