import { expect, test } from 'vitest';
import { inCamelCase, normalise } from '../../src/model/fields.ts';
import { isRecord } from '../../src/model/records.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { modelsIn, openDescriptions, operationOf } from './prism-documents.ts';

const descriptions = openDescriptions();
const definitions = Object.assign({}, ...descriptions.map((each) => each.definitions));
const described = descriptions.flatMap((each) => each.operations);

/** All models that the commands send and read, with their nested models, except wrappers of lists. */
const models = reachable(
  Object.keys(operations).flatMap((name) => {
    // The keys of the table are the ids.
    const id = name as OperationId;
    const found = operationOf(described, operations[id].method, apaleo.path(id));
    expect(found, id).toBeDefined();
    return found?.models ?? [];
  }),
).filter((name) => !/ListModel$/.test(name));

test('the models of the commands are found', () => {
  expect(models).toEqual(
    expect.arrayContaining(['UserModel', 'UserItemModel', 'InvitationModel', 'CreateInvitationModel']),
  );
  expect(models).toEqual(
    expect.arrayContaining(['PropertyModel', 'PropertyItemModel', 'CreatePropertyModel', 'BankAccountModel']),
  );
});

test.each(models)('%s is shown in snake_case and sent back unchanged', (name) => {
  const record = sample({ $ref: `#/definitions/${name}` });
  if (!isRecord(record)) throw new Error(`${name} is not an object`);

  const shown = normalise(record);

  expect(namesIn(shown).filter((each) => !/^[a-z][a-z0-9_]*$/.test(each))).toEqual([]);
  expect(inCamelCase(shown)).toEqual(record);
});

/** These models and their nested models, without duplicates. */
function reachable(names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    expect(definitions[name], name).toBeDefined();
    for (const each of modelsIn(definitions[name])) visit(each);
  };
  for (const name of names) visit(name);
  return [...found];
}

/** A value with every field of its model. */
function sample(schema: unknown): unknown {
  if (!isRecord(schema)) return 'text';
  const [reference] = schema['$ref'] === undefined ? [] : modelsIn({ $ref: schema['$ref'] });
  if (reference !== undefined) return sample(definitions[reference]);
  if (schema['type'] === 'array') return [sample(schema['items'])];
  const { properties } = schema;
  if (isRecord(properties)) {
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, sample(each)]));
  }
  // A map of texts by language code.
  return isRecord(schema['additionalProperties']) ? { en: 'text' } : 'text';
}

/** The names of all fields, including nested ones. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...namesIn(each)]);
}
