import { isRecord } from '../../src/model/records.ts';

type Json = Readonly<Record<string, unknown>>;

/** A body, and what was done to it. */
export interface Variant {
  /** `location.regionCode: longer than 6` */
  readonly what: string;
  readonly body: unknown;
}

/** Variants of a valid body, by its model. */
export interface Variants {
  readonly refused: readonly Variant[];
  readonly accepted: readonly Variant[];
}

/**
 * What a model says of a body: without an optional field, or with null where it is allowed, it is accepted; without a required
 * field, with an unknown one, or with a value beyond a limit it is refused.
 *
 * @param body valid, with every field of the model.
 */
export function variantsOf(
  body: unknown,
  model: string,
  definitions: Readonly<Record<string, Json>>,
): Variants {
  const refused: Variant[] = [];
  const accepted: Variant[] = [];
  visit(body, { $ref: `#/definitions/${model}` }, [], (changed) => changed);
  return { refused, accepted };

  /** @param put makes a body of a changed part. */
  function visit(
    value: unknown,
    schema: unknown,
    path: readonly string[],
    put: (part: unknown) => unknown,
  ): void {
    const { properties, items, required, ...limits } = resolved(schema, definitions);
    const note = (list: Variant[], what: string, part: unknown, at: readonly string[] = path) =>
      list.push({ what: `${at.join('.')}: ${what}`, body: put(part) });
    for (const [what, wrong] of beyond(limits, value)) note(refused, what, wrong);
    if (Array.isArray(value) && isRecord(items)) {
      note(refused, 'no list', { 0: value[0] });
      if (value.length > 0) visit(value[0], items, [...path, '0'], (part) => put([part, ...value.slice(1)]));
      return;
    }
    if (!isRecord(value) || !isRecord(properties)) return;
    note(refused, 'an unknown field', { ...value, stars: 5 });
    for (const [name, field] of Object.entries(properties)) {
      const { [name]: inner, ...others } = value;
      const isRequired = Array.isArray(required) && required.includes(name);
      const at = [...path, name];
      note(isRequired ? refused : accepted, 'left out', others, at);
      const isNullable = resolved(field, definitions)['x-nullable'] === true;
      if (isNullable) note(accepted, 'null', { ...value, [name]: null }, at);
      else note(refused, 'null', { ...value, [name]: null }, at);
      visit(inner, field, at, (part) => put({ ...value, [name]: part }));
    }
  }
}

function resolved(schema: unknown, definitions: Readonly<Record<string, Json>>): Json {
  if (!isRecord(schema)) return {};
  const name = /^#\/definitions\/(.+)$/.exec(String(schema['$ref']))?.[1];
  return name === undefined ? schema : (definitions[name] ?? {});
}

/** Values that are just not allowed, each with a name. */
function* beyond(limits: Json, value: unknown): Generator<readonly [what: string, value: unknown]> {
  const { type, minLength, maxLength, pattern, minimum, maximum } = limits;
  if (Array.isArray(limits['enum'])) yield ['not in the enum', 'Nope'];
  if (type === 'string') yield ['a number', 7];
  if (type === 'object') yield ['a list', [value]];
  if (type === 'integer') yield* [['a fraction', 1.5] as const, ['a text', '2'] as const];
  if (type === 'boolean') yield ['a text', 'true'];
  if (typeof minLength === 'number' && minLength > 0)
    yield [`shorter than ${minLength}`, String(value).slice(0, minLength - 1)];
  if (typeof maxLength === 'number') yield [`longer than ${maxLength}`, 'A'.repeat(maxLength + 1)];
  if (typeof pattern === 'string') yield [`not ${pattern}`, 'A-B'];
  if (typeof minimum === 'number') yield [`less than ${minimum}`, minimum - 1];
  if (typeof maximum === 'number') yield [`more than ${maximum}`, maximum + 1];
}
