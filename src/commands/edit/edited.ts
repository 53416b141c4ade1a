import { isDeepStrictEqual } from 'node:util';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document as YamlDocument } from 'yaml';
import type { Detail } from '../../cli/errors.ts';
import { FileProblem } from '../../fs/read.ts';
import { isInexact, offsetAt, onlyDocument, plainValue } from '../../fs/yaml.ts';
import type { Difference, DiffSpec, FieldPath } from '../../model/diff.ts';
import { guess } from '../../model/names.ts';
import { pointerTo } from '../../model/patch.ts';
import { isFixedAt } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { neutraliseLine } from '../../out/text.ts';

/** Rules for the changes of an edit; field names are dotted. */
export interface EditRules {
  readonly spec: DiffSpec;
  /** Fields whose plain scalars are always texts. */
  readonly texts: ReadonlySet<string>;
  /** Objects with only texts, unless the record shows otherwise. */
  readonly objects: ReadonlySet<string>;
  /** Fields that cannot be changed, each with the reason. */
  readonly fixed: readonly string[];
  readonly whyFixed: string;
  /** Fields that may be added, by parent object; '' is the record. Other objects accept any. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  /** Fields that must not be removed, each with the reason. */
  readonly needed: ReadonlyMap<string, string>;
  /** Whether values are checked before they are sent. */
  readonly validates: boolean;
}

/** A problem with one value of an edited text. */
export interface Problem {
  readonly field: FieldPath;
  readonly reason: string;
}

/** The name of a field for messages, on one line: it may come from the service. */
export function nameOf(field: FieldPath): string {
  return neutraliseLine(field.join('.'));
}

type TextRules = Pick<EditRules, 'texts' | 'objects'>;

/** The fields of a text. */
type Written = NonNullable<ReturnType<typeof readText>>;

/**
 * Reads the fields of a text.
 *
 * @param name the file in messages.
 * @param record the original, whose values determine the types.
 * @returns `undefined` if it has only comments.
 * @throws {CliError} exit 2, with line and column if known, when it is not a single YAML map.
 */
export function readText(text: string, name: string, record: ServiceRecord, rules: TextRules) {
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
    /** The line of a field, or of its closest parent, from 1. */
    lineOf(field: FieldPath) {
      const offset = offsetAt(document, field);
      return offset === undefined ? undefined : lines.linePos(offset).line;
    },
    /** Whether the field is a number that JSON cannot represent exactly; `fields` then has it as a text. */
    isUnsendable(field: FieldPath) {
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

/** An edited text, and the record that it was made from. */
interface Edited {
  readonly record: ServiceRecord;
  readonly written: Written;
  /** The editable fields of the text. */
  readonly after: ServiceRecord;
  readonly differences: readonly Difference[];
}

/**
 * The problems of an edited text, with their lines.
 *
 * @param ofValues problems of the values themselves.
 * @param addingAt the command line that adds a field of any name at a JSON Pointer.
 */
export function problemsIn(
  edited: Edited,
  rules: EditRules,
  ofValues: readonly Problem[],
  addingAt: (pointer: string) => string,
): readonly Detail[] {
  const { record, written, differences } = edited;
  // Uncommenting a fixed field is allowed; changing its value is not.
  const changed = rules.fixed.filter(
    (name) =>
      Object.hasOwn(written.fields, name) &&
      !(Object.hasOwn(record, name) && isDeepStrictEqual(written.fields[name], record[name])),
  );
  const fixed = differences.map(({ path }) => path).filter((path) => isFixedAt(path, rules.fixed));
  const own: readonly Problem[] = rules.validates
    ? [
        ...fixed.map((field) => ({ field, reason: rules.whyFixed })),
        ...missingFields(edited, rules),
        ...differences.flatMap((each) => unknownNames(each, rules.known, addingAt)),
        ...ofValues,
      ]
    : [];
  const named = new Set(own.map(({ field }) => field.join('.')));
  const others = differences.filter(({ path }) => !named.has(path.join('.')));
  const problems: readonly Problem[] = [
    ...changed.map((name) => ({ field: [name], reason: rules.whyFixed })),
    ...own,
    ...others.flatMap((each) => typeProblems(each, written, rules)),
  ];
  return problems.map(({ field, reason }) => {
    const line = written.lineOf(field);
    return { field: nameOf(field), reason: line === undefined ? reason : `${reason} (line ${line})` };
  });
}

/** A truncated text must not remove fields. */
function missingFields({ differences, after }: Edited, { needed, spec }: EditRules): readonly Problem[] {
  const removed = differences.flatMap(({ path, state }) => {
    if (state !== 'removed') return [];
    const [first = ''] = path;
    const map = spec.languageMaps.has(first) ? after[first] : undefined;
    return isRecord(map) && Object.keys(map).length === 0 ? [first] : [path.join('.')];
  });
  return [...new Set(removed)].flatMap((field) => {
    const reason = needed.get(field);
    return reason === undefined ? [] : [{ field: field.split('.'), reason }];
  });
}

/** A misspelt name must not become a new field. */
function unknownNames(
  { path, from, to, state }: Difference,
  known: EditRules['known'],
  addingAt: (pointer: string) => string,
): readonly Problem[] {
  if (state !== 'missing' || from === null) return [];
  const inner = isRecord(to) && path.length === 1 ? Object.keys(to) : [];
  return [path, ...inner.map((name) => [...path, name])].flatMap((field) => {
    const name = field.at(-1) ?? '';
    const names = field.length > 2 ? undefined : known.get(field.slice(0, -1).join('.'));
    if (names === undefined || names.includes(name)) return [];
    const line = neutraliseLine(addingAt(pointerTo(...field)));
    return [{ field, reason: `is not a known field${guess(name, names, `to send it anyway: ${line}`)}` }];
  });
}

/** A number that JSON cannot represent exactly would be sent as a text. */
function typeProblems(
  { path, from, to, state }: Difference,
  { isUnsendable }: Written,
  { validates }: EditRules,
): readonly Problem[] {
  if (state !== 'different' || typeof from === typeof to || !(validates || isUnsendable(path))) return [];
  if (typeof from === 'boolean') return [{ field: path, reason: 'must be true or false' }];
  return typeof from === 'number'
    ? [{ field: path, reason: 'must be a number that can be sent exactly' }]
    : [];
}
