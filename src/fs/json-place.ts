import { type ParseError, parse, visit } from 'jsonc-parser';
import { messageOf } from '../cli/errors.ts';
import { isJson } from '../model/json-text.ts';
import { placeAt, tooDeep } from './document.ts';
import { FileProblem } from './read.ts';

/** Why JSON.parse refused a text: the first mistake and its place, without the piece of the text that the parser quotes. */
export function brokenJson(text: string, name: string, cause: unknown): FileProblem {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.every(isJson))
    return new FileProblem(name, 'holds several JSON texts; a file with one on each line ends in .ndjson');
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // Searching for the place is recursive.
    throw error instanceof RangeError ? new FileProblem(name, tooDeep) : error;
  }
  const [first] = errors;
  const reason = messageOf(cause)
    .replace(/(?: in JSON)? at position.*$/s, '')
    .replace(/, (?:\.{3})?"[\s\S]* is not valid JSON$/, '');
  const place = first === undefined ? {} : placeAt(text, first.offset);
  return new FileProblem(name, `is not valid JSON: ${reason}`, { ...place, cause });
}

/**
 * The lines, from 1, on which the whole, its parts and their entries begin; their paths are the keys, as JSON.
 *
 * @param text well-formed, and not nested deeply: the walk is recursive.
 */
export function linesIn(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let depth = 0;
  const note = (line: number, path: () => readonly unknown[]) => {
    const key = depth > 2 ? undefined : JSON.stringify(path());
    if (key !== undefined && !lines.has(key)) lines.set(key, line + 1);
  };
  const open = (_o: number, _l: number, line: number, _c: number, path: () => readonly unknown[]) => {
    note(line, path);
    depth += 1;
  };
  const close = () => {
    depth -= 1;
  };
  visit(text, {
    onObjectBegin: open,
    onObjectEnd: close,
    onArrayBegin: open,
    onArrayEnd: close,
    onObjectProperty: (name, _offset, _length, line) => {
      if (depth === 1) note(line, () => [name]);
    },
    onLiteralValue: (_value, _offset, _length, line, _character, path) => note(line, path),
  });
  return lines;
}
