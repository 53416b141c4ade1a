import { visit } from 'jsonc-parser';
import { decodeFile } from '../fs/decode.ts';
import { brokenJson } from '../fs/json-mistake.ts';
import { FileProblem } from '../fs/read.ts';
import { hasMoreParts } from '../model/json-text.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import type { Document, Path } from './grammar.ts';
import type { Problems } from './problems.ts';
import type { SourceText } from './read.ts';
import { survey } from './survey.ts';

/** An empty object is three bytes in the file and sixty in memory. 16 MiB of hotels have 700,000. */
const MOST_PARTS = 2_000_000;

/**
 * The value of a JSON text. Names that are repeated and numbers that would be sent as others go to the problems.
 *
 * @throws {FileProblem} where it is empty, not JSON, or has what no entry may hold.
 */
export function documentInJson({ name, bytes }: SourceText, problems: Problems): Document {
  const text = decodeFile(bytes, name);
  if (text.trim() === '') throw new FileProblem(name, 'is empty');
  if (hasMoreParts(text, MOST_PARTS))
    throw new FileProblem(name, 'has too many parts for JSON; give it in several files, or as NDJSON or CSV');
  const value = parsed(text, name);
  // Before the walk below, which is recursive.
  const { problem } = survey(value);
  if (problem !== undefined) throw new FileProblem(name, problem);
  const lines = linesIn(text, (line, reason) =>
    problems.addAt({ file: name, unit: 'line', number: line }, { reason }),
  );
  return {
    value,
    placeOf: (path) => ({ file: name, unit: 'line', number: lines.get(JSON.stringify(path)) ?? 1 }),
  };
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenJson(text, name, cause);
  }
}

/** The lines at which the whole, its parts and their entries begin; complains of what JSON.parse accepts silently. */
function linesIn(
  text: string,
  complain: (line: number, reason: string) => void,
): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const open: Set<string>[] = [];
  const note = (line: number, path: () => Path, depth = open.length) => {
    if (depth > 2) return;
    const key = JSON.stringify(path());
    if (!lines.has(key)) lines.set(key, line + 1);
  };
  visit(text, {
    onObjectBegin: (_offset, _length, line, _character, path) => {
      note(line, path);
      open.push(new Set());
    },
    onObjectEnd: () => void open.pop(),
    onArrayBegin: (_offset, _length, line, _character, path) => {
      note(line, path);
      open.push(new Set());
    },
    onArrayEnd: () => void open.pop(),
    onObjectProperty: (name, _offset, _length, line) => {
      const names = open.at(-1);
      if (names?.has(name) === true) complain(line + 1, `names ${quote(name)} twice`);
      names?.add(name);
      note(line, () => [name]);
    },
    onLiteralValue: (value, offset, length, line, _character, path) => {
      note(line, path);
      const number =
        typeof value === 'number' ? inexactNumber(text.slice(offset, offset + length)) : undefined;
      if (number !== undefined)
        complain(
          line + 1,
          `has the number ${quote(number)}, which would be sent as another one; write it as a text`,
        );
    },
  });
  return lines;
}
