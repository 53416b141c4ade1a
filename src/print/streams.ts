import { fstatSync, type Stats, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { CliError, ClosedPipe, codeOf } from '../cli/errors.ts';
import type { Context, Sink, Source, World } from '../cli/ports.ts';
import { inputTimeOver, readToEnd } from '../fs/read.ts';
import { onAbort } from '../service/budget.ts';

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
      const stream = open();
      const stop = () => stream.destroy();
      ends.addEventListener('abort', stop, { once: true });
      try {
        return await readToEnd(stream, 'stdin', maxBytes);
      } catch (error) {
        ends.throwIfAborted();
        throw error;
      } finally {
        ends.removeEventListener('abort', stop);
      }
    },
  };
}

/** Whether a descriptor is a terminal. Only a device can be one: `isatty` loads Node's sockets, which many runs do not need. */
function isTerminal(descriptor: number): boolean {
  // Some systems cannot stat a console.
  return statsOf(descriptor)?.isCharacterDevice() !== false && isatty(descriptor);
}

function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
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
