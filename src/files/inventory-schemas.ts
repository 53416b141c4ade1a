import * as v from 'valibot';
import {
  type InventoryField,
  unitAttributeFields,
  unitFields,
  unitGroupFields,
  unitNameProblem,
} from '../model/inventory-fields.ts';
import { expandNames } from '../model/ranges.ts';
import { textProblem } from '../model/text.ts';
import { wholeProblem } from '../model/values.ts';
import { idProblem } from '../service/path.ts';
import type { InventoryKind } from './entry.ts';
import { filled, idPattern, languageMap, ofDialect, remembering, text } from './schema-parts.ts';

/**
 * The fields of each kind of inventory. What a record needs is checked when it is created: of one that exists, an entry may
 * name a part.
 */
export const inventoryEntries: Readonly<Record<InventoryKind, v.ObjectEntries>> = {
  unit_attribute: fieldsOf(unitAttributeFields, ['name']),
  unit_group: fieldsOf(unitGroupFields, ['code']),
  unit: { ...fieldsOf(unitFields, []), names: v.nullish(names()) },
};

/** @param needed names of the fields that every entry has; a property may be the one around the entry. */
function fieldsOf(fields: readonly InventoryField[], needed: readonly string[]): v.ObjectEntries {
  return Object.fromEntries(
    fields.map((field) => {
      const schema = schemaOf(field);
      return [field.name, needed.includes(field.name) ? schema : v.nullish(schema)];
    }),
  );
}

function schemaOf({ name, kind, summary, example, check, choices }: InventoryField): v.GenericSchema {
  const description = ofDialect(summary);
  const examples = example === undefined ? {} : { examples: [example] };
  if (kind === 'languages') return languageMap(description, example);
  if (kind === 'whole') return whole({ description, examples: [Number(example ?? 1)] });
  if (kind === 'choice') return text(check, { description, enum: choices });
  if (kind === 'counts') return counts(description, example ?? '');
  if (kind === 'list')
    return v.pipe(
      v.array(text(textProblem, { ...filled, ...examples }), `must be a list: [${example}]`),
      v.metadata({ description }),
      v.transform((each) => [...new Set(each)]),
    );
  const isId = name === 'property';
  const hints = { description, ...examples, ...(isId ? { pattern: idPattern } : filled) };
  return text(isId ? idProblem : remembering(check), hints);
}

/** A whole number from 1, or its digits: in YAML and in tables every value is a text. */
function whole(metadata: Readonly<Record<string, unknown>>) {
  return v.pipe(
    v.union([v.string(), v.number()], 'must be a whole number from 1'),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      const message = typed ? wholeProblem(String(value).trim()) : undefined;
      if (message !== undefined) addIssue({ message });
    }),
    v.metadata({ ...metadata, minimum: 1 }),
    v.transform(Number),
  );
}

function firstProblem(names: readonly string[]): string | undefined {
  if (names.length === 0) return 'names no unit';
  return names.map(unitNameProblem).find((problem) => problem !== undefined);
}

/** @param example of a flag: `DBL=1`. */
function counts(description: string, example: string) {
  const [code = '', count] = example.split('=');
  return v.pipe(
    v.record(text(textProblem, filled), whole({}), `must say how many of each: { ${code}: ${count} }`),
    v.check((map) => Object.keys(map).length > 0, 'names no unit group'),
    v.metadata({ description, minProperties: 1, examples: [{ [code]: Number(count) }] }),
  );
}

/** Names and ranges of several units that are alike: `201..228`, or a list of them. */
function names() {
  return v.pipe(
    v.union([v.string(), v.array(v.string())], 'must be names and ranges: 201..228, or a list of them'),
    v.metadata({
      description: ofDialect('in place of name, for units that are alike: names and ranges'),
      examples: ['201..228'],
    }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const found = expandNames([dataset.value].flat());
      const problem = 'problem' in found ? found.problem : firstProblem(found);
      if (problem === undefined) return found;
      addIssue({ message: problem });
      return NEVER;
    }),
  );
}
