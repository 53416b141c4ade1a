import type { Command } from '@commander-js/extra-typings';
import { type Detail, invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import {
  allPropertyFields,
  furtherPropertyFields,
  type PropertyField,
  valueProblems,
} from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import type { RecordFile } from '../../seed/record.ts';
import { notInContract } from '../../service/operations.ts';
import { type FileFlags, readGivenFile } from '../creation.ts';
import { collect } from '../options.ts';

type Flags = Record<string, unknown>;

const further = new Set(furtherPropertyFields.map(({ flag }) => flag));

/** A field given by a flag: a text, or a text per language. */
export interface GivenField {
  readonly field: PropertyField;
  readonly value: string | Readonly<Record<string, string>>;
}

/** Adds one flag for each field of a property, of any dialect; `givenFields` reads them. */
export function withFieldFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  for (const { flag, kind, summary, example } of allPropertyFields) {
    const words = example === undefined ? summary : `${summary}: ${example}`;
    const notes = [
      ...(further.has(flag) ? ['dialect apaleo'] : []),
      ...(kind === 'languages' ? ['repeatable'] : []),
    ];
    const description = notes.length === 0 ? words : `${words} (${notes.join(', ')})`;
    if (kind === 'languages') command.option(`--${flag} <lang=text>`, description, collect);
    else command.option(`--${flag} <text>`, description);
  }
  return command;
}

/**
 * The fields given by flags, in the contract's order, and the problems: texts that are not `lang=text`, and fields that
 * the dialect does not have.
 *
 * @param fields the fields of the dialect.
 */
export function givenFields(flags: object, fields: readonly PropertyField[]) {
  // Commander stores options by camel-cased name; the field flags are texts or lists of texts.
  const values = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  const details: Detail[] = [];
  const given = allPropertyFields.flatMap(({ flag }): readonly GivenField[] => {
    const value = values[flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value === undefined) return [];
    const field = fields.find((each) => each.flag === flag);
    if (field === undefined) {
      details.push({ field: `--${flag}`, reason: notInContract });
      return [];
    }
    if (typeof value === 'string') return [{ field, value }];
    const map = languages(field, value, details);
    return Object.keys(map).length === 0 ? [] : [{ field, value: map }];
  });
  return { given, details };
}

/** A `lang=text` list as a language map; a language given twice is refused. */
function languages(field: PropertyField, texts: readonly string[], details: Detail[]) {
  const map = new Map<string, string>();
  for (const text of texts) {
    const [, language, words] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
    const wrong = (reason: string) => details.push({ field: `--${field.flag}`, reason });
    if (language === undefined || words === undefined) {
      wrong(`${JSON.stringify(text.slice(0, 100))} is not language=text, such as ${field.example}`);
    } else if (map.has(language)) wrong(`${language} is given twice`);
    else map.set(language, words);
  }
  return Object.fromEntries(map);
}

/** A create-property body that may be incomplete, and the sources of its values. */
export interface Draft {
  readonly body: ServiceRecord;
  /** The fields of the dialect. */
  readonly fields: readonly PropertyField[];
  /** Names of fields from a file in messages: file and path. Other fields are named by their flags. */
  readonly places: ReadonlyMap<PropertyField, string>;
}

/** The fields of a property that contain other fields. */
export const outerFields = ['location', 'bank_account'] as const;

/**
 * Builds the body from file and flags; flags override the file, per language for texts with languages.
 *
 * @param earlier other problems, reported together.
 * @throws {CliError} exit 2 for an unreadable file, unknown fields, fields that the dialect does not have, and language
 * texts that are not `lang=text`.
 */
export async function assembleBody(flags: FileFlags, session: Session, earlier: readonly Detail[]) {
  const { propertyFields: fields } = session.api.dialect;
  const file = await readGivenFile('property', flags, session);
  const { given, details } = givenFields(flags, fields);
  const problems = [...earlier, ...(file?.problems ?? []), ...details];
  if (problems.length > 0) throw invalidInput(problems, file?.hint);
  const { bodyOf } = await import('../../seed/entry.ts');
  const start = bodyOf({ fields: file?.fields ?? {} });
  const body = given.reduce<Draft['body']>((draft, { field, value }) => put(draft, field, value), start);
  const byFlag = new Set(given.map(({ field }) => field));
  const places = fields.flatMap((field) => {
    const place = byFlag.has(field) ? undefined : placeIn(file, field);
    return place === undefined ? [] : [[field, place] as const];
  });
  return { body, fields, places: new Map(places) };
}

/** The missing fields, in the contract's order. */
export function unsetFields({ body, fields }: Draft): readonly PropertyField[] {
  return fields.filter((field) => (valueAt(body, field.path) ?? undefined) === undefined);
}

/** The missing required fields. */
export function missingFields(draft: Draft): readonly PropertyField[] {
  return unsetFields(draft).filter(({ isOptional }) => isOptional !== true);
}

/** Adds a value to the body; language maps are merged. */
export function put(body: ServiceRecord, field: PropertyField, value: unknown): ServiceRecord {
  const [first, second] = field.path;
  const outer = isRecord(body[first]) ? body[first] : {};
  if (second !== undefined) return { ...body, [first]: { ...outer, [second]: value } };
  return { ...body, [first]: isRecord(value) ? { ...outer, ...value } : value };
}

/** The path of a field in the file; `undefined` if missing. */
function placeIn(file: RecordFile | undefined, field: PropertyField): string | undefined {
  if (file === undefined) return undefined;
  const { extra } = file.fields;
  const path = field.path.join('.');
  if (valueAt(file.fields, field.path) !== undefined) return `${file.name}: ${path}`;
  return isRecord(extra) && valueAt(extra, field.path) !== undefined
    ? `${file.name}: extra.${path}`
    : undefined;
}

/** The problems of the values of a draft, and of missing required fields if it should be complete. */
export function draftProblems(draft: Draft, isComplete: boolean): readonly Detail[] {
  const { body, fields, places } = draft;
  // Values that should be objects with fields of the dialect.
  const misshapen = outerFields.filter(
    (outer) => fields.some(({ path }) => path[0] === outer) && !isRecord(body[outer] ?? {}),
  );
  const details = fields.flatMap((field): readonly Detail[] => {
    if (misshapen.some((outer) => outer === field.path[0])) return [];
    const name = places.get(field) ?? `--${field.flag}`;
    const value = valueAt(body, field.path);
    if (value !== undefined && value !== null) return valueProblems(field, value, name);
    return isComplete && field.isOptional !== true ? [{ field: name, reason: 'is missing' }] : [];
  });
  return [...details, ...misshapen.map((field) => ({ field, reason: 'must hold fields and values' }))];
}
