import { Ajv, type ValidateFunction } from 'ajv';
import { isRecord } from '../../src/model/records.ts';
import type { DescribedOperation, Description } from './prism-documents.ts';

type Json = Readonly<Record<string, unknown>>;

/** A response with its body decoded; `undefined` if it is empty. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Formats of the documents. A date has whole seconds, as they say in words. */
const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  email: /^[^@\s]+@[^@\s]+$/,
  int32: { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 },
  int64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) },
} as const;

/**
 * Judges responses by the documents alone: a status must be listed, and a success must have exactly the body of its schema,
 * without an unknown field.
 */
export function createJudge(descriptions: readonly Description[]) {
  const schemas = descriptions.map(({ area, definitions }) => ({
    $id: area,
    definitions: inJsonSchema(definitions),
  }));
  // The reader of a schema rejects what it does not know.
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true, formats });
  for (const schema of schemas) ajv.addSchema(schema);
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = ({ area }: DescribedOperation, schema: unknown) => {
    const reference = refIn(schema);
    const known = validators.get(`${area}${reference}`) ?? ajv.compile({ $ref: `${area}${reference}` });
    validators.set(`${area}${reference}`, known);
    return known;
  };
  return (operation: DescribedOperation, { status, body }: Answered): readonly string[] => {
    const response = operation.responses[status];
    if (response === undefined) return [`the document does not list ${status}: ${JSON.stringify(body)}`];
    const { schema } = response;
    // A refusal without a schema may say why.
    if (schema === undefined) return body === undefined || status >= 400 ? [] : ['the body must be empty'];
    const isValid = validatorOf(operation, schema);
    if (isValid(body)) return [];
    return (isValid.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(' '),
    );
  };
}

function refIn(schema: unknown): string {
  const reference = isRecord(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string') throw new Error('a response without a model');
  return plain(reference);
}

/** A part of a Swagger document as JSON Schema: `x-nullable` becomes a type, names of models have no brackets. */
function inJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inJsonSchema);
  if (!isRecord(value)) return value;
  const { example: _, 'x-nullable': isNullable, ...rest } = value;
  const fields = Object.entries(rest).map(([name, each]) => [
    plain(name),
    name === '$ref' ? plain(String(each)) : inJsonSchema(each),
  ]);
  const schema: Json = Object.fromEntries(fields);
  if (isNullable !== true || schema['type'] === undefined) return schema;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(schema['enum']) ? { enum: [...schema['enum'], null] } : {}),
  };
}

function plain(name: string): string {
  return name.replaceAll(/[[\],]/g, '_');
}
