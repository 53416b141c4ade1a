import { type Command, Option } from '@commander-js/extra-typings';
import type { Detail } from '../model/errors.ts';
import { inForm, readValue, valueProblems } from '../model/field-values.ts';
import { camelCase, camelCasePath } from '../model/fields.ts';
import type { Field } from '../model/kinds.ts';
import { pointerTo } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import { needsApaleo } from '../service/operations.ts';
import { collect, collectList } from '../session/command-line.ts';

type Flags = Record<string, unknown>;

/** A field that a flag gives: a text, a list of texts, or texts by language or code. */
export interface GivenField {
  readonly field: Field;
  readonly value: string | readonly string[] | Readonly<Record<string, string>>;
}

/** Values of fields by name, in snake_case: numbers, lists and maps are read. */
export interface Given {
  readonly values: ServiceRecord;
  readonly details: readonly Detail[];
}

const placeholders = {
  text: 'text',
  languages: 'lang=text',
  whole: 'n',
  choice: 'name',
  truth: 'true|false',
  list: 'names',
  names: 'names',
  counts: 'code=n',
  roles: 'roles',
} as const satisfies Record<Field['type'], string>;

/** Types of fields whose flags are repeated, and how their words are collected. */
const collected: Readonly<Partial<Record<Field['type'], typeof collect>>> = {
  languages: collect,
  list: collectList,
  names: collectList,
  counts: collectList,
};

/** Adds a flag for each of some fields, under a heading of help; `typedFields` reads them. */
export function withFieldFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  fields: readonly Field[],
  heading = 'Fields',
) {
  for (const { name, flag, type, summary, example, choices, isFurther } of fields) {
    const values = choices?.join(', ') ?? example;
    const words = values === undefined ? summary : `${summary}: ${values}`;
    const { [type]: collector } = collected;
    const notes = [
      ...(isFurther ? ['dialect apaleo'] : []),
      ...(collector === undefined ? [] : ['repeatable']),
    ];
    const description = notes.length === 0 ? words : `${words} (${notes.join(', ')})`;
    const placeholder = name === 'property' ? 'id' : placeholders[type];
    const option = new Option(`--${flag} <${placeholder}>`, description).helpGroup(heading);
    command.addOption(collector === undefined ? option : option.argParser(collector));
  }
  return command;
}

/**
 * The fields given by flags, in the order of the table, and the problems of their form: texts that are not `lang=text` or
 * `code=number`, and fields that the dialect does not have.
 *
 * @param taken the fields of the dialect.
 */
export function typedFields(flags: object, fields: readonly Field[], taken = fields) {
  const details: Detail[] = [];
  const given = fields.flatMap(({ flag }): readonly GivenField[] => {
    const value = typedValue(flags, flag);
    if (value === undefined || value === true) return [];
    const field = taken.find((each) => each.flag === flag);
    if (field === undefined) {
      details.push({ field: `--${flag}`, reason: needsApaleo });
      return [];
    }
    if (typeof value === 'string') return [{ field, value: field.read?.(value) ?? value }];
    if (field.type !== 'languages' && field.type !== 'counts') return [{ field, value }];
    const map = mapOf(field, value, details);
    // A map of which nothing could be read is reported already.
    return Object.keys(map).length === 0 ? [] : [{ field, value: map }];
  });
  return { given, details };
}

/** The value of a flag as it was typed, by its name without dashes; `undefined` if it was not. */
export function typedValue(flags: object, flag: string): string | true | readonly string[] | undefined {
  // Commander stores options by camel-cased name: a text, a list of texts, or that the flag is given.
  return (flags as Readonly<Record<string, string | true | readonly string[] | undefined>>)[
    camelCase(flag.replaceAll('-', '_'))
  ];
}

/** A list of `lang=text` or `code=number` as a map; a key given twice is refused. */
function mapOf({ flag, example, type }: Field, texts: readonly string[], details: Detail[]) {
  const [pattern, form] =
    type === 'languages' ? [/^([^=\s]+)=(.*)$/s, 'language=text'] : [/^(.+)=(.*)$/s, 'code=number'];
  const map = new Map<string, string>();
  for (const text of texts) {
    const [, key, value] = pattern.exec(text) ?? [];
    const wrong = (reason: string) => details.push({ field: `--${flag}`, reason });
    if (key === undefined || value === undefined)
      wrong(`${JSON.stringify(text.slice(0, 100))} is not ${form}, such as ${example}`);
    else if (map.has(key)) wrong(`${key} is given twice`);
    else map.set(key, value);
  }
  return Object.fromEntries(map);
}

/** The values that flags give, and what is wrong with them. */
export function givenFields(flags: object, fields: readonly Field[]): Given {
  const { given, details } = typedFields(flags, fields);
  const raw = Object.fromEntries(given.map(({ field, value }) => [field.name, value]));
  const read = readFields(raw, fields, ({ flag }) => `--${flag}`);
  return { values: read.values, details: [...details, ...read.details] };
}

/** The values of fields, and what is wrong with them. @param nameOf what messages call a field. */
export function readFields(
  raw: ServiceRecord,
  fields: readonly Field[],
  nameOf: (field: Field) => string,
): Given {
  const details: Detail[] = [];
  const values = fields.flatMap((field) => {
    const value = inForm(field, raw[field.name] ?? undefined);
    if (value === undefined) return [];
    const problems = valueProblems(field, value, nameOf(field));
    details.push(...problems);
    return problems.length > 0
      ? []
      : [[field.name, field.type === 'names' ? [value].flat() : readValue(field, value)]];
  });
  return { values: Object.fromEntries(values), details };
}

/** The references in the value of a field, each once. */
export function referencesIn(value: unknown): readonly string[] {
  return value === undefined ? [] : [...new Set([value].flat().map(String))];
}

/** The required fields that a draft lacks. */
export function missingFields(values: ServiceRecord, fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ name, isOptional }) => isOptional !== true && values[name] === undefined);
}

/** A field as a JSON Pointer. */
export function pointerOf({ path }: Field): string {
  return pointerTo(...camelCasePath(path));
}
