import { groupBy, isRecord } from '../model/records.ts';
import { csvText } from '../print/cells.ts';
import type { Dialect } from '../service/dialect.ts';
import { COMMENT } from './cells.ts';
import { byPlace, isInventory, missingToCreate } from './entry.ts';
import { manifestJsonSchema } from './json-schema.ts';
import { entryKinds, neededFields } from './kind.ts';
import { foreignFields } from './names.ts';

/** What there are templates of, with the kind of their entries. */
const templates = {
  properties: 'property',
  people: 'invitation',
  'unit-groups': 'unit_group',
  units: 'unit',
} as const;

/** One field to fill in. */
interface Field {
  /** Dots between names. */
  readonly path: string;
  /** Whether an entry needs it, what it is, and what it may be. */
  readonly note: string;
}

/** Fields that are not filled in by hand, or have no fixed names. */
const leftOut: readonly string[] = ['kind', 'extra', 'unit_groups', 'units'];

/** Where the comments of a template begin: what is typed after a colon stays apart from them. */
const COMMENT_COLUMN = 36;

/**
 * A file to fill in: every field that the dialect takes, with its meaning. As it is, it is no entry: in YAML the required
 * fields are empty, and a table has its header and a row of comments.
 */
export function templateText(name: keyof typeof templates, format: 'yaml' | 'csv', dialect: Dialect): string {
  const fields = fieldsOf(templates[name], dialect, format);
  if (format === 'yaml') return yamlText(entryKinds[templates[name]].several, fields);
  return csvText([fields.map(({ path }) => path), fields.map(({ note }) => `${COMMENT} ${note}`)]);
}

function yamlText(list: string, fields: readonly Field[]): string {
  const lines = [...groupBy(fields, ({ path }) => path.split('.')[0] ?? '')].flatMap(([outer, group]) =>
    group.flatMap(({ path, note }, index) => {
      const inner = path.slice(outer.length + 1);
      const line = `${inner === '' ? `    ${outer}` : `      ${inner}`}:`.padEnd(COMMENT_COLUMN);
      return [...(inner !== '' && index === 0 ? [`    ${outer}:`] : []), `${line} # ${note}`];
    }),
  );
  const head = `# Fill in, and repeat the lines below "${list}:" for each entry. Optional fields may stay empty.`;
  return [head, `${list}:`, ...lines, ''].join('\n').replace(':\n   ', ':\n  -');
}

/** The fields of an entry that a dialect takes, in the order of manifests. */
function fieldsOf(
  kind: (typeof templates)[keyof typeof templates],
  dialect: Dialect,
  format: 'yaml' | 'csv',
): readonly Field[] {
  const foreign = foreignFields(kind, dialect);
  const { [kind]: schema } = orEmpty(manifestJsonSchema()['$defs']);
  const alsoNeeded =
    kind === 'unit'
      ? ['property']
      : isInventory(kind)
        ? neededFields(kind)
        : missingToCreate({ kind, fields: {} }, dialect);
  return leavesOf(schema)
    .filter(({ path }) => !foreign.includes(path))
    .map((leaf) => ({
      path: format === 'csv' && isMap(leaf.schema) ? `${leaf.path}.${sampleOf(leaf.schema)[0]}` : leaf.path,
      note: noteOf({ ...leaf, isRequired: leaf.isRequired || alsoNeeded.includes(leaf.path) }, format),
    }))
    .sort((one, other) => byPlace(one.path, other.path));
}

interface Leaf {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** The fields of a schema that hold values. @param above the names before them, with a dot. */
function leavesOf(schema: unknown, above = ''): readonly Leaf[] {
  const { properties, required } = orEmpty(schema);
  const needed = [required].flat();
  return Object.entries(orEmpty(properties))
    .filter(([name]) => !leftOut.includes(name))
    .flatMap(([name, value]) => {
      const inner = withoutNull(orEmpty(value));
      const path = `${above}${name}`;
      if (inner['properties'] !== undefined) return leavesOf(inner, `${path}.`);
      return [{ path, schema: inner, isRequired: needed.includes(name) }];
    });
}

/** An optional field may be null: `{ anyOf: [the field, null] }`. */
function withoutNull(schema: Schema): Schema {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? orEmpty(anyOf[0]) : schema;
}

function orEmpty(schema: unknown): Schema {
  return isRecord(schema) ? schema : {};
}

/** Whether a field has a text for each language. */
function isMap({ additionalProperties }: Schema): boolean {
  return isRecord(additionalProperties);
}

/** The first example of a field, and the name that it has in a map. */
function sampleOf({ examples, items }: Schema): readonly [name: string, text: string] {
  const [example] = [examples ?? orEmpty(items)['examples']].flat();
  const [[name, text] = ['', '']] = Object.entries(orEmpty(example));
  return isRecord(example) ? [name, String(text)] : ['', String(example ?? '')];
}

/** Longer lists of choices are not written out. */
const MOST_CHOICES = 6;

/** `required: country (ISO 3166-1 alpha-2), such as DE` */
function noteOf({ path, schema, isRequired }: Leaf, format: 'yaml' | 'csv'): string {
  const { type, description, enum: choices } = schema;
  const [name, text] = sampleOf(schema);
  const inYaml = type === 'array' ? `[${text}]` : isMap(schema) ? `{ ${name}: ${text} }` : text;
  const sample = format === 'yaml' ? inYaml : text;
  const meaning = String(description ?? path).replace(/ \(services of [^)]*\)| in one language/g, '');
  const parts = [
    meaning,
    ...(type === 'boolean' ? ['true or false'] : []),
    ...(type === 'array' ? ['a list'] : []),
    ...(Array.isArray(choices) && choices.length <= MOST_CHOICES ? [`one of ${choices.join(', ')}`] : []),
    ...(text === '' ? [] : [`such as ${sample}`]),
  ];
  return `${isRequired ? 'required' : 'optional'}: ${parts.join(', ')}`;
}
