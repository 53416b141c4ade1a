import { jsonMistakes, linesIn, parseJson } from '../fs/document.ts';
import { decodeFile, FileProblem, refuseForeign, shapeProblem } from '../fs/read.ts';
import type { Path } from '../fs/yaml.ts';
import { namesOfType } from '../model/kinds.ts';
import type { Place } from './entry.ts';
import type { SourceText } from './files.ts';
import { type Document, entriesIn, type Raw, type Reading } from './grammar.ts';
import type { Problems } from './problems.ts';

/**
 * The documents of a file in YAML 1.2 or JSON. Plain scalars of YAML are their source texts, except under `extra`, in truths,
 * and null.
 *
 * @param problems gets mistakes that leave the rest readable: repeated names, and numbers that cannot be sent exactly.
 * @throws {FileProblem} where it is empty, not valid, or has what no entry may hold.
 */
export async function* documentsOf(
  { name, bytes, language }: SourceText,
  problems: Problems,
): AsyncGenerator<Document, void> {
  const text = decodeFile(bytes, name);
  if (text.trim() === '') throw new FileProblem(name, 'is empty');
  if (language === 'json') {
    yield await documentInJson(text, name, problems);
    return;
  }
  const { readDocuments } = await import('../fs/yaml.ts');
  for (const { value, mistakes, lineOf } of readDocuments(text, name, namesOfType('truth'))) {
    for (const { line, reason } of mistakes) problems.addAt(placeAt(name, line), { reason });
    refuseShape(value, name);
    if (value !== undefined) yield { value, placeOf: (path) => placeAt(name, lineOf(path)) };
  }
}

function refuseShape(value: unknown, name: string): void {
  const problem = shapeProblem(value);
  if (problem !== undefined) throw new FileProblem(name, problem);
}

function placeAt(file: string, line: number): Place {
  return { file, unit: 'line', number: line };
}

async function documentInJson(text: string, name: string, problems: Problems): Promise<Document> {
  const value = await parseJson(text, name);
  refuseShape(value, name);
  let [line, seen] = [1, 0];
  for (const { offset, reason } of jsonMistakes(text)) {
    line += text.slice(seen, offset).split('\n').length - 1;
    seen = offset;
    problems.addAt(placeAt(name, line), { reason });
  }
  const lines = await linesIn(text);
  const lineOf = (path: Path): number =>
    lines.get(JSON.stringify(path)) ?? (path.length === 0 ? 1 : lineOf(path.slice(0, -1)));
  return { value, placeOf: (path) => placeAt(name, lineOf(path)) };
}

/**
 * The entries of an NDJSON text: one JSON text a line. Blank lines are skipped, and counted.
 *
 * @throws {CliError} exit 2 if it is empty or not text; a mistake in one line goes to the problems.
 */
export async function* entriesInNdjson({ name, bytes }: SourceText, reading: Reading): AsyncGenerator<Raw> {
  const { problems } = reading;
  refuseForeign(bytes, name);
  let found = 0;
  let number = 0;
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    number += 1;
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

function valueIn(line: string): { readonly value?: unknown; readonly problem?: string | undefined } {
  try {
    const value: unknown = JSON.parse(line);
    const [mistake] = jsonMistakes(line);
    return { value, problem: shapeProblem(value) ?? mistake?.reason };
  } catch {
    return { problem: 'is not valid JSON: an NDJSON file has one whole entry on each line' };
  }
}
