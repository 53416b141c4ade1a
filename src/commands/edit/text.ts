import { isMap, isNode, isScalar, LineCounter, visit, type Document as YamlDocument } from 'yaml';
import { FileProblem } from '../../fs/read.ts';
import {
  documentsIn,
  isEmptyDocument,
  isInexact,
  keepSources,
  plainValue,
  refuseMistakes,
} from '../../fs/yaml.ts';
import type { FieldPath } from '../../model/diff.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine } from '../../out/text.ts';

/** A field as sentences name it, on one line: its name may come from the service. */
export function nameOf(field: FieldPath): string {
  return neutraliseLine(field.join('.'));
}

/** What a text says. */
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
    const odd = keepOddNumbers(document);
    const values = plainValue(document, name);
    keepSources(document);
    const texts = plainValue(document, name);
    const fields = typed({ values, texts, seen: record, field: [] }, rules);
    // A map of YAML is an object of names and values.
    return {
      fields: fields as ServiceRecord,
      lineOf: (field) => lineOf(field, document, lineAt),
      isUnsendable: (field) => odd.has(document.getIn(field, true)),
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

/** Numbers that would be sent as other ones (01067, 12345678901234567890, 0x1F) become texts. @returns where they stand. */
function keepOddNumbers(document: YamlDocument): ReadonlySet<unknown> {
  const odd = new Set<unknown>();
  visit(document, {
    Scalar: (_key, scalar) => {
      if (!isInexact(scalar)) return;
      odd.add(scalar);
      scalar.value = scalar.source;
    },
  });
  return odd;
}

/** One value of a text in both readings, and what the record shows in its place. */
interface Place {
  readonly values: unknown;
  readonly texts: unknown;
  readonly seen: unknown;
  readonly field: FieldPath;
}

function typed({ values, texts, seen, field }: Place, rules: ReadingOptions['rules']): unknown {
  if (isRecord(values) && isRecord(texts)) {
    const around = isRecord(seen) ? seen : {};
    const entries = Object.keys(values).map((name) => {
      const inner = Object.hasOwn(around, name) ? around[name] : undefined;
      const place = { values: values[name], texts: texts[name], seen: inner, field: [...field, name] };
      return [name, typed(place, rules)] as const;
    });
    return Object.fromEntries(entries);
  }
  if (Array.isArray(values) && Array.isArray(texts)) {
    const example: unknown = Array.isArray(seen) ? seen[0] : undefined;
    return values.map((value, index) =>
      typed({ values: value, texts: texts[index], seen: example, field }, rules),
    );
  }
  return isTextAt(field, seen, rules) ? texts : values;
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
