import { isScalar, parseAllDocuments, visit, type Document as YamlDocument } from 'yaml';
import { usageError } from '../errors.ts';

const MOST_ALIASES = 100;
const DEEPEST = 50;

/**
 * The value of a YAML 1.2 text with one document. Plain scalars keep their source text (`01067`, `1e3`,
 * `15:00:00`, `NO`), except null and what stands under the key `extra`, where the core schema applies.
 *
 * @throws {CliError} exit 2 with line and column.
 */
export function parseYaml(text: string, name: string): unknown {
  try {
    const document = single(text, name);
    keepSources(document, name);
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
    single(text, name);
  } catch (cause) {
    if (cause instanceof RangeError) throw usageError(`${name} is nested too deeply.`);
    throw cause;
  }
}

function single(text: string, name: string): YamlDocument {
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: true,
    prettyErrors: true,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  const [document, second] = documents;
  if (document === undefined) throw usageError(`${name} is empty.`);
  if (second !== undefined) throw usageError(`${name} holds several documents; one record is wanted.`);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw usageError(`${name} is not valid YAML: ${problem.message.split('\n')[0]}`);
  return document;
}

function keepSources(document: YamlDocument, name: string): void {
  const refuse = ({ tag }: { tag?: string | undefined }, depth: number) => {
    if (depth > DEEPEST * 2) throw usageError(`${name} is nested deeper than ${DEEPEST}.`);
    if (tag !== undefined) throw usageError(`${name} has a tag (${tag}), and tags are not taken.`);
  };
  visit(document, {
    Pair: (_key, pair) => (isScalar(pair.key) && pair.key.value === 'extra' ? visit.SKIP : undefined),
    Collection: (_key, node, path) => refuse(node, path.length),
    Scalar: (_key, scalar, path) => {
      refuse(scalar, path.length);
      if (scalar.type === 'PLAIN' && scalar.value !== null && scalar.source !== undefined)
        scalar.value = scalar.source;
    },
  });
}
