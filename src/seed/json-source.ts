import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree, visit } from 'jsonc-parser';
import { invalidInput } from '../cli/errors.ts';
import { decodeFile } from '../fs/decode.ts';
import { jsonMistake } from '../fs/json-mistake.ts';
import { FileProblem } from '../fs/read.ts';
import { hasMoreParts, isNestedDeeper } from '../model/json-text.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { entriesOf, type PlacedValue, type Raw, type Reading, type SourceFile } from './grammar.ts';
import { fieldAt } from './names.ts';
import type { PlaceProblem, Problems } from './problems.ts';
import { DEEPEST, survey } from './survey.ts';

/** An empty object is three bytes in the file and sixty in memory. 16 MiB of hotels have 700,000. */
const MOST_PARTS = 2_000_000;

/**
 * The entries of a JSON text.
 *
 * @throws {CliError} exit 2 where it holds nothing, or more than is taken; what is not JSON, or what JSON.parse takes in silence, goes to
 * the problems.
 */
export function* entriesInJson({ name, bytes }: SourceFile, { problems }: Reading): Generator<Raw> {
  const text = decodeFile(bytes, name);
  if (text.trim() === '') throw new FileProblem(name, 'is empty');
  yield* entriesOf(placed(text, name, problems), name, problems);
}

/** The value of a JSON text, with the line of each part. */
function placed(text: string, name: string, problems: Problems): PlacedValue {
  if (hasMoreParts(text, MOST_PARTS))
    throw new FileProblem(name, 'has too many parts for JSON; give it in several files, or as NDJSON or CSV');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return salvaged(text, name, cause, problems);
  }
  // Before the walk below, which calls itself for each level.
  const { problem } = survey(value);
  if (problem !== undefined) throw new FileProblem(name, problem);
  const lines = new Map<string, number>();
  const note: Note = (path, line) => {
    const key = JSON.stringify(path);
    if (!lines.has(key)) lines.set(key, line);
  };
  walk(text, note, (number, problem) => problems.addAt({ file: name, unit: 'line', number }, problem));
  return { value, lineOf: (path) => lines.get(JSON.stringify(path)) ?? 1 };
}

/** What is no JSON goes to the problems, and the entries beside it are read. */
function salvaged(text: string, name: string, cause: unknown, problems: Problems): PlacedValue {
  if (isNestedDeeper(text, DEEPEST)) throw new FileProblem(name, `is nested deeper than ${DEEPEST}`);
  const { reason, offset } = jsonMistake(text, cause);
  const field = offset === undefined ? name : `${name}: line ${text.slice(0, offset).split('\n').length}`;
  const isLines = isJson(text.trimStart().split('\n', 1)[0] ?? '');
  const advice = isLines ? '; with one entry on each line, call it .ndjson' : '';
  const mistake = invalidInput([{ field, reason: `is not valid JSON: ${reason}${advice}` }]);
  const rest = isLines || offset === undefined ? undefined : salvageJson(text);
  if (rest === undefined) throw mistake;
  problems.addError(name, mistake);
  for (const number of rest.brokenLines.slice(1))
    problems.addAt({ file: name, unit: 'line', number }, { reason: 'is not valid JSON' });
  return rest;
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

type Note = (path: readonly (string | number)[], line: number) => void;
type Complain = (line: number, problem: PlaceProblem) => void;

/** Tells where the whole, its parts and their entries begin, and complains of what JSON.parse takes in silence. */
function walk(text: string, note: Note, complain: Complain): void {
  const seen: Set<string>[] = [];
  let depth = 0;
  const begin = (line: number, path: () => readonly (string | number)[]) => {
    if (depth <= 2) note(path(), line + 1);
    depth += 1;
  };
  visit(text, {
    onObjectBegin: (_offset, _length, line, _character, path) => {
      begin(line, path);
      seen.push(new Set());
    },
    onObjectEnd: () => {
      depth -= 1;
      seen.pop();
    },
    onArrayBegin: (_offset, _length, line, _character, path) => begin(line, path),
    onArrayEnd: () => {
      depth -= 1;
    },
    onObjectProperty: (name, _offset, _length, line, _character, path) => {
      const fields = seen.at(-1);
      if (fields?.has(name) === true)
        complain(line + 1, { field: fieldAt([...path(), name]), reason: 'is named twice' });
      fields?.add(name);
      if (depth === 1) note([name], line + 1);
    },
    onLiteralValue: (value, offset, length, line, _character, path) => {
      if (depth <= 2) note(path(), line + 1);
      const reason =
        typeof value === 'number' ? numberProblem(text.slice(offset, offset + length)) : undefined;
      if (reason !== undefined) complain(line + 1, { reason });
    },
  });
}

function numberProblem(number: string): string | undefined {
  if (inexactNumber(number) === undefined) return undefined;
  return `has the number ${quote(number)}, which would be sent as another one; write it as a text`;
}

/** Code units. A tree of a longer text takes too much memory. */
const LONGEST = 1_048_576;

interface Salvaged extends PlacedValue {
  readonly brokenLines: readonly number[];
}

/** What can be read of a text that is no JSON, and the lines of all of its mistakes; `undefined` of one that is too long. */
function salvageJson(text: string): Salvaged | undefined {
  if (text.length > LONGEST) return undefined;
  const mistakes: ParseError[] = [];
  const tree = parseTree(text, mistakes, { disallowComments: true });
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (offset: number) => countBelow(offset, ends) + 1;
  const offsets = mistakes.map(({ offset }) => offset).sort((one, other) => one - other);
  const isBroken = ({ offset, length }: Node) =>
    countBelow(offset, offsets) < countBelow(offset + length + 1, offsets);
  const nodeAt = (path: readonly (string | number)[]) => tree && findNodeAtLocation(tree, [...path]);
  return {
    value: tree && getNodeValue(tree),
    lineOf: (path) => lineAt(nodeAt(path)?.offset ?? 0),
    isTold: (path) => {
      const node = nodeAt(path);
      return path.length === 0 || node === undefined || isBroken(node);
    },
    brokenLines: [...new Set(offsets.map(lineAt))],
  };
}

/** How many of some sorted numbers are lower. */
function countBelow(least: number, sorted: readonly number[]): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
