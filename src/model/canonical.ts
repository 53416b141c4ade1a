import { hash } from 'node:crypto';

/** The canonical JSON of a value, and its digest. */
export interface Canonical {
  readonly text: string;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** Computes both. */
export function canonicalOf(value: unknown): Canonical {
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
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each) ?? 'null').join(',')}]`;
  let members = '';
  for (const name of sortedNames(value)) {
    // The names are its own.
    const text = textOf((value as Record<string, unknown>)[name]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${quoted(name)}:${text}`;
  }
  return `{${members}}`;
}

/** Like JSON.stringify, which takes longer for a text without escapes. */
function quoted(text: string): string {
  return /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

function sortedNames(object: object): readonly string[] {
  const names = Object.keys(object).sort();
  if (!names.some(beginsWithDigit)) return names;
  // An object has integer names first, by size.
  return Object.keys(Object.fromEntries(names.map((name) => [name, true])));
}

function beginsWithDigit(name: string): boolean {
  const unit = name.charCodeAt(0);
  return unit >= 0x30 && unit <= 0x39;
}
