import { type Document, isNode, isScalar, LineCounter, type Scalar, visit } from 'yaml';
import { inexactNumber } from '../checks/number.ts';
import { quote } from '../checks/text.ts';
import { invalidInput, usageError } from '../errors.ts';
import { decodeFile } from '../files/decode.ts';
import { documentsIn, keepSources, refuseInvalid, refuseUntaken } from '../files/yaml.ts';
import type { Raw } from './grammar.ts';
import { shownName } from './names.ts';
import { entriesOf, type PlacedValue, type Reading, type SourceFile } from './placed.ts';
import { survey } from './survey.ts';

const MOST_ALIASES = 100;

/**
 * The entries of a YAML 1.2 text, which may hold several documents; empty ones are passed over.
 *
 * @throws {CliError} exit 2 where it is not YAML, holds nothing, or has what manifests do not take.
 */
export function* entriesInYaml({ name, bytes }: SourceFile, { problems }: Reading): Generator<Raw> {
  const text = decodeFile(bytes, name);
  const lines = new LineCounter();
  const documents = documentsIn(text, name, lines, false).filter(({ contents }) => !isEmpty(contents));
  if (documents.length === 0) throw usageError(`${name} is empty.`);
  for (const document of documents) yield* entriesOf(placed(document, text, name, lines), name, problems);
}

/** Nothing at all, as after a last `---`. A word for nothing is something, and no entry. */
function isEmpty(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

function placed(document: Document, text: string, name: string, lines: LineCounter): PlacedValue {
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  refuseInvalid(document, { text, name, lines, language: 'YAML' });
  refuseUntaken(document, name, (offset) => ` at line ${lineAt(offset)}`);
  refuseRepeated(document, name, lineAt);
  refuseInexact(document, name, lineAt);
  keepSources(document);
  const value = toValue(document, name);
  const { problem } = survey(value);
  if (problem !== undefined) throw usageError(`${name} ${problem}.`);
  return { value, lineOf: (path) => lineAt(offsetOf(document, path)) };
}

function toValue(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    const reason = cause.message.startsWith('Excessive')
      ? `uses aliases more than ${MOST_ALIASES} times`
      : `is not valid YAML: ${cause.message}`;
    throw usageError(`${name} ${reason}.`);
  }
}

function refuseRepeated(document: Document, name: string, lineAt: (offset?: number) => number): void {
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const field = String(key.value ?? '');
        if (seen.has(field)) {
          const place = `${name}: line ${lineAt(key.range?.[0])}: ${shownName(field)}`;
          throw invalidInput([{ field: place, reason: 'is named twice' }]);
        }
        seen.add(field);
      }
    },
  });
}

/** Numbers stand under `extra` alone; everywhere else a plain scalar is a text. */
function refuseInexact(document: Document, name: string, lineAt: (offset?: number) => number): void {
  const refuse = (scalar: Scalar) => {
    if (!isChanged(scalar)) return;
    const field = `${name}: line ${lineAt(scalar.range?.[0])}`;
    const reason = `has the number ${quote(scalar.source ?? '')}, which would be sent as another one; write it in quotes`;
    throw invalidInput([{ field, reason }]);
  };
  visit(document, {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || key.value !== 'extra') return undefined;
      if (isNode(value))
        visit(value, { Scalar: (part, scalar) => (part === 'key' ? undefined : refuse(scalar)) });
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
