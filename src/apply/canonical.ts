import { createHash } from 'node:crypto';

/** JSON with the names of every object sorted: two values that mean the same have one text. */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

/** SHA-256 of the canonical JSON, in hex. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
