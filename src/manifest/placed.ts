import type { Kind } from './entry.ts';
import { entriesIn, type PlaceOf, type Raw } from './grammar.ts';
import type { Problems } from './problems.ts';
import type { TextFormulas } from './text-formulas.ts';

/** A file of a manifest, read as far as its bytes. */
export interface SourceFile {
  /** How messages name it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a source of entries may need besides its file. */
export interface Reading {
  readonly problems: Problems;
  readonly formulas: TextFormulas;
  readonly signal: AbortSignal;
  readonly only: Kind | undefined;
}

/** A value of a text, and the line at which each part of it stands, from 1. */
export interface PlacedValue {
  readonly value: unknown;
  readonly lineOf: (path: readonly (string | number)[]) => number;
  /** Whether it is told already that something there cannot be read. Default: nothing is. */
  readonly isTold?: (path: readonly (string | number)[]) => boolean;
}

/** The entries of a placed value. */
export function entriesOf(
  { value, lineOf, isTold = () => false }: PlacedValue,
  file: string,
  problems: Problems,
): Iterable<Raw> {
  const placeOf: PlaceOf = (path) =>
    isTold(path) ? undefined : { file, unit: 'line', number: lineOf(path) };
  return entriesIn(value, placeOf, problems);
}
