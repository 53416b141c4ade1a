import type { Sink, Source } from '../context.ts';
import { CliError, ClosedPipe } from '../errors.ts';
import { TooLarge } from '../files/read.ts';

/** An output stream as a sink. A reader that went away is `ClosedPipe`; any other failure is told once. */
export function createSink(stream: NodeJS.WriteStream, name: 'stdout' | 'stderr'): Sink {
  // Each write hears of its own failure; without a listener the same failure would end the run.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns || 80;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(meaningOf(error, name)) : resolve()));
      }),
  };
}

/** Standard input as a source; `signal` ends its reading where no other one does. */
export function createSource(stream: NodeJS.ReadStream, signal: AbortSignal): Source {
  let spent = false;
  return {
    isTerminal: stream.isTTY === true,
    get spent() {
      return spent;
    },
    async read(maxBytes, ends = signal) {
      spent = true;
      ends.throwIfAborted();
      const chunks: Uint8Array[] = [];
      let length = 0;
      const stop = () => stream.destroy();
      ends.addEventListener('abort', stop, { once: true });
      try {
        for await (const chunk of stream) {
          chunks.push(chunk);
          length += chunk.length;
          if (length > maxBytes) throw new TooLarge('stdin', maxBytes);
        }
      } catch (error) {
        ends.throwIfAborted();
        throw error;
      } finally {
        ends.removeEventListener('abort', stop);
      }
      return Buffer.concat(chunks, length);
    },
  };
}

function meaningOf(error: Error, name: string): Error {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED')
    return new ClosedPipe(`the reader of ${name} is gone`);
  return new CliError('output_failed', `Cannot write to ${name}: ${error.message}.`, { cause: error });
}
