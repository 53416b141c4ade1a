import { hash } from 'node:crypto';
import { isRecord } from './records.ts';

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
  return JSON.stringify(sorted(value)) ?? 'null';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
