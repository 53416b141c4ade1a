import {
  Composer,
  type CST,
  isAlias,
  isNode,
  isScalar,
  LineCounter,
  Parser,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { usageError } from '../errors.ts';
import { SeveralRecords } from './several-records.ts';

const MOST_ALIASES = 100;
const DEEPEST = 50;

/** Levels of tokens, of which a map inside a list may have two; what is left is judged when it is composed. */
const DEEPEST_TOKEN = 4 * DEEPEST;

/** Code units of a key that a sentence names. */
const LONGEST_KEY = 60;

/** What a plain scalar is: always its source text, or a value where it is written like one. */
export type PlainScalars = 'text' | 'value';

/**
 * The value of a YAML 1.2 text with one document. Plain scalars keep their source text (`01067`, `1e3`,
 * `15:00:00`, `NO`), except null and what stands under the key `extra`, where the core schema applies. As `value` the
 * core schema applies everywhere, but a number that would be written otherwise (`01067`, `1e3`) stays a text.
 *
 * @throws {CliError} exit 2 with line and column where the text is not YAML, or naming what is not taken: tags,
 *   keys that are lists or maps, aliases inside what they stand for, and too deep nesting.
 */
export function parseYaml(text: string, name: string, plain: PlainScalars = 'text'): unknown {
  try {
    const document = single(text, name);
    refuseUntaken(document, name);
    if (plain === 'text') keepSources(document);
    else keepOddNumbers(document);
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (cause) {
    if (cause instanceof RangeError) throw usageError(`${name} is nested too deeply.`);
    if (cause instanceof ReferenceError) throw usageError(`${name} is not valid YAML: ${cause.message}.`);
    throw cause;
  }
}

/** Refuses a JSON text that names a field twice: JSON.parse would quietly take the last. */
export function refuseRepeatedKeys(text: string, name: string): void {
  try {
    single(text, name, 'JSON');
  } catch (cause) {
    if (cause instanceof RangeError) throw usageError(`${name} is nested too deeply.`);
    throw cause;
  }
}

/**
 * The documents of a YAML 1.2 text, each with what is wrong with it.
 *
 * @param lines learns where the lines begin.
 * @param uniqueKeys whether the library looks for repeated keys: it takes too long over large maps.
 * @throws {CliError} exit 2 when it is nested so deeply that composing it could end the process.
 */
export function documentsIn(
  text: string,
  name: string,
  lines: LineCounter,
  uniqueKeys: boolean,
): readonly YamlDocument[] {
  const tokens = shallow(new Parser(lines.addNewLine).parse(text), name);
  // Without a level the library writes warnings of its own, past everything that stands in front of stderr.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys, logLevel: 'error' });
  return [...composer.compose(tokens)];
}

/** Passes tokens on. Composing calls itself for each level, and where the stack ends a regular expression ends the process. */
function* shallow(tokens: Iterable<CST.Token>, name: string): Generator<CST.Token> {
  for (const token of tokens) {
    const waiting: (readonly [token: CST.Token | null | undefined, depth: number])[] = [[token, 0]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [part, depth] = next;
      if (depth > DEEPEST_TOKEN) throw usageError(`${name} is nested deeper than ${DEEPEST}.`);
      if (part === null || part === undefined) continue;
      if ('items' in part) {
        for (const { key, value } of part.items) waiting.push([key, depth + 1], [value, depth + 1]);
      }
      if (part.type === 'document') waiting.push([part.value, depth]);
    }
    yield token;
  }
}

function single(text: string, name: string, language: 'YAML' | 'JSON' = 'YAML'): YamlDocument {
  const lines = new LineCounter();
  const [document, second] = documentsIn(text, name, lines, true);
  if (document === undefined) throw usageError(`${name} is empty.`);
  if (second !== undefined)
    throw new SeveralRecords(`${name} holds several documents; one record is wanted.`);
  refuseInvalid(document, { text, name, lines, language });
  return document;
}

/** What a sentence about a mistake needs. */
interface Reported {
  readonly text: string;
  readonly name: string;
  readonly lines: LineCounter;
  readonly language: 'YAML' | 'JSON';
}

/** @throws {CliError} exit 2 with line and column where a document is not valid. */
export function refuseInvalid(
  { errors, warnings }: YamlDocument,
  { text, name, lines, language }: Reported,
): void {
  const [problem] = [...errors, ...warnings];
  if (problem === undefined) return;
  const [offset] = problem.pos;
  const { line, col } = lines.linePos(offset);
  const place = offset < 0 ? '' : ` at line ${line}, column ${col}`;
  if (problem.code === 'DUPLICATE_KEY')
    throw usageError(`${name} names ${keyAt(text, offset)} twice${place}.`);
  throw usageError(`${name} is not valid ${language}: ${problem.message}${place}.`);
}

/** The key that begins at an offset, as it is written. */
function keyAt(text: string, offset: number): string {
  const key = /"(?:[^"\\]|\\.)*"|[^\s:]+/y;
  key.lastIndex = offset;
  return (key.exec(text)?.[0] ?? '').slice(0, LONGEST_KEY);
}

/**
 * Refuses what YAML has and records have not: tags, keys that are lists or maps, and aliases inside what they stand for.
 *
 * @param at where an offset is, for sentences: ` at line 3`.
 * @throws {CliError} exit 2.
 */
export function refuseUntaken(
  document: YamlDocument,
  name: string,
  at: (offset: number | undefined) => string = () => '',
): void {
  visit(document, {
    Pair: (_key, { key }) => {
      if (isScalar(key)) return;
      const offset = isNode(key) ? key.range?.[0] : undefined;
      throw usageError(`${name} has a key that is not a plain text${at(offset)}.`);
    },
    Node: (_key, node, path) => {
      const place = () => at(node.range?.[0]);
      if (path.length > DEEPEST * 2) throw usageError(`${name} is nested deeper than ${DEEPEST}${place()}.`);
      if (isAlias(node)) {
        const isInside = path.some(
          (outer) => isNode(outer) && 'anchor' in outer && outer.anchor === node.source,
        );
        if (isInside)
          throw usageError(`${name} has an alias (*${node.source}) inside what it stands for${place()}.`);
      } else if (node.tag !== undefined) {
        throw usageError(`${name} has a tag (${node.tag}), and tags are not taken${place()}.`);
      }
    },
  });
}

/** Plain scalars become their source text, except null and what stands under the key `extra`. */
export function keepSources(document: YamlDocument): void {
  visit(document, {
    Pair: (_key, { key }) => (isScalar(key) && key.value === 'extra' ? visit.SKIP : undefined),
    Scalar: (_key, scalar) => {
      if (scalar.type === 'PLAIN' && scalar.value !== null && scalar.source !== undefined)
        scalar.value = scalar.source;
    },
  });
}

function keepOddNumbers(document: YamlDocument): void {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'number' && String(scalar.value) !== scalar.source)
        scalar.value = scalar.source;
    },
  });
}
