import { isAlias, isNode, isScalar, parseAllDocuments, visit, type Document as YamlDocument } from 'yaml';
import { usageError } from '../errors.ts';
import { SeveralRecords } from './several-records.ts';

const MOST_ALIASES = 100;
const DEEPEST = 50;

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

function single(text: string, name: string, language: 'YAML' | 'JSON' = 'YAML'): YamlDocument {
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    prettyErrors: true,
    // Otherwise the library writes warnings of its own, past everything that stands in front of stderr.
    logLevel: 'error',
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, second] = documents;
  if (document === undefined) throw usageError(`${name} is empty.`);
  if (second !== undefined)
    throw new SeveralRecords(`${name} holds several documents; one record is wanted.`);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem === undefined) return document;
  const [reason = '', place = ''] = problem.message.split(/(?= at line \d+, column \d+:\n)|:\n/);
  if (problem.code === 'DUPLICATE_KEY')
    throw usageError(`${name} names ${keyAt(text, problem.pos[0])} twice${place}.`);
  throw usageError(`${name} is not valid ${language}: ${reason}${place}.`);
}

/** The key that begins at an offset, as it is written. */
function keyAt(text: string, offset: number): string {
  const key = /"(?:[^"\\]|\\.)*"|[^\s:]+/y;
  key.lastIndex = offset;
  return (key.exec(text)?.[0] ?? '').slice(0, LONGEST_KEY);
}

function refuseUntaken(document: YamlDocument, name: string): void {
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isScalar(key)) throw usageError(`${name} has a key that is not a plain text.`);
    },
    Node: (_key, node, path) => {
      if (path.length > DEEPEST * 2) throw usageError(`${name} is nested deeper than ${DEEPEST}.`);
      if (isAlias(node)) {
        const isInside = path.some(
          (outer) => isNode(outer) && 'anchor' in outer && outer.anchor === node.source,
        );
        if (isInside) throw usageError(`${name} has an alias (*${node.source}) inside what it stands for.`);
      } else if (node.tag !== undefined) {
        throw usageError(`${name} has a tag (${node.tag}), and tags are not taken.`);
      }
    },
  });
}

function keepSources(document: YamlDocument): void {
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
