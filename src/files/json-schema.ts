import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { Kind } from '../model/kinds.ts';
import { LEFT_OUT, lists } from './names.ts';
import { type EntrySchema, openSchemas } from './schemas.ts';

/**
 * The JSON Schema of a manifest (draft 2020-12), made from the schemas that entries are read with. A file may hold a
 * manifest, an entry, or a list of entries.
 */
export function manifestJsonSchema(): Readonly<Record<string, unknown>> {
  const definitions = openSchemas();
  const entry = v.union(Object.values(definitions));
  const root = v.union([manifestSchema(definitions), entry, v.array(entry)]);
  return jsonSchemaOf(
    v.pipe(root, v.metadata({ title: 'innctl manifest', description: DESCRIPTION })),
    definitions,
  );
}

/** The JSON Schema (draft 2020-12) of what a schema reads. @param definitions parts that have a name. */
export function jsonSchemaOf(
  schema: v.GenericSchema,
  definitions: Readonly<Record<string, v.GenericSchema>> = {},
): Readonly<Record<string, unknown>> {
  const { $schema, title, ...rest } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    errorMode: 'ignore',
    definitions: { ...definitions },
  });
  return { $schema, title, ...rest };
}

const DESCRIPTION =
  'Properties with their units, invitations and users as they should be, for innctl plan and innctl apply.';

function manifestSchema(definitions: Readonly<Record<Kind, EntrySchema>>) {
  const parts = [...lists].map(([name, kind]) => [name, v.nullish(v.array(definitions[kind]))] as const);
  return v.pipe(
    v.strictObject({
      $schema: v.optional(v.string()),
      [LEFT_OUT]: v.optional(v.array(v.string())),
      ...Object.fromEntries(parts),
    }),
    v.metadata({ anyOf: [...lists.keys()].map((name) => ({ required: [name] })) }),
  );
}
