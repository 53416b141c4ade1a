import * as v from 'valibot';

/** A schema that takes no list: to valibot a list is an object, too, and would be stored as one. */
export function mapping<T extends v.GenericSchema<Record<string, unknown>, unknown>>(schema: T) {
  return v.pipe(v.custom<v.InferInput<T>>(isMapping), schema);
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
