import type { Sink } from '../cli/ports.ts';

/** A sink whose last line can be redrawn while whole lines are written above it. */
export interface Screen extends Sink {
  /** Redraws the last line; an empty text removes it. */
  footer(line: string): Promise<void>;
}

/** Moves to the first column and clears the line. */
const CLEAR = '\r\u001b[K';

/** The sink as a screen; one that is a screen already is returned, so that all writers share its last line. */
export function screenOf(sink: Sink): Screen {
  if (isScreen(sink)) return sink;
  let last = '';
  const write: Sink['write'] = (text) =>
    sink.write(last === '' ? text : `${CLEAR}${text}${text.endsWith('\n') ? last : ''}`);
  const footer: Screen['footer'] = (line) => {
    last = line;
    return sink.write(`${CLEAR}${line}`);
  };
  return Object.assign(sinkOver(sink, write), { footer });
}

/** A sink with the terminal of another one. */
export function sinkOver(sink: Sink, write: Sink['write']): Sink {
  return {
    get isTerminal() {
      return sink.isTerminal;
    },
    get columns() {
      return sink.columns;
    },
    write,
  };
}

function isScreen(sink: Sink): sink is Screen {
  return 'footer' in sink;
}
