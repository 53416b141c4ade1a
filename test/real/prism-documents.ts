import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, recordsIn } from '../../src/model/records.ts';

/** The two API descriptions of the public service. */
export const areas = ['identity', 'inventory'] as const;
export type Area = (typeof areas)[number];

type Json = Readonly<Record<string, unknown>>;

/** An operation of a document. */
export interface DescribedOperation {
  readonly area: Area;
  /** In capitals. */
  readonly method: string;
  /** With placeholders: `/inventory/v1/units/{id}`. */
  readonly path: string;
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Its parameters as the document describes them: query, path, header and body. */
  readonly parameters: readonly Json[];
  readonly responses: Readonly<Record<string, Json>>;
  /** Names of the models in its body and responses. */
  readonly models: readonly string[];
  /** The patch operations that its description allows, by the field in lower case; empty if it lists none. */
  readonly steps: ReadonlyMap<string, readonly string[]>;
}

/** The description of one area. */
export interface Description {
  readonly area: Area;
  readonly operations: readonly DescribedOperation[];
  /** The models by name. */
  readonly definitions: Readonly<Record<string, Json>>;
  /** The document for Prism. */
  readonly text: string;
}

/** The documents belong to the service and are next to the project. */
const home = join(import.meta.dirname, '../../../shared/contract');

/**
 * The descriptions of both areas, corrected where they contradict the service.
 */
export function openDescriptions(): readonly Description[] {
  return areas.map((area) => openDescription(area, join(home, `${area}-v1.swagger.json`)));
}

/** The operation of a request; a literal path is preferred to one with a placeholder. */
export function operationOf(
  operations: readonly DescribedOperation[],
  method: string,
  path: string,
): DescribedOperation | undefined {
  const matching = operations.filter((each) => each.method === method && isOf(each.path, path));
  return matching.find((each) => each.path === path) ?? matching[0];
}

function isOf(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

function openDescription(area: Area, path: string): Description {
  const document = corrected(JSON.parse(readFileSync(path, 'utf8')));
  // A Swagger 2.0 document has these two objects.
  const { paths, definitions } = document as Record<'paths' | 'definitions', Record<string, Json>>;
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      area,
      method: method.toUpperCase(),
      path: template,
      query: parametersOf(operation).flatMap((each) =>
        each['in'] === 'query' ? [String(each['name'])] : [],
      ),
      parameters: parametersOf(operation),
      // Every operation has responses.
      responses: (operation as { readonly responses: Record<string, Json> }).responses,
      models: modelsIn(operation),
      steps: stepsIn(operation),
    })),
  );
  return { area, operations, definitions, text: JSON.stringify(document) };
}

function parametersOf(operation: unknown): readonly Json[] {
  return isRecord(operation) ? recordsIn(operation['parameters']) : [];
}

/**
 * `- Replace firstName and lastName`, `- Add, replace and remove BankAccount`, `- Set IsTemplate`,
 * `- Replace / Remove Description`, `- Add unit attribute`
 */
function stepsIn(operation: unknown): ReadonlyMap<string, readonly string[]> {
  const text = isRecord(operation) ? String(operation['description']) : '';
  const rules = text.matchAll(
    /^- ((?:(?:add|and|remove|replace|set|\/),? )+)(?:unit )?(\w+)(?: and (\w+))?/gim,
  );
  const steps = new Map<string, readonly string[]>();
  for (const [, verbs = '', ...fields] of rules) {
    const named = verbs.toLowerCase().match(/add|replace|remove|set/g) ?? [];
    const ops = named.flatMap((verb) => (verb === 'set' ? ['add', 'replace'] : [verb]));
    for (const field of fields) {
      if (field === undefined) continue;
      // One attribute is added to, or removed from, the list of the unit.
      const name = field === 'attribute' ? 'attributes' : field.toLowerCase();
      steps.set(name, [...(steps.get(name) ?? []), ...ops]);
    }
  }
  return steps;
}

/** Names of the models that a part of a document refers to. */
export function modelsIn(part: unknown): readonly string[] {
  const references = JSON.stringify(part).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g);
  return [...references].map(([, name = '']) => name);
}

/**
 * Corrects errors of the documents: a patch may set any value, not only objects; examples are values, not JSON
 * texts, and the counts of lists are right; responses are JSON only. The service
 * rejects unknown fields and returns no others, which one document declares for each model and the
 * other for none.
 */
function corrected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(corrected);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, correctedField(name, each)] as const);
  const isModel = value['type'] === 'object' && isRecord(value['properties']);
  return { ...(isModel ? { additionalProperties: false } : {}), ...Object.fromEntries(fields) };
}

function correctedField(name: string, value: unknown): unknown {
  if (name === 'example') return counted(typeof value === 'string' ? JSON.parse(value) : value);
  if (name === 'produces' || name === 'consumes') return ['application/json'];
  if (name === 'Operation' && isRecord(value)) return withAnyValue(value);
  return corrected(value);
}

/** Some examples of lists have a wrong count. */
function counted(example: unknown): unknown {
  if (!isRecord(example) || example['count'] === undefined) return example;
  const list = Object.values(example).find(Array.isArray);
  return list === undefined ? example : { ...example, count: list.length };
}

function withAnyValue(operation: Json): unknown {
  const { properties, ...rest } = operation;
  return corrected({ ...rest, properties: { ...(isRecord(properties) ? properties : {}), value: {} } });
}
