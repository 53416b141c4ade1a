import {
  Composer,
  type CST,
  isAlias,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  Scalar,
  visit,
  YAMLParseError,
  type Document as YamlDocument,
} from 'yaml';
import { SeveralRecords } from './document.ts';
import { FileProblem } from './read.ts';

/** Levels of lists and maps. */
const DEEPEST = 50;

/** Anchors and aliases together: the library compares each alias with all of them. */
const MOST_MARKS = 5_000;

/**
 * Refuses what YAML has and records have not: tags, keys that are lists or maps, aliases inside what they stand for, and
 * very many aliases.
 *
 * @param lineAt the line at an offset.
 * @param complain hears of what is wrong with one place alone; it is refused otherwise.
 * @throws {CliError} exit 2.
 */
export function refuseUntaken(
  document: YamlDocument,
  name: string,
  lineAt: (offset: number | undefined) => number | undefined = () => undefined,
  complain?: (offset: number | undefined, reason: string) => void,
): void {
  const refuse = (node: unknown, reason: string): never => {
    throw new FileProblem(name, reason, { line: lineAt(offsetOf(node)) });
  };
  const tell = (node: unknown, reason: string) =>
    complain === undefined ? refuse(node, reason) : complain(offsetOf(node), reason);
  const anchors = new Set<string>();
  let marks = 0;
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isScalar(key)) tell(key, 'has a key that is not a plain text');
    },
    Node: (_key, node, path) => {
      if (path.length > DEEPEST * 2) refuse(node, `is nested deeper than ${DEEPEST}`);
      if (isAlias(node) || node.anchor !== undefined) marks += 1;
      if (marks > MOST_MARKS) refuse(node, `has more than ${MOST_MARKS} anchors (&) and aliases (*)`);
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
      if (isAlias(node)) {
        const isInside = path.some(
          (outer) => isNode(outer) && 'anchor' in outer && outer.anchor === node.source,
        );
        if (isInside) refuse(node, `has an alias (*${node.source}) inside what it stands for`);
        if (anchors.has(node.source)) return undefined;
        tell(node, `has an alias (*${node.source}) without an anchor (&${node.source}) before it`);
        return new Scalar(null);
      }
      if (node.tag !== undefined) tell(node, `has a tag (${node.tag}), and tags are not taken`);
      return undefined;
    },
  });
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Aliases that an anchor may have. */
const MOST_ALIASES = 100;

/** Words, marks and spaces between them. Composing takes 250 bytes of memory for each; 20,000 hotels have 1,800,000. */
const MOST_LEXEMES = 2_000_000;

const MOST_DOCUMENTS = 10_000;

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
    return plainValue(document, name);
  } catch (cause) {
    if (cause instanceof RangeError) throw new FileProblem(name, 'is nested too deeply');
    throw cause;
  }
}

/**
 * The value of a document, whose aliases stand for what their anchors name.
 *
 * @throws {CliError} exit 2 when an alias has no anchor, or an anchor has too many of them. Aliases inside what an anchor
 *   names count with each alias of it.
 */
export function plainValue(document: YamlDocument, name: string): unknown {
  try {
    // The library counts the anchor itself.
    return document.toJS({ maxAliasCount: MOST_ALIASES + 1 });
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    const reason = cause.message.startsWith('Excessive')
      ? `uses aliases (*) of one anchor (&) more than ${MOST_ALIASES} times`
      : `is not valid YAML: ${cause.message}`;
    throw new FileProblem(name, reason);
  }
}

/**
 * The documents of a YAML 1.2 text, each with what is wrong with it.
 *
 * @param lines learns where the lines begin.
 * @param uniqueKeys whether a repeated key is among what is wrong.
 * @throws {CliError} exit 2 when it is nested so deeply, or of so many parts, that composing it could end the process.
 */
