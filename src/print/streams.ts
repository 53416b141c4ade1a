import { fstatSync, type Stats, writeSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { isatty } from 'node:tty';
import { inputTimeOver, readToEnd } from '../fs/read.ts';
import { quietly } from '../fs/replace.ts';
import { CliError, ClosedPipe, codeOf } from '../model/errors.ts';
import type { Check, Choice, Context, Prompter, Sink, Source, World } from '../model/ports.ts';
import { onAbort } from '../service/budget.ts';
import { neutraliseLine } from './text.ts';

const descriptors = { stdin: 0, stdout: 1, stderr: 2 } as const;

/**
 * An output stream as a sink. A write whose reader is gone rejects with `ClosedPipe`, any other failure with a CliError.
 *
 * @param open returns the stream; called at the first write, because opening a stream is slow.
 */
export function createSink(open: () => NodeJS.WriteStream, name: 'stdout' | 'stderr'): Sink {
  let opened: NodeJS.WriteStream | undefined;
  // Each write reports its own failure; without a listener the same failure would crash the process.
  const stream = () => (opened ??= open().on('error', () => {}));
  const descriptor = descriptors[name];
  const isFile = statsOf(descriptor)?.isFile() === true;
  return {
    get isTerminal() {
      return isTerminal(descriptor);
    },
    get columns() {
      return isTerminal(descriptor) ? stream().columns || 80 : 80;
    },
    get rows() {
      return isTerminal(descriptor) ? stream().rows || 24 : 24;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error | null) => (error ? reject(meaningOf(error, name)) : resolve());
        if (isFile) end(writeNow(descriptor, text));
        else stream().write(text, end);
      }),
  };
}

/** Writes to a file without loading Node's streams. @returns the system's error. */
function writeNow(descriptor: number, text: string): Error | undefined {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(descriptor, bytes, done);
    return undefined;
  } catch (cause) {
    // The system's calls throw nothing but errors.
    return cause as Error;
  }
}

/** Standard input as a source. @param open returns the stream; called when it is read. */
export function createSource(open: () => NodeJS.ReadStream): Source {
  let spent = false;
  return {
    get isTerminal() {
      return isTerminal(descriptors.stdin);
    },
    get spent() {
      return spent;
    },
    async read(maxBytes, ends) {
      spent = true;
      ends.throwIfAborted();
      return readToEnd(addAbortSignal(ends, open()), 'stdin', maxBytes).catch((error) => {
        ends.throwIfAborted();
        throw error;
      });
    },
  };
}

/** Whether a descriptor is a terminal. Only a device can be one: `isatty` loads Node's sockets, which many runs do not need. */
function isTerminal(descriptor: number): boolean {
  // Some systems cannot stat a console.
  return statsOf(descriptor)?.isCharacterDevice() !== false && isatty(descriptor);
}

function statsOf(descriptor: number): Stats | undefined {
  return quietly(() => fstatSync(descriptor));
}

function meaningOf(error: Error, name: string): Error {
  const code = codeOf(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED')
    return new ClosedPipe(`the reader of ${name} is gone`);
  return new CliError('output_failed', `Cannot write to ${name}: ${error.message}.`, { cause: error });
}

/** The input of a run. Its time limit, for stdin and files together, is counted from now. */
export function openInput({ stdin: source, clock, signal }: World): Context['stdin'] {
  const began = clock.monotonic();
  let timeout: number | undefined;
  let limited: AbortSignal | undefined;
  return {
    get isTerminal() {
      return source.isTerminal;
    },
    get spent() {
      return source.spent;
    },
    // Lazy, so that a command that reads nothing starts no timer.
    get ends() {
      if (timeout !== undefined) limited ??= endAt(began + timeout - clock.monotonic(), signal);
      return limited ?? signal;
    },
    limit(timeoutMs) {
      timeout = timeoutMs;
    },
    read(maxBytes) {
      return source.read(maxBytes, this.ends);
    },
  };
}

function endAt(ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  // The input itself keeps the process alive.
  setTimeout(() => over.abort(inputTimeOver()), Math.max(0, ms)).unref();
  onAbort(signal, () => over.abort(signal.reason));
  return over.signal;
}

/** A sink whose last line can be redrawn while whole lines are written above it. */
interface Screen extends Sink {
  /** Redraws the last line; an empty text removes it. */
  footer(line: string): Promise<void>;
  /** Removes the last line, and keeps what is written until `release`: a pager has the terminal. */
  hold(): Promise<void>;
  release(): Promise<void>;
}

/** Moves to the first column and clears the line. */
const CLEAR = '\r\u001b[K';

/** The sink as a screen; one that is a screen already is returned, so that all writers share its last line. */
export function screenOf(sink: Sink): Screen {
  // Nothing else has a footer.
  if ('footer' in sink) return sink as Screen;
  let last = '';
  let held: string | undefined;
  const write: Sink['write'] = async (text) => {
    if (held !== undefined) held += text;
    else await sink.write(last === '' ? text : `${CLEAR}${text}${text.endsWith('\n') ? last : ''}`);
  };
  const footer: Screen['footer'] = async (line) => {
    last = line;
    if (held === undefined) await sink.write(`${CLEAR}${line}`);
  };
  const hold = async () => {
    if (last !== '') await footer('');
    held ??= '';
  };
  const release = async () => {
    const text = held ?? '';
    held = undefined;
    if (text !== '') await write(text);
  };
  return Object.assign(sinkOver(sink, write), { footer, hold, release });
}

/** A sink with the terminal of another one. */
export function sinkOver(sink: Sink, write: Sink['write']): Sink {
  return Object.create(sink, { write: { value: write } });
}

/**
 * A prompter that masks secrets in questions, labels and the messages of checks. Answers stay as they are, and so does an
 * initial one: it is drawn raw, so one with control or invisible characters is not offered.
 *
 * @param open called at each question.
 * @param clean masks secrets.
 */
export function redactedPrompter(open: () => Promise<Prompter>, clean: (text: string) => string): Prompter {
  const cleanLabels = (choices: readonly Choice[]) =>
    choices.map(({ value, label }) => ({ value, label: clean(label) }));
  const cleanCheck = (check: Check | undefined): Check => {
    return (answer) => {
      const problem = check?.(answer);
      return problem === undefined ? undefined : clean(problem);
    };
  };
  return {
    text: async (question, { initial, check } = {}) =>
      (await open()).text(clean(question), {
        initial: initial !== undefined && neutraliseLine(initial) === initial ? initial : undefined,
        check: cleanCheck(check),
      }),
    secret: async (question, { check } = {}) =>
      (await open()).secret(clean(question), { check: cleanCheck(check) }),
    confirm: async (question) => (await open()).confirm(clean(question)),
    choose: async (question, choices, options) =>
      (await open()).choose(clean(question), cleanLabels(choices), options),
    chooseSeveral: async (question, choices, options) =>
      (await open()).chooseSeveral(clean(question), cleanLabels(choices), options),
  };
}
