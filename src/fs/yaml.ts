import {
  Composer,
  type CST,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { DEEPEST, FileProblem, inexact, isTooDeep, type Mistake, tooDeep } from './read.ts';

/** Levels of tokens, several of which may be one level of a value. */
const DEEPEST_TOKEN = 5 * DEEPEST;

/** Aliases of one anchor, those inside other anchors multiplied. */
const MOST_OF_ONE = 100;

/** Aliases of a document: the library compares each with all anchors. */
const MOST_ALIASES = 5_000;

/** Names and positions that lead to a value. */
export type Path = readonly (string | number)[];

/** The documents of a YAML 1.2 text, in the core schema. @param lines learns where the lines begin. */
function documentsIn(text: string, name: string, lines: LineCounter): Iterable<YamlDocument> {
  // Its own search for repeated keys takes minutes over large maps, and its warnings would go to stderr past our redaction.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'error' });
  // The library takes a CR alone for a part of the line, and YAML 1.2 for its end.
  return composer.compose(tokensIn(text.replaceAll(/\r(?!\n)/g, '\n'), name, lines));
}

/** What `Parser.parse` does. Composing is recursive, and compiling a regular expression at the end of the stack ends the process. */
function* tokensIn(text: string, name: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > DEEPEST_TOKEN) throw new FileProblem(name, tooDeep);
  }
  yield* parser.end();
}

/** Whether a document has nothing in it, as after a last `---`. */
function isEmptyDocument({ contents, errors }: YamlDocument): boolean {
  const isBlank =
    contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
  return isBlank && errors.length === 0;
}

/**
 * Why a document is refused: a syntax error, or else tags, aliases that stand for nothing, keys that are lists or maps,
 * and names that a map has twice.
 *
 * @returns `isBroken`: it has no value.
 */
function mistakesIn(document: YamlDocument) {
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const mistake: Mistake = { offset: error.pos[0], reason: `is not valid YAML: ${error.message}` };
    return { mistakes: [mistake], isBroken: true };
  }
  const mistakes: Mistake[] = [];
  let isBroken = false;
  let aliases = 0;
  const anchors = new Set<string>();
  const refuse = (node: unknown, reason: string) => mistakes.push({ offset: offsetOf(node), reason });
  visit(document, {
    Alias: (_key, alias, path) => {
      const { source } = alias;
      aliases += 1;
      const isInside = path.some((outer) => isNode(outer) && 'anchor' in outer && outer.anchor === source);
      if (!isInside && anchors.has(source) && aliases <= MOST_ALIASES) return undefined;
      isBroken = true;
      if (isInside) refuse(alias, `has an alias (*${source}) inside what it stands for`);
      else if (!anchors.has(source))
        refuse(alias, `has an alias (*${source}) without an anchor (&${source}) before it`);
      else refuse(alias, `has more than ${MOST_ALIASES} aliases (*)`);
      return visit.BREAK;
    },
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.add(node.anchor);
      if (node.tag !== undefined) refuse(node, `has a tag (${node.tag}), and tags are not taken`);
      const seen = new Set<string>();
      for (const { key } of isMap(node) ? node.items : []) {
        const field = isScalar(key) ? String(key.value ?? '') : undefined;
        if (field === undefined) refuse(key, 'has a key that is not a plain text');
        else if (seen.has(field)) refuse(key, `names ${quote(field)} twice`);
        else seen.add(field);
      }
    },
  });
  return { mistakes, isBroken };
}

/** Numbers of a document that JSON cannot carry as they are written. */
function inexactNumbersIn(document: YamlDocument): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  visit(document, {
    Scalar: (part, scalar) => {
      const reason = `${inexact(scalar.source ?? '')}; write it in quotes`;
      if (part !== 'key' && isInexact(scalar)) mistakes.push({ offset: offsetOf(scalar), reason });
    },
  });
  return mistakes;
}

/** The offset at which a node begins. */
function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** The offset of a value, or of the closest one around it that is there: of its name, or of an item of a list. */
function offsetAt(document: YamlDocument, path: Path): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const around = document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && key.value === step)
      : undefined;
    const item = isSeq(around) && typeof step === 'number' ? around.items[step] : undefined;
    if (isNode(pair?.key ?? item)) return offsetOf(pair?.key ?? item);
  }
  return undefined;
}

/**
 * The value of a document that is not broken, whose aliases stand for what their anchors name.
 *
 * @throws {FileProblem} when it has too many levels, or an anchor too many aliases.
 */
function plainValue(document: YamlDocument, name: string): unknown {
  try {
    // The library counts the anchor itself.
    const value = document.toJS({ maxAliasCount: MOST_OF_ONE + 1 });
    if (!isTooDeep(value)) return value;
  } catch (cause) {
    if (cause instanceof ReferenceError)
      throw new FileProblem(name, `uses aliases (*) of one anchor (&) more than ${MOST_OF_ONE} times`);
    // Aliases inside what other aliases stand for may end the stack.
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw new FileProblem(name, tooDeep);
}

/** Plain scalars become their source text, except null and what is under the key `extra` or one of `others`. */
function keepSources(document: YamlDocument, others: readonly string[] = []): void {
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
function isInexact({ value, source = '' }: Scalar): boolean {
  if (typeof value !== 'number') return false;
  if (!Number.isFinite(value) || /^[-+]?0[\dxo]/.test(source)) return true;
  return inexactNumber(source.replace(/^\+/, '')) !== undefined;
}

/**
 * The documents of a text, without empty ones, with all of their mistakes. Plain scalars are their source texts, except
 * null and what is under the key `extra`.
 *
 * @param typed further keys whose values keep the types of YAML.
 * @throws {FileProblem} while they are read, where the text has no document, or a value has what no file may have.
 */
export function* readDocuments(text: string, name: string, typed: readonly string[]) {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  let isEmpty = true;
  for (const document of documentsIn(text, name, lines)) {
    if (isEmptyDocument(document)) continue;
    isEmpty = false;
    // The line of the value at a path, or of the closest one around it, from 1.
    const lineOf = (path: Path) => lineAt(offsetAt(document, path) ?? offsetOf(document.contents));
    const { mistakes, isBroken } = mistakesIn(document);
    keepSources(document, typed);
    const found = isBroken ? mistakes : [...mistakes, ...inexactNumbersIn(document)];
    yield {
      value: isBroken ? undefined : plainValue(document, name),
      mistakes: found.map(({ offset, reason }) => ({ line: lineAt(offset), reason })),
      lineOf,
    };
  }
  if (isEmpty) throw new FileProblem(name, 'is empty');
}

/**
 * The value of a YAML text with one document, in two readings: with numbers and truths in the core schema, but a number
 * that would be written otherwise (`01067`, `1e3`) as its source text; and with the source texts of all plain scalars.
 *
 * @throws {FileProblem} with line and column, when there are several, or it is empty, not valid, or contains what is refused.
 */
export function parseYaml(text: string, name: string): { readonly value: unknown; readonly texts: unknown } {
  const lines = new LineCounter();
  const [document, second] = documentsIn(text, name, lines);
  const [mistake] = document === undefined ? [] : mistakesIn(document).mistakes;
  if (mistake !== undefined) {
    const { line, col: column } = lines.linePos(mistake.offset);
    throw new FileProblem(name, mistake.reason, line > 0 ? { line, column } : {});
  }
  if (second !== undefined) throw new FileProblem(name, 'contains several documents; expected one record');
  if (document === undefined || isEmptyDocument(document)) throw new FileProblem(name, 'is empty');
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
