import { hash } from 'node:crypto';

/** The canonical JSON of a value, and its digest. */
export type Canonical = ReturnType<typeof canonicalOf>;

/** The canonical JSON of a value, and its SHA-256 in hex. */
export function canonicalOf(value: unknown) {
  const text = canonical(value);
  return { text, hash: hash('sha256', text, 'hex') };
}

/** SHA-256 of the canonical JSON, in hex. */
export function hashOf(value: unknown): string {
  return canonicalOf(value).hash;
}

/** JSON with sorted names: equal values have the same text. */
export function canonical(value: unknown): string {
  return textOf(value) ?? 'null';
}

/** `undefined` for values that JSON cannot represent. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each) ?? 'null').join(',')}]`;
  let members = '';
  for (const name of sortedNames(value)) {
    // The names are its own.
    const text = textOf((value as Record<string, unknown>)[name]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${text}`;
  }
  return `{${members}}`;
}

function sortedNames(object: object): readonly string[] {
  const names = Object.keys(object).sort();
  // An object has integer names first, by size.
  return names.some((name) => /^\d/.test(name))
    ? Object.keys(Object.fromEntries(names.map((name) => [name, true])))
    : names;
}
