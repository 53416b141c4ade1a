import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/model/records.ts';

/** The two documents in which the public service describes itself. */
export const areas = ['identity', 'inventory'] as const;
export type Area = (typeof areas)[number];

type Json = Readonly<Record<string, unknown>>;

/** What a request can be about, as a document names it. */
export interface DescribedOperation {
  readonly area: Area;
  /** In capitals. */
  readonly method: string;
  /** With placeholders: `/inventory/v1/units/{id}`. */
  readonly path: string;
  /** Names of its query parameters. */
  readonly query: readonly string[];
  readonly responses: Readonly<Record<string, Json>>;
  /** Names of the models that it takes and answers with. */
  readonly models: readonly string[];
  /** What its description lets be done with which field, in small letters; empty where it says nothing of that. */
  readonly steps: ReadonlyMap<string, readonly string[]>;
}

/** What the public service says of itself in one area. */
export interface Description {
  readonly area: Area;
  readonly operations: readonly DescribedOperation[];
  /** Its models by name. */
  readonly definitions: Readonly<Record<string, Json>>;
  /** The document as Prism reads it. */
  readonly text: string;
}

/** They belong to the service and lie beside the project. */
const home = join(import.meta.dirname, '../../../shared/contract');

/**
 * The descriptions of both areas, repaired where they contradict what the service does.
 *
 * @throws {Error} naming the place of a document that is not there.
 */
export function openDescriptions(folder = home): readonly Description[] {
  return areas.map((area) => openDescription(area, join(folder, `${area}-v1.swagger.json`)));
}

/** What a request is about; a path that is spelt out comes before one with a placeholder in that place. */
export function operationOf(
  operations: readonly DescribedOperation[],
  method: string,
  path: string,
): DescribedOperation | undefined {
  const fitting = operations.filter((each) => each.method === method && isOf(each.path, path));
  return fitting.find((each) => each.path === path) ?? fitting[0];
}

function isOf(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

function openDescription(area: Area, path: string): Description {
  const document = repaired(JSON.parse(read(path)));
  // A document of Swagger 2.0 has these two, and objects in them.
  const { paths, definitions } = document as Record<'paths' | 'definitions', Record<string, Json>>;
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      area,
      method: method.toUpperCase(),
      path: template,
      query: queryOf(operation),
      // So has an operation.
      responses: (operation as { readonly responses: Record<string, Json> }).responses,
      models: modelsIn(operation),
      steps: stepsIn(operation),
    })),
  );
  return { area, operations, definitions, text: JSON.stringify(document) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`The public service's own description is looked for at ${path} and cannot be read.`, {
      cause,
    });
  }
}

function queryOf(operation: unknown): readonly string[] {
  const parameters = isRecord(operation) ? operation['parameters'] : undefined;
  if (!Array.isArray(parameters)) return [];
  return parameters.flatMap((each: Json) => (each['in'] === 'query' ? [String(each['name'])] : []));
}

/** `- Replace firstName and lastName`, `- Add, replace and remove BankAccount`, `- Set IsTemplate` */
function stepsIn(operation: unknown): ReadonlyMap<string, readonly string[]> {
  const text = isRecord(operation) ? String(operation['description']) : '';
  const rules = [
    ...text.matchAll(/^- (Replace|Add, replace and remove|Set) (?:unit )?(\w+)(?: and (\w+))?/gm),
  ];
  return new Map(
    rules.flatMap(([, verb, ...fields]) => {
      const ops =
        verb === 'Replace' ? ['replace'] : ['add', 'replace', ...(verb === 'Set' ? [] : ['remove'])];
      return fields.flatMap((field) => (field === undefined ? [] : [[field.toLowerCase(), ops] as const]));
    }),
  );
}

/** Names of the models that a part of a document refers to. */
export function modelsIn(part: unknown): readonly string[] {
  const references = JSON.stringify(part).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g);
  return [...references].map(([, name = '']) => name);
}

/**
 * A value with what is wrong in the documents put right: a patch may set any value, not objects alone; examples are
 * values, not texts of them, and lists count what they have; answers are JSON, whatever else is named before it. And
 * the service refuses fields that it does not know, and shows no others, which one document says of each model and the
 * other of none.
 */
function repaired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(repaired);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, repairedField(name, each)] as const);
  const isModel = value['type'] === 'object' && isRecord(value['properties']);
  return { ...(isModel ? { additionalProperties: false } : {}), ...Object.fromEntries(fields) };
}

function repairedField(name: string, value: unknown): unknown {
  if (name === 'example') return counted(typeof value === 'string' ? JSON.parse(value) : value);
  if (name === 'produces' || name === 'consumes') return ['application/json'];
  if (name === 'Operation' && isRecord(value)) return withAnyValue(value);
  return repaired(value);
}

/** Some examples of lists count none of what they have. */
function counted(example: unknown): unknown {
  if (!isRecord(example) || example['count'] === undefined) return example;
  const list = Object.values(example).find(Array.isArray);
  return list === undefined ? example : { ...example, count: list.length };
}

function withAnyValue(operation: Json): unknown {
  const { properties, ...rest } = operation;
  return repaired({ ...rest, properties: { ...(isRecord(properties) ? properties : {}), value: {} } });
}
