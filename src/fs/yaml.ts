import {
  Composer,
  type CST,
  isAlias,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { FileProblem } from './read.ts';

/** Levels of lists and maps. */
const DEEPEST = 50;

/** Levels of tokens: a map inside a list may have two of them, and so may an entry of a map. */
const DEEPEST_TOKEN = 4 * DEEPEST;

/** Aliases of one anchor, those inside other anchors multiplied. */
const MOST_ALIASES = 100;

/** Anchors and aliases of a document: the library compares each alias with all of them. */
const MOST_MARKS = 5_000;

/** Marks between the parts of a text. Each takes up to 1.5 KB of memory; 20,000 hotels have 400,000. */
const MOST_PARTS = 1_000_000;

/** What is wrong at an offset of a text. */
export interface Mistake {
  readonly offset: number;
  readonly reason: string;
}

/**
 * The documents of a YAML 1.2 text, in the core schema.
 *
 * @param lines learns where the lines begin.
 * @throws {FileProblem} when it is nested too deeply, or has too many parts.
 */
export function documentsIn(text: string, name: string, lines: LineCounter): Iterable<YamlDocument> {
  // The library takes a CR alone for a part of the line, and YAML 1.2 for its end.
  const tokens = tokensIn(text.replaceAll(/\r(?!\n)/g, '\n'), name, lines);
  // Its own search for repeated keys takes minutes over large maps, and its warnings would go to stderr past our redaction.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'error' });
  return composer.compose(shallow(tokens, name));
}

/** What `Parser.parse` does, with a bound. */
function* tokensIn(text: string, name: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if ('-?:,[]{}'.includes(lexeme)) parts += 1;
    if (parts > MOST_PARTS) throw new FileProblem(name, 'has too many parts');
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** Composing is recursive, and a regular expression at the end of the stack ends the process. */
function* shallow(tokens: Iterable<CST.Token>, name: string): Generator<CST.Token> {
  for (const token of tokens) {
    const waiting: (readonly [token: CST.Token | null | undefined, depth: number])[] = [[token, 0]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [part, depth] = next;
      if (depth > DEEPEST_TOKEN) throw new FileProblem(name, `is nested deeper than ${DEEPEST}`);
      if (part === null || part === undefined) continue;
      if ('items' in part)
        for (const { key, value } of part.items) waiting.push([key, depth + 1], [value, depth + 1]);
      if (part.type === 'document') waiting.push([part.value, depth]);
    }
    yield token;
  }
}

/** Whether a document has nothing in it, as after a last `---`. */
export function isEmptyDocument({ contents, errors }: YamlDocument): boolean {
  const isBlank =
    contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
  return isBlank && errors.length === 0;
}

/**
 * Why a document is not taken: the first syntax error, or else every tag, every key that is a list or a map, and every
 * alias that stands for nothing or for what it is in.
 */
export function mistakesIn(document: YamlDocument): readonly Mistake[] {
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return [{ offset: error.pos[0], reason: `is not valid YAML: ${error.message}` }];
  const mistakes: Mistake[] = [];
  const anchors = new Set<string>();
  let marks = 0;
  const refuse = (node: unknown, reason: string) => mistakes.push({ offset: offsetOf(node), reason });
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isScalar(key)) refuse(key, 'has a key that is not a plain text');
    },
    Node: (_key, node, path) => {
      if (isAlias(node) || node.anchor !== undefined) marks += 1;
      if (path.length > DEEPEST * 2 || marks > MOST_MARKS) {
        const isDeep = path.length > DEEPEST * 2;
        refuse(
          node,
          isDeep
            ? `is nested deeper than ${DEEPEST}`
            : `has more than ${MOST_MARKS} anchors (&) and aliases (*)`,
        );
        return visit.BREAK;
      }
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
        if (node.tag !== undefined) refuse(node, `has a tag (${node.tag}), and tags are not taken`);
        return undefined;
      }
      const { source } = node;
      const isInside = path.some((outer) => isNode(outer) && 'anchor' in outer && outer.anchor === source);
      if (isInside) refuse(node, `has an alias (*${source}) inside what it stands for`);
      else if (!anchors.has(source))
        refuse(node, `has an alias (*${source}) without an anchor (&${source}) before it`);
      return undefined;
    },
  });
  return mistakes;
}

/** The names that a map of a document has twice: of two values one would be lost. */
export function repeatedNamesIn(document: YamlDocument): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const field = String(key.value ?? '');
        if (seen.has(field)) mistakes.push({ offset: offsetOf(key), reason: `names ${quote(field)} twice` });
        seen.add(field);
      }
    },
  });
  return mistakes;
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** @throws {FileProblem} with line and column, when a document is not taken or names something twice. */
export function refuseMistakes(document: YamlDocument, name: string, lines: LineCounter): void {
  const [mistake] = [...mistakesIn(document), ...repeatedNamesIn(document)];
  if (mistake === undefined) return;
  const { line, col: column } = lines.linePos(mistake.offset);
  throw new FileProblem(name, mistake.reason, line > 0 ? { line, column } : {});
}

/**
 * The value of a document without mistakes, whose aliases stand for what their anchors name.
 *
 * @throws {FileProblem} when an anchor has too many aliases.
 */
export function plainValue(document: YamlDocument, name: string): unknown {
  try {
    // The library counts the anchor itself.
    return document.toJS({ maxAliasCount: MOST_ALIASES + 1 });
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    throw new FileProblem(name, `uses aliases (*) of one anchor (&) more than ${MOST_ALIASES} times`);
  }
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

/** Whether a scalar is a number that JSON cannot carry as it is written: `01067`, `.inf`, `12345678901234567890`. */
export function isInexact({ value, source = '' }: Scalar): boolean {
  if (typeof value !== 'number') return false;
  if (!Number.isFinite(value) || /^[-+]?0[\dxo]/.test(source)) return true;
  return inexactNumber(source.replace(/^\+/, '')) !== undefined;
}

/**
 * The value of a YAML text with one document, in two readings: with numbers and truths in the core schema, but a number
 * that would be written otherwise (`01067`, `1e3`) as its source text; and with the source texts of all plain scalars.
 *
 * @throws {FileProblem} where it is not valid, or has what is not taken.
 */
export function parseYaml(text: string, name: string): { readonly value: unknown; readonly texts: unknown } {
  const lines = new LineCounter();
  const [document, second] = documentsIn(text, name, lines);
  if (document === undefined) throw new FileProblem(name, 'is empty');
  if (second !== undefined) throw new FileProblem(name, 'holds several documents; one is wanted');
  refuseMistakes(document, name, lines);
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'number' && String(scalar.value) !== scalar.source)
        scalar.value = scalar.source;
    },
  });
  const value = plainValue(document, name);
  keepSources(document);
  return { value, texts: plainValue(document, name) };
}
