import type { Kind } from './entry.ts';
import { entriesIn, type Raw } from './grammar.ts';
import type { Problems } from './problems.ts';

/** A file of a manifest, read as far as its bytes. */
export interface SourceFile {
  /** How messages name it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a source of entries may need besides its file. */
export interface Reading {
  readonly problems: Problems;
  readonly signal: AbortSignal;
  readonly only: Kind | undefined;
}

/** A value of a text, and the line at which each part of it stands, from 1. */
export interface PlacedValue {
  readonly value: unknown;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** The entries of a placed value. */
export function entriesOf({ value, lineOf }: PlacedValue, file: string, problems: Problems): Iterable<Raw> {
  return entriesIn(value, (path) => ({ file, unit: 'line', number: lineOf(path) }), problems);
}
