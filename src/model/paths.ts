import type { ServiceRecord } from './records.ts';

/** The value at a dotted path such as `location.city` or `properties.0`, or `undefined`. */
export function valueAt(value: unknown, path: string): unknown {
  return path.includes('.') ? path.split('.').reduce(memberOf, value) : memberOf(value, path);
}

/** A member of a record by its name, or of an array by its index. */
export function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return isIndex(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a name in a path is an index. */
export function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name);
}

/** Narrows to a record or an array. */
export function isObject(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null;
}
