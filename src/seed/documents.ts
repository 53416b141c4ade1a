import { decodeFile } from '../fs/decode.ts';
import { jsonMistakes, parseJson, shapeProblem } from '../fs/document.ts';
import { FileProblem } from '../fs/read.ts';
import type { Place } from './entry.ts';
import type { Document } from './grammar.ts';
import { truthFields } from './names.ts';
import type { Problems } from './problems.ts';
import type { SourceText } from './read.ts';

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
  for (const { value, mistakes, lineOf } of readDocuments(text, name, truthFields)) {
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
  const { linesIn } = await import('../fs/json-place.ts');
  const lines = linesIn(text);
  return { value, placeOf: (path) => placeAt(name, lines.get(JSON.stringify(path)) ?? 1) };
}
