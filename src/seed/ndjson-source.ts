import { setImmediate as turn } from 'node:timers/promises';
import { refuseForeign } from '../fs/decode.ts';
import { jsonMistakes, shapeProblem } from '../fs/document.ts';
import { FileProblem } from '../fs/read.ts';
import { entriesIn, type Raw, type Reading } from './grammar.ts';
import type { SourceText } from './read.ts';

/** So many lines are read before other work gets a turn. */
const LINES_A_TURN = 1_000;

/**
 * The entries of an NDJSON text: one JSON text a line. Blank lines are skipped, and counted.
 *
 * @throws {CliError} exit 2 if it is empty or not text; a mistake in one line goes to the problems.
 */
export async function* entriesInNdjson({ name, bytes }: SourceText, reading: Reading): AsyncGenerator<Raw> {
  const { problems, signal } = reading;
  refuseForeign(bytes, name);
  let found = 0;
  let number = 0;
  for (const line of linesIn(bytes)) {
    number += 1;
    if (number % LINES_A_TURN === 0) {
      await turn();
      signal.throwIfAborted();
    }
    if (line.trim() === '') continue;
    found += 1;
    const { value, problem } = valueIn(line);
    const place = { file: name, unit: 'line', number } as const;
    if (problem !== undefined) problems.addAt(place, { reason: problem });
    // With yield* each entry would be awaited twice.
    else for (const raw of entriesIn({ value, placeOf: () => place }, reading)) yield raw;
  }
  if (found === 0) throw new FileProblem(name, 'is empty');
}

function* linesIn(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isMarked = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
  for (let start = isMarked ? 3 : 0; start < buffer.length; ) {
    const found = buffer.indexOf(0x0a, start);
    const end = found < 0 ? buffer.length : found;
    yield buffer.toString('utf8', start, end);
    start = end + 1;
  }
}

function valueIn(line: string): { readonly value?: unknown; readonly problem?: string | undefined } {
  try {
    const value: unknown = JSON.parse(line);
    const problem = shapeProblem(value);
    // What a program wrote has no mistakes: to look at each of its tokens takes far longer.
    if (problem !== undefined || JSON.stringify(value) === line) return { value, problem };
    const [mistake] = jsonMistakes(line);
    return { value, problem: mistake?.reason };
  } catch {
    return { problem: 'is not valid JSON: an NDJSON file has one whole entry on each line' };
  }
}
