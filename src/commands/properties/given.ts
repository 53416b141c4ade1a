import { type Command, Option } from '@commander-js/extra-typings';
import type { Detail } from '../../cli/errors.ts';
import { collect } from '../../cli/flags.ts';
import { allPropertyFields, furtherPropertyFields, type PropertyField } from '../../model/property-fields.ts';
import { notInContract } from '../../service/operations.ts';

type Flags = Record<string, unknown>;

const further = new Set(furtherPropertyFields.map(({ flag }) => flag));

/** A field given by a flag: a text, or a text per language. */
export interface GivenField {
  readonly field: PropertyField;
  readonly value: string | Readonly<Record<string, string>>;
}

/** Adds one flag for each field of a property, of any dialect, under a heading of help; `givenFields` reads them. */
export function withFieldFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  heading = 'Fields',
) {
  for (const { flag, kind, summary, example } of allPropertyFields) {
    const words = example === undefined ? summary : `${summary}: ${example}`;
    const notes = [
      ...(further.has(flag) ? ['dialect apaleo'] : []),
      ...(kind === 'languages' ? ['repeatable'] : []),
    ];
    const description = notes.length === 0 ? words : `${words} (${notes.join(', ')})`;
    const isMap = kind === 'languages';
    const option = new Option(`--${flag} <${isMap ? 'lang=text' : 'text'}>`, description).helpGroup(heading);
    command.addOption(isMap ? option.argParser(collect) : option);
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
    if (typeof value === 'string') return [{ field, value: field.read?.(value) ?? value }];
    const map = languages(field, value, details);
    return Object.keys(map).length === 0 ? [] : [{ field, value: map }];
  });
  return { given, details };
}

/** A `lang=text` list as a language map; a language given twice is refused. */
export function languages(
  field: Pick<PropertyField, 'flag' | 'example'>,
  texts: readonly string[],
  details: Detail[],
) {
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