export function documentsIn(
  text: string,
  name: string,
  lines: LineCounter,
  uniqueKeys: boolean,
): readonly YamlDocument[] {
  // The library takes a CR alone for a part of the line, and YAML 1.2 for its end.
  const tokens = shallow(tokensIn(text.replaceAll(/\r(?!\n)/g, '\n'), name, lines), name);
  // Its own look for repeated keys takes minutes over large maps, and its warnings go past all that stands before stderr.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'error' });
  const documents: YamlDocument[] = [];
  for (const document of composer.compose(tokens))
    if (documents.push(document) > MOST_DOCUMENTS)
      throw new FileProblem(name, 'holds more than 10,000 documents (---)');
  if (uniqueKeys) documents.forEach(noteRepeatedKeys);
  return documents;
}

/** What `Parser.parse` does, and no further than there is memory for. */
function* tokensIn(text: string, name: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MOST_LEXEMES)
      throw new FileProblem(
        name,
        'has too many parts for YAML; give it in several files, or as NDJSON or CSV',
      );
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function noteRepeatedKeys(document: YamlDocument): void {
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const field = String(key.value ?? '');
        const [start = 0, end = start] = key.range ?? [];
        if (seen.has(field))
          document.errors.push(new YAMLParseError([start, end], 'DUPLICATE_KEY', 'Map keys must be unique'));
        seen.add(field);
      }
    },
  });
}

/** Passes tokens on. Composing calls itself for each level, and where the stack ends a regular expression ends the process. */
function* shallow(tokens: Iterable<CST.Token>, name: string): Generator<CST.Token> {
  for (const token of tokens) {
    const waiting: (readonly [token: CST.Token | null | undefined, depth: number])[] = [[token, 0]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [part, depth] = next;
      if (depth > DEEPEST_TOKEN) throw new FileProblem(name, `is nested deeper than ${DEEPEST}`);
      if (part === null || part === undefined) continue;
      if ('items' in part) {
        for (const { key, value } of part.items) waiting.push([key, depth + 1], [value, depth + 1]);
      }
      if (part.type === 'document') waiting.push([part.value, depth]);
    }
    yield token;
  }
}

function single(text: string, name: string): YamlDocument {
  const lines = new LineCounter();
  const [document, second] = documentsIn(text, name, lines, true);
  if (document === undefined) throw new FileProblem(name, 'is empty');
  if (second !== undefined)
    throw new SeveralRecords(`${name} holds several documents; one record is wanted.`);
  refuseInvalid(document, { text, name, lines });
  return document;
}

/** What a sentence about a mistake needs. */
interface Reported {
  readonly text: string;
  readonly name: string;
  readonly lines: LineCounter;
}

/** @throws {CliError} exit 2 with line and column where a document is not valid. */
export function refuseInvalid(document: YamlDocument, { text, name, lines }: Reported): void {
  const [mistake] = mistakesIn(document, text);
  if (mistake === undefined) return;
  const { offset, reason } = mistake;
  const { line, col: column } = lines.linePos(offset);
  throw new FileProblem(name, reason, offset < 0 ? {} : { line, column });
}

/** What is not YAML in a document, each with its offset. */
export function mistakesIn({ errors, warnings }: YamlDocument, text: string) {
  return [...errors, ...warnings].map(({ pos: [offset], code, message }) => ({
    offset,
    reason: code === 'DUPLICATE_KEY' ? `names ${keyAt(text, offset)} twice` : `is not valid YAML: ${message}`,
  }));
}

/** The key that begins at an offset, as it is written. */
function keyAt(text: string, offset: number): string {
  const key = /"(?:[^"\\]|\\.)*"|[^\s:]+/y;
  key.lastIndex = offset;
  return (key.exec(text)?.[0] ?? '').slice(0, LONGEST_KEY);
}

/** Plain scalars become their source text, except null and what stands under the key `extra` or one of `others`. */
export function keepSources(document: YamlDocument, others: readonly string[] = []): void {
  const typed: readonly unknown[] = ['extra', ...others];
  visit(document, {
    Pair: (_key, { key }) => (isScalar(key) && typed.includes(key.value) ? visit.SKIP : undefined),
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
