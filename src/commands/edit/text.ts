import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Document as YamlDocument } from 'yaml';
import { FileProblem } from '../../fs/read.ts';
import { documentsIn, isEmptyDocument, isInexact, plainValue, refuseMistakes } from '../../fs/yaml.ts';
import type { FieldPath } from '../../model/diff.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine } from '../../out/text.ts';

/** A field as sentences name it, on one line: its name may come from the service. */
export function nameOf(field: FieldPath): string {
  return neutraliseLine(field.join('.'));
}

/** The fields of a text. */
export interface Written {
  readonly fields: ServiceRecord;
  /** The line of a field, or of what it stands in, from 1. */
  lineOf(field: FieldPath): number | undefined;
  /** Whether a number is written there that JSON cannot carry as it is: then `fields` has it as a text. */
  isUnsendable(field: FieldPath): boolean;
}

/** Which plain scalars are texts, by names with dots between them. */
export interface TextRules {
  /** Fields that are texts whatever the record shows there. */
  readonly texts: ReadonlySet<string>;
  /** Objects that hold only texts where the record does not show otherwise. */
  readonly objects: ReadonlySet<string>;
}

interface ReadingOptions {
  /** The file, for sentences. */
  readonly name: string;
  /** The record that the text began with: a value is of the same type as the one that is shown there. */
  readonly record: ServiceRecord;
  readonly rules: TextRules;
}

/**
 * Reads the fields that a text has.
 *
 * @returns `undefined` where it has nothing but comments.
 * @throws {CliError} exit 2, with line and column where there is one, when it is not one YAML map of fields.
 */
export function readText(text: string, { name, record, rules }: ReadingOptions): Written | undefined {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  refuseControls(text, name);
  try {
    const [document, second] = documentsIn(text, name, lines);
    if (document === undefined) return undefined;
    refuseMistakes(document, name, lines);
    if (second !== undefined) throw new FileProblem(name, 'holds several documents; one record is wanted');
    if (isEmptyDocument(document)) return undefined;
    if (!isMap(document.contents)) throw new FileProblem(name, 'is not a record of fields and values');
    // Counts the aliases, of which a few may stand for millions of values.
    plainValue(document, name);
    // A map of YAML is an object of names and values.
    const fields = readNode(document.contents, [], record, { document, rules }) as ServiceRecord;
    return {
      fields,
      lineOf: (field) => lineOf(field, document, lineAt),
      isUnsendable(field) {
        const node = document.getIn(field, true);
        return isScalar(node) && isInexact(node);
      },
    };
  } catch (cause) {
    if (cause instanceof RangeError) throw new FileProblem(name, 'is nested too deeply');
    throw cause;
  }
}

/** YAML has none of them as they are, and the library takes them. */
function refuseControls(text: string, name: string): void {
  const at = text.search(/(?![\t\n\r])[\p{Cc}\p{Cs}]/u);
  if (at === -1) return;
  const line = text.slice(0, at).split('\n').length;
  throw new FileProblem(name, 'has a control character', { line });
}

/**
 * The value of a node. A number that would be sent as another one (01067, 12345678901234567890, 0x1F) is a text.
 *
 * @param seen what the record shows in its place.
 */
function readNode(
  node: unknown,
  field: FieldPath,
  seen: unknown,
  reading: { readonly document: YamlDocument; readonly rules: TextRules },
): unknown {
  if (isAlias(node)) return readNode(node.resolve(reading.document), field, seen, reading);
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => {
      const name = isScalar(key) ? String(key.value ?? '') : '';
      const inner = isRecord(seen) && Object.hasOwn(seen, name) ? seen[name] : undefined;
      return [name, readNode(value, [...field, name], inner, reading)] as const;
    });
    return Object.fromEntries(entries);
  }
  if (isSeq(node)) {
    const example: unknown = Array.isArray(seen) ? seen[0] : undefined;
    return node.items.map((each) => readNode(each, field, example, reading));
  }
  if (!isScalar(node)) return null;
  const { value, source, type } = node;
  const isText = value !== null && (isTextAt(field, seen, reading.rules) || isInexact(node));
  return isText && type === 'PLAIN' ? source : value;
}

/** Whether a plain scalar is its source text. `seen` is what the record shows in its place. */
function isTextAt(field: FieldPath, seen: unknown, { texts, objects }: TextRules): boolean {
  const [first = ''] = field;
  if (texts.has(first) || texts.has(field.join('.'))) return true;
  return seen === undefined || seen === null ? objects.has(first) : typeof seen === 'string';
}

function lineOf(
  field: FieldPath,
  document: YamlDocument,
  lineAt: (offset: number | undefined) => number,
): number | undefined {
  let line: number | undefined;
  let node: unknown = document.contents;
  for (const name of field) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === name)
      : undefined;
    if (pair === undefined) return line;
    line = isNode(pair.key) ? lineAt(pair.key.range?.[0]) : line;
    node = pair.value;
  }
  return line;
}
