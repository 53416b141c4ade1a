import * as v from 'valibot';
import { languageProblem } from '../checks/language.ts';
import {
  allPropertyFields,
  type Check,
  furtherPropertyFields,
  type PropertyField,
} from '../checks/property-fields.ts';
import { noLanguage, noLanguageMap, textInLanguageProblem } from '../checks/property-values.ts';
import { isNeeded } from './body.ts';
import {
  type EntrySchema,
  errorField,
  extra,
  type Hints,
  kindField,
  ofDialect,
  optional,
  remembering,
  text,
} from './schema-parts.ts';

const timeOfDay = '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$';

/** The schema of a property, made from the table of its fields. */
export async function propertySchema(): Promise<EntrySchema> {
  const hints = await hintsByField();
  const top: Record<string, v.GenericSchema> = { kind: kindField('property') };
  const inside = { location: {}, bank_account: {} } satisfies Record<string, Record<string, v.GenericSchema>>;
  for (const field of allPropertyFields) {
    const schema = await fieldSchema(field, hints[field.path.join('.')]);
    if (field.path.length === 1) top[field.path[0]] = schema;
    else Object.assign(inside[field.path[0]], { [field.path[1]]: schema });
  }
  return object({
    ...top,
    location: object(inside.location),
    bank_account: optional(object(inside.bank_account)),
    extra: optional(extra('property')),
    error: errorField(),
  });
}

function object(fields: Record<string, v.GenericSchema>): EntrySchema {
  return v.strictObject(fields, 'must hold fields and values');
}

async function fieldSchema(field: PropertyField, hints: Hints | undefined): Promise<v.GenericSchema> {
  const schema = await valueSchema(field, hints);
  return isNeeded(field) ? schema : optional(schema);
}

async function valueSchema(field: PropertyField, hints: Hints | undefined): Promise<v.GenericSchema> {
  const { kind, example, path } = field;
  const summary = furtherPropertyFields.includes(field) ? ofDialect(field.summary) : field.summary;
  if (kind === 'languages') return languageMap(summary, example);
  const check = remembering(await field.check());
  const examples = example === undefined ? {} : { examples: [example] };
  const told = { description: summary, ...examples, ...(hints ?? { pattern: '\\S' }) };
  return text(path[0] === 'code' ? unpadded(check) : check, told);
}

/** What an editor can check by itself. Blank is missing, and what need not be there may be so. */
async function hintsByField(): Promise<Readonly<Record<string, Hints>>> {
  const { iso31661Alpha2ToAlpha3 } = await import('iso-3166/1-a2-to-1-a3.js');
  return {
    'location.region_code': { pattern: '^([A-Z]{2}(-[A-Z0-9]{1,3})?|[A-Z0-9]{2,3})$' },
    'location.country_code': { enum: Object.keys(iso31661Alpha2ToAlpha3).sort() },
    time_zone: { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
    default_check_in_time: { pattern: timeOfDay },
    default_check_out_time: { pattern: timeOfDay },
    currency_code: { pattern: '^[A-Z]{3}$' },
  };
}

function languageMap(summary: string, example: string | undefined): v.GenericSchema {
  const language = remembering(languageProblem);
  return v.pipe(
    v.record(
      text(language, { pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$' }),
      text(textInLanguageProblem, { pattern: '\\S' }),
      noLanguageMap,
    ),
    v.check((map) => Object.keys(map).length > 0, noLanguage),
    v.metadata({
      description: `${summary}, by language code`,
      minProperties: 1,
      examples: [{ en: /^en="(.+)"$/.exec(example ?? '')?.[1] ?? '' }],
    }),
  );
}

/** Blanks around a code would make it another one, and nobody sees them. */
function unpadded(check: Check): Check {
  return (code) => check(code) ?? (code === code.trim() ? undefined : 'begins or ends with a blank');
}
