import { setImmediate as turn } from 'node:timers/promises';
import { refuseForeign } from '../fs/decode.ts';
import { FileProblem } from '../fs/read.ts';
import { jsonTokens } from '../model/json-text.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { entriesIn, type Raw, type Reading } from './grammar.ts';
import type { SourceText } from './read.ts';
import { survey } from './survey.ts';

/** So many lines are read before anything else may happen. */
const LINES_A_TURN = 1_000;

/** Bytes. One entry is never so long; a file that is no NDJSON may be one line. */
const LONGEST_LINE = 1_048_576;

/**
 * The entries of an NDJSON text: one JSON text a line. Blank lines are skipped, and counted.
 *
 * @throws {CliError} exit 2 where it is empty or no text; what is wrong with a line goes to the problems.
 */
export async function* entriesInNdjson(
  { name, bytes }: SourceText,
  { problems, signal }: Reading,
): AsyncGenerator<Raw> {
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
    // Delegated to, the sequence would have each entry waited for twice.
    else for (const raw of entriesIn({ value, placeOf: () => place }, problems)) yield raw;
  }
  if (found === 0) throw new FileProblem(name, 'is empty');
}

/** The lines; one that is too long is cut behind the limit. */
function* linesIn(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isMarked = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf;
  for (let start = isMarked ? 3 : 0; start < buffer.length; ) {
    const found = buffer.indexOf(0x0a, start);
    const end = found < 0 ? buffer.length : found;
    yield buffer.toString('utf8', start, Math.min(end, start + LONGEST_LINE + 1));
    start = end + 1;
  }
}

function valueIn(line: string): { readonly value?: unknown; readonly problem?: string } {
  if (Buffer.byteLength(line) > LONGEST_LINE) return { problem: 'is longer than 1 MiB' };
  try {
    const value: unknown = JSON.parse(line);
    const problem = problemOf(line, value);
    return problem === undefined ? { value } : { problem };
  } catch {
    return { problem: 'is not valid JSON: an NDJSON file has one whole entry on each line' };
  }
}

/** What JSON.parse accepts silently. */
function problemOf(line: string, value: unknown): string | undefined {
  const { names, numbers, problem } = survey(value);
  if (problem !== undefined) return problem;
  // What a program wrote: no name twice, and each number as it is read. To look at each of its marks takes far longer.
  if (JSON.stringify(value) === line) return undefined;
  if (namesWritten(line) !== names) return 'names a field twice';
  const number = numbers === 0 ? undefined : inexactNumber(line);
  return number === undefined
    ? undefined
    : `has the number ${quote(number)}, which would be sent as another one; write it as a text`;
}

/** Of two fields with one name the parser keeps one: fewer are there than were written. */
function namesWritten(line: string): number {
  let count = 0;
  for (const { kind } of jsonTokens(line)) if (kind === 'name') count += 1;
  return count;
}
