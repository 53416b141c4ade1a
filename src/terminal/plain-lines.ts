import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Interruption } from '../context.ts';

/** Where the person is. */
export interface PlainStreams {
  /** A terminal shows what is typed, until `setRawMode` says not to. */
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown };
  /** Gets the questions: stderr. */
  readonly output: { write(text: string): unknown };
  /** Aborted when the run ends; an open question is then rejected with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Lines as a person types them at a terminal that is left to itself. */
export interface PlainLines {
  /** Shows the question and returns the next line, without its end. Rejects with an `Interruption` on ^C, and on ^D. */
  ask(question: string): Promise<string>;
  /** The same, and shows nothing of what is typed. */
  askHidden(question: string): Promise<string>;
}

/** A line, and what was typed after it. */
interface Taken {
  readonly line: string;
  readonly rest: string;
}

/**
 * Reads lines without drawing: the terminal shows and corrects what is typed by itself. node:readline would write
 * escapes, and at TERM=dumb it takes the backspace key for a part of a secret. What was typed ahead is kept for the
 * next question.
 */
export function openPlainLines({ input, output, signal }: PlainStreams): PlainLines {
  const decoder = new StringDecoder('utf8');
  let typed = '';
  const next = async (take: (typed: string) => Taken | undefined): Promise<string> => {
    for (;;) {
      const taken = take(typed);
      if (taken !== undefined) {
        typed = taken.rest;
        return taken.line;
      }
      typed += decoder.write(await moreOf(input, signal));
    }
  };
  return {
    async ask(question) {
      output.write(question);
      try {
        return await next(takeLine);
      } catch (error) {
        output.write('\n');
        throw error;
      }
    },
    async askHidden(question) {
      // Before the question, lest the first letters are shown.
      input.setRawMode?.(true);
      output.write(question);
      try {
        return await next(takeHidden);
      } finally {
        input.setRawMode?.(false);
        output.write('\n');
      }
    },
  };
}

/** What is typed next; between the questions nobody listens, so that others may read, and the program may end. */
function moreOf(input: Readable, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    if (input.readableEnded || input.destroyed) return reject(new Interruption('SIGINT'));
    const leave = () => {
      input.off('data', onData).off('end', onEnd).off('error', onError).pause();
      signal.removeEventListener('abort', onAbort);
    };
    const onData = (chunk: Buffer) => {
      leave();
      resolve(chunk);
    };
    const onError = (error: unknown) => {
      leave();
      reject(error);
    };
    const onEnd = () => onError(new Interruption('SIGINT'));
    const onAbort = () => onError(signal.reason);
    input.on('data', onData).on('end', onEnd).on('error', onError).resume();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function takeLine(typed: string): Taken | undefined {
  const end = /\r\n|\n|\r/.exec(typed);
  if (end === null) return undefined;
  return { line: typed.slice(0, end.index), rest: typed.slice(end.index + end[0].length) };
}

/** Without its echo a terminal does not mind the keys either: backspace, ^U, ^C and ^D. */
function takeHidden(typed: string): Taken | undefined {
  let line: readonly string[] = [];
  let at = 0;
  for (const key of typed) {
    at += key.length;
    if (key === '\r' || key === '\n') return { line: line.join(''), rest: typed.slice(at) };
    if (key === '\u0003' || (key === '\u0004' && line.length === 0)) throw new Interruption('SIGINT');
    line = lineAfter(key, line);
  }
  return undefined;
}

function lineAfter(key: string, line: readonly string[]): readonly string[] {
  if (key === '\u007f' || key === '\b') return line.slice(0, -1);
  if (key === '\u0015') return [];
  return key === '\u0004' ? line : [...line, key];
}
