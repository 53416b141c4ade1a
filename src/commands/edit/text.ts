import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document as YamlDocument } from 'yaml';
import { FileProblem } from '../../fs/read.ts';
import { isInexact, offsetAt, onlyDocument, plainValue } from '../../fs/yaml.ts';
import type { FieldPath } from '../../model/diff.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine } from '../../out/text.ts';

/** The name of a field for messages, on one line: it may come from the service. */
export function nameOf(field: FieldPath): string {
  return neutraliseLine(field.join('.'));
}

/** The fields of a text. */
export interface Written {
  readonly fields: ServiceRecord;
  /** The line of a field, or of its closest parent, from 1. */
  lineOf(field: FieldPath): number | undefined;
  /** Whether the field is a number that JSON cannot represent exactly; `fields` then has it as a text. */
  isUnsendable(field: FieldPath): boolean;
}

/** Plain scalars that are texts, by dotted name. */
export interface TextRules {
  /** Fields that are always texts. */
  readonly texts: ReadonlySet<string>;
  /** Objects with only texts, unless the record shows otherwise. */
  readonly objects: ReadonlySet<string>;
}

interface ReadingOptions {
  /** The name of the file in messages. */
  readonly name: string;
  /** The original record, whose values determine the types. */
  readonly record: ServiceRecord;
  readonly rules: TextRules;
}

/**
 * Reads the fields of a text.
 *
 * @returns `undefined` if it has only comments.
 * @throws {CliError} exit 2, with line and column if known, when it is not a single YAML map.
 */
export function readText(text: string, { name, record, rules }: ReadingOptions): Written | undefined {
  const lines = new LineCounter();
  refuseControls(text, name);
  const document = onlyDocument(text, name, lines);
  if (document === undefined) return undefined;
  if (!isMap(document.contents)) throw new FileProblem(name, 'is not a record of fields and values');
  // Limits levels and aliases: a few may expand to millions of values.
  plainValue(document, name);
  return {
    // A YAML map converts to an object.
    fields: readNode(document.contents, [], record, { document, rules }) as ServiceRecord,
    lineOf(field) {
      const offset = offsetAt(document, field);
      return offset === undefined ? undefined : lines.linePos(offset).line;
    },
    isUnsendable(field) {
      const node = document.getIn(field, true);
      return isScalar(node) && isInexact(node);
    },
  };
}

/** YAML forbids control characters, but the library accepts them. */
function refuseControls(text: string, name: string): void {
  const at = text.search(/(?![\t\n\r])[\p{Cc}\p{Cs}]/u);
  if (at === -1) return;
  const line = text.slice(0, at).split('\n').length;
  throw new FileProblem(name, 'has a control character', { line });
}

/**
 * The value of a node. A number that JSON would change (01067, 12345678901234567890, 0x1F) is a text.
 *
 * @param seen the original value.
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

/** Whether a plain scalar is read as its source text. @param seen the original value. */
function isTextAt(field: FieldPath, seen: unknown, { texts, objects }: TextRules): boolean {
  const [first = ''] = field;
  if (texts.has(first) || texts.has(field.join('.'))) return true;
  return seen === undefined || seen === null ? objects.has(first) : typeof seen === 'string';
}
