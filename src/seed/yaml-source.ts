import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Scalar, visit } from 'yaml';
import { decodeFile } from '../fs/decode.ts';
import { FileProblem } from '../fs/read.ts';
import { documentsIn, keepSources, mistakesIn, plainValue, refuseUntaken } from '../fs/yaml.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { entriesOf, type PlacedValue, type Raw, type Reading, type SourceFile } from './grammar.ts';
import { fieldAt, truthFields } from './names.ts';
import type { PlaceProblem, Problems } from './problems.ts';
import { survey } from './survey.ts';

/**
 * The entries of a YAML 1.2 text, which may hold several documents; empty ones are passed over. What is not YAML, or not
 * taken, goes to the problems, and the entries beside it are read.
 *
 * @throws {CliError} exit 2 where it holds nothing, or more than is taken.
 */
export function* entriesInYaml({ name, bytes }: SourceFile, { problems }: Reading): Generator<Raw> {
  const text = decodeFile(bytes, name);
  const lines = new LineCounter();
  const documents = documentsIn(text, name, lines, false).filter(({ contents }) => !isEmpty(contents));
  if (documents.length === 0) throw new FileProblem(name, 'is empty');
  for (const document of documents) {
    const value = placedOrTold(document, { text, name, lines }, problems);
    if (value !== undefined) yield* entriesOf(value, name, problems);
  }
}

/** What is wrong with the whole of a document is wrong with none of the others. */
function placedOrTold(document: Document, file: YamlFile, problems: Problems): PlacedValue | undefined {
  try {
    return placed(document, file, problems);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problems.addError(file.name, error);
    return undefined;
  }
}

interface YamlFile {
  readonly text: string;
  readonly name: string;
  readonly lines: LineCounter;
}

/** Nothing at all, as after a last `---`. A word for nothing is something, and no entry. */
function isEmpty(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

function placed(document: Document, { text, name, lines }: YamlFile, problems: Problems): PlacedValue {
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  const complain: Complain = (offset, problem) =>
    problems.addAt({ file: name, unit: 'line', number: lineAt(offset) }, problem);
  const broken = new Set<number>();
  const starts = startsOf(document);
  const toldLines = new Set<number>();
  const end = text.trimEnd().length;
  const tell = (offset = 0, reason = '') => {
    const start = lastUpTo(offset, starts) ?? offset;
    broken.add(start);
    // A quote that is never closed is missed at the end of the text.
    const line = lineAt(offset < end ? offset : start);
    // One slip makes several mistakes.
    if (!toldLines.has(line)) problems.addAt({ file: name, unit: 'line', number: line }, { reason });
    toldLines.add(line);
  };
  for (const { offset, reason } of mistakesIn(document, text)) tell(offset, reason);
  refuseUntaken(document, name, lineAt, tell);
  complainOfRepeated(document, complain);
  complainOfInexact(document, complain);
  keepSources(document, truthFields);
  const value = plainValue(document, name);
  const { problem } = survey(value);
  if (problem !== undefined) throw new FileProblem(name, problem);
  const isTold = (path: readonly (string | number)[]) =>
    broken.size > 0 && (path.length === 0 || broken.has(offsetOf(document, path) ?? -1));
  return { value, lineOf: (path) => lineAt(offsetOf(document, path)), isTold };
}

/** @param sorted from the lowest; it may be as long as a file has entries, and be asked for each of its mistakes. */
function lastUpTo(most: number, sorted: readonly number[]): number | undefined {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= most) from = middle + 1;
    else to = middle;
  }
  return sorted[from - 1];
}

/** Where the entries of a document begin, and the parts that they stand in. */
function startsOf({ contents }: Document): readonly number[] {
  const parts = isMap(contents) ? contents.items : [];
  const lists = isSeq(contents) ? [contents] : parts.map(({ value }) => value).filter(isSeq);
  const nodes = [...parts.map(({ key }) => key), ...lists.flatMap(({ items }) => items)];
  const offsets = nodes.flatMap((node) => (isNode(node) ? (node.range?.[0] ?? []) : []));
  return offsets.sort((one, other) => one - other);
}

type Complain = (offset: number | undefined, problem: PlaceProblem) => void;

function complainOfRepeated(document: Document, complain: Complain): void {
  visit(document, {
    Map: (_key, { items }, above) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const field = String(key.value ?? '');
        if (seen.has(field))
          complain(key.range?.[0], { field: fieldAt([...pathOf(above), field]), reason: 'is named twice' });
        seen.add(field);
      }
    },
  });
}

/** The names that lead to a node; 0 stands for each list. */
function pathOf(above: readonly unknown[]): readonly (string | number)[] {
  return above.flatMap((node): readonly (string | number)[] => {
    if (isPair(node) && isScalar(node.key)) return [String(node.key.value ?? '')];
    return isSeq(node) ? [0] : [];
  });
}

/** Numbers stand under `extra` alone; everywhere else a plain scalar is a text. */
function complainOfInexact(document: Document, complain: Complain): void {
  const judge = (scalar: Scalar) => {
    if (!isChanged(scalar)) return;
    const reason = `has the number ${quote(scalar.source ?? '')}, which would be sent as another one; write it in quotes`;
    complain(scalar.range?.[0], { reason });
  };
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || key.value !== 'extra') return undefined;
      if (isNode(value))
        visit(value, { Scalar: (part, scalar) => (part === 'key' ? undefined : judge(scalar)) });
      return visit.SKIP;
    },
  });
}

/** Zeros in front get lost, and neither infinity nor all digits of a long number can be sent. */
function isChanged({ value, source = '' }: Scalar): boolean {
  if (typeof value !== 'number') return false;
  if (!Number.isFinite(value) || /^[-+]?0\d/.test(source)) return true;
  if (/^[-+]?0[xo]/.test(source)) return !Number.isSafeInteger(value);
  return inexactNumber(source.replace(/^\+/, '')) !== undefined;
}

/** Where the name of a part of a manifest stands, or the entry at a path. */
function offsetOf(document: Document, path: readonly (string | number)[]): number | undefined {
  const [name] = path;
  const { contents } = document;
  if (path.length === 1 && contents !== null && 'items' in contents && typeof name === 'string') {
    for (const item of contents.items as readonly unknown[]) {
      const key = typeof item === 'object' && item !== null && 'key' in item ? item.key : undefined;
      if (isScalar(key) && String(key.value) === name) return key.range?.[0];
    }
  }
  const node = path.length === 0 ? contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}
