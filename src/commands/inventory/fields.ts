import { type Command, Option } from '@commander-js/extra-typings';
import { type Detail, invalidInput } from '../../cli/errors.ts';
import { collect, collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { readValue } from '../../fs/document.ts';
import { camelCase } from '../../model/fields.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import { guess } from '../../model/names.ts';
import { valueProblems } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { languages } from '../properties/given.ts';

type Flags = Record<string, unknown>;

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
  list: 'names',
  counts: 'code=n',
} as const;

/** Adds a flag for each of some fields; `givenFields` reads them. */
export function withFieldFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  fields: readonly InventoryField[],
) {
  for (const { name, flag, kind, summary, example, choices = [] } of fields) {
    const values = choices.length > 0 ? choices.join(', ') : example;
    const words = values === undefined ? summary : `${summary}: ${values}`;
    const isRepeated = kind === 'languages' || kind === 'list' || kind === 'counts';
    const placeholder = name === 'property' ? 'id' : placeholders[kind];
    const option = new Option(`--${flag} <${placeholder}>`, isRepeated ? `${words} (repeatable)` : words);
    option.helpGroup('Fields');
    if (isRepeated) option.argParser(kind === 'languages' ? collect : collectList);
    command.addOption(option);
  }
  return command;
}

/** The fields that flags give, and what is wrong with them. */
export function givenFields(flags: object, fields: readonly InventoryField[]): Given {
  // Commander stores options by camel-cased name; the field flags are texts or lists of texts.
  const typed = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  const details: Detail[] = [];
  const raw = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const value = typed[camelCase(field.flag.replaceAll('-', '_'))];
    if (value === undefined) return [];
    if (field.kind === 'languages') return [[field.name, languages(field, [value].flat(), details)]];
    return [[field.name, field.kind === 'counts' ? countsIn(field, [value].flat(), details) : value]];
  });
  // A map of which nothing could be read is reported already.
  const whole = raw.filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0);
  const read = readFields(Object.fromEntries(whole), fields, ({ flag }) => `--${flag}`);
  return { values: read.values, details: [...details, ...read.details] };
}

function countsIn({ flag }: InventoryField, texts: readonly string[], details: Detail[]) {
  const counts = new Map<string, string>();
  for (const text of texts) {
    const [, name, count] = /^(.+)=(.*)$/s.exec(text) ?? [];
    const wrong = (reason: string) => details.push({ field: `--${flag}`, reason });
    if (name === undefined || count === undefined)
      wrong(`${JSON.stringify(text.slice(0, 100))} is not code=number, such as DBL=1`);
    else if (counts.has(name)) wrong(`${name} is given twice`);
    else counts.set(name, count);
  }
  return Object.fromEntries(counts);
}

/**
 * The fields of the file of one record, in YAML or JSON.
 *
 * @param path `-` is stdin.
 * @throws {CliError} exit 2 when it cannot be read, or is no record.
 */
export async function fieldsInFile(
  path: string,
  fields: readonly InventoryField[],
  { context: { stdin } }: Pick<Session, 'context'>,
): Promise<Given> {
  const { name: file, value, texts } = await readValue(path, stdin);
  if (!isRecord(value) || !isRecord(texts))
    throw invalidInput([{ field: file, reason: 'is not a record of fields and values' }]);
  const names = fields.map(({ name }) => name);
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  const misnamed = unknown.map((name) => ({
    field: `${file}: ${name.slice(0, 100)}`,
    reason: `is not a field of it${guess(name, names, `it has ${names.join(', ')}`)}`,
  }));
  // A plain scalar of YAML in a field of texts is its source text.
  const source = { ...texts, ...pick(value, fields) };
  const read = readFields(source, fields, ({ name }) => `${file}: ${name}`);
  return { ...read, details: [...misnamed, ...read.details] };
}

/** The values that are numbers, as the file has them. */
function pick(value: ServiceRecord, fields: readonly InventoryField[]): ServiceRecord {
  const whole = fields.filter(({ kind }) => kind === 'whole').map(({ name }) => name);
  return Object.fromEntries(Object.entries(value).filter(([name]) => whole.includes(name)));
}

function readFields(
  raw: ServiceRecord,
  fields: readonly InventoryField[],
  nameOf: (field: InventoryField) => string,
): Given {
  const details: Detail[] = [];
  const values = fields.flatMap((field) => {
    const value = raw[field.name] ?? undefined;
    if (value === undefined) return [];
    const problems = valueProblems(field, value, nameOf(field));
    details.push(...problems);
    return problems.length > 0 ? [] : [[field.name, readValueOf(field, value)]];
  });
  return { values: Object.fromEntries(values), details };
}

function readValueOf({ kind }: InventoryField, value: unknown): unknown {
  if (kind === 'whole') return Number(value);
  if (kind === 'list') return [value].flat();
  if (kind !== 'counts' || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([code, count]) => [code, Number(count)]));
}

/** The references in the value of a field, each once. */
export function referencesIn(value: unknown): readonly string[] {
  return value === undefined ? [] : [...new Set([value].flat().map(String))];
}

/** The required fields that a draft lacks. */
export function missingFields(
  values: ServiceRecord,
  fields: readonly InventoryField[],
): readonly InventoryField[] {
  return fields.filter(({ name, isOptional }) => isOptional !== true && values[name] === undefined);
}
