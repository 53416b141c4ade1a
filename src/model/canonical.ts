import { hash } from 'node:crypto';

/** A value as its canonical JSON, and the digest of that: both are asked for more than once, and a body is long. */
export interface Canonical {
  readonly text: string;
  /** SHA-256, in hex. */
  readonly hash: string;
}

/** Makes the text of a value, and the digest of it. */
export function canonicalOf(value: unknown): Canonical {
  const text = canonical(value);
  return { text, hash: hash('sha256', text, 'hex') };
}

/** SHA-256 of the canonical JSON, in hex. */
export function hashOf(value: unknown): string {
  return canonicalOf(value).hash;
}

/** JSON with the names of every object sorted: two values that mean the same have one text. */
export function canonical(value: unknown): string {
  return textOf(value) ?? 'null';
}

/** `undefined` for what JSON has no word for. */
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

/** As JSON.stringify writes it, which takes longer for a text without anything to be escaped. */
function quoted(text: string): string {
  return /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

function sortedNames(object: object): readonly string[] {
  const names = Object.keys(object).sort();
  if (!names.some(beginsWithDigit)) return names;
  // As an object has them that is made of sorted names: whole numbers come first, by their size.
  return Object.keys(Object.fromEntries(names.map((name) => [name, true])));
}

function beginsWithDigit(name: string): boolean {
  const unit = name.charCodeAt(0);
  return unit >= 0x30 && unit <= 0x39;
}
