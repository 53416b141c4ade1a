import { type Field, kindTable } from '../model/kinds.ts';
import { groupBy } from '../model/records.ts';
import { csvText } from '../print/cells.ts';
import type { Dialect } from '../service/dialect.ts';
import { COMMENT } from './cells.ts';
import { byPlace, isRequired, missingToCreate } from './entry.ts';
import { foreignFields } from './names.ts';

/** What there are templates of, with the kind of their entries. */
const templates = {
  properties: 'property',
  people: 'invitation',
  'unit-groups': 'unit_group',
  units: 'unit',
} as const;

type Format = 'yaml' | 'csv';

/** One field to fill in, dots between names, and whether an entry needs it, what it is, and what it may be. */
type Line = readonly [path: string, note: string];

/** Where the comments of a template begin: what is typed after a colon stays apart from them. */
const COMMENT_COLUMN = 36;

/**
 * A file to fill in: every field that the dialect takes, with its meaning. As it is, it is no entry: in YAML the required
 * fields are empty, and a table has its header and a row of comments.
 */
export function templateText(name: keyof typeof templates, format: Format, dialect: Dialect): string {
  const kind = templates[name];
  const foreign = foreignFields(kind, dialect);
  const alsoNeeded = kind === 'unit' ? ['property'] : missingToCreate(kind, {}, dialect);
  const lines = kindTable[kind].fields
    .filter((field) => !foreign.includes(field.name))
    .map((field) => lineFor(field, isRequired(kind, field) || alsoNeeded.includes(field.name), format))
    .sort(([one], [other]) => byPlace(one, other));
  if (format === 'yaml') return yamlText(kindTable[kind].several, lines);
  return csvText([lines.map(([path]) => path), lines.map(([, note]) => `${COMMENT} ${note}`)]);
}

function yamlText(list: string, fields: readonly Line[]): string {
  const lines = [...groupBy(fields, ([path]) => path.split('.')[0] ?? '')].flatMap(([outer, group]) =>
    group.flatMap(([path, note], index) => {
      const inner = path.slice(outer.length + 1);
      const line = `${inner === '' ? `    ${outer}` : `      ${inner}`}:`.padEnd(COMMENT_COLUMN);
      return [...(inner !== '' && index === 0 ? [`    ${outer}:`] : []), `${line} # ${note}`];
    }),
  );
  const head = `# Fill in, and repeat the lines below "${list}:" for each entry. Optional fields may stay empty.`;
  return [head, `${list}:`, ...lines, ''].join('\n').replace(':\n   ', ':\n  -');
}

/** `required: country (ISO 3166-1 alpha-2), such as DE` */
function lineFor(
  { name, type, summary, choices, example = type === 'whole' ? '1' : undefined }: Field,
  isNeeded: boolean,
  format: Format,
): Line {
  // A map has one column for each of its names.
  const isMap = type === 'languages' || type === 'counts';
  const [inner, text] = isMap ? (example?.replaceAll('"', '').split('=') ?? []) : ['', example];
  const inYaml = type === 'list' ? `[${text}]` : isMap ? `{ ${inner}: ${text} }` : text;
  const parts = [
    summary.replace(' in one language', ''),
    ...(type === 'languages' ? ['by language code'] : []),
    ...(type === 'truth' ? ['true or false'] : []),
    ...(type === 'list' ? ['a list'] : []),
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(text === undefined ? [] : [`such as ${format === 'yaml' ? inYaml : text}`]),
  ];
  const path = format === 'csv' && isMap ? `${name}.${inner}` : name;
  return [path, `${isNeeded ? 'required' : 'optional'}: ${parts.join(', ')}`];
}
