import { nearest } from '../model/names.ts';
import { isRecord } from '../model/records.ts';
import type { Kind, Place } from './entry.ts';
import { isManifest, LEFT_OUT, lists } from './kind.ts';
import { shownName } from './names.ts';
import type { Problems } from './problems.ts';
import type { TextFormulas } from './read.ts';

/** An entry as a file has it; nothing of it is checked. */
export interface Raw {
  readonly place: Place;
  readonly value: unknown;
  /** Its kind, where the list or the header says so. */
  readonly kind?: Kind | undefined;
  /** It is no entry, but tells that the file lacks some. */
  readonly isGap?: boolean;
  /** The columns of its table, where others could not be read: nothing else is missed. */
  readonly known?: ReadonlySet<string> | undefined;
}

/** Where a value of a document stands; `undefined` where something else is told of it, and no more is to be. */
type PlaceOf = (path: readonly (string | number)[]) => Place | undefined;

/** The entries of a value, which is a manifest, an entry, or a list of entries. */
export function* entriesIn(value: unknown, placeOf: PlaceOf, problems: Problems): Generator<Raw> {
  if (Array.isArray(value)) {
    yield* inList(value, [], placeOf, undefined);
    return;
  }
  if (!isRecord(value) || !isManifest(value)) {
    const place = placeOf([]);
    if (place !== undefined) yield { place, value };
    return;
  }
  for (const [name, list] of Object.entries(value)) {
    const kind = lists.get(name);
    const reason = problemOf(name, list);
    const place = reason === undefined ? undefined : placeOf([name]);
    if (place !== undefined && reason !== undefined)
      problems.addAt(place, { field: shownName(name), reason });
    const gap = name === LEFT_OUT ? placeOf([name]) : undefined;
    if (gap !== undefined) yield { place: gap, value: list, isGap: true };
    if (kind !== undefined && Array.isArray(list)) yield* inList(list, [name], placeOf, kind);
  }
}

function* inList(
  list: readonly unknown[],
  path: readonly string[],
  placeOf: PlaceOf,
  kind: Kind | undefined,
): Generator<Raw> {
  for (const [index, value] of list.entries()) {
    const place = placeOf([...path, index]);
    if (place !== undefined) yield { place, value, kind };
  }
}

/** What is wrong with a part of a manifest, or `undefined`. An empty list may be left out or null. */
function problemOf(name: string, value: unknown): string | undefined {
  if (lists.has(name))
    return value === null || Array.isArray(value) ? undefined : 'must be a list of entries';
  if (name === LEFT_OUT) return Array.isArray(value) ? undefined : 'must be a list';
  if (name === '$schema') return typeof value === 'string' ? undefined : 'must be a text';
  const meant = nearest(name, [...lists.keys(), '$schema']);
  return `is no part of a manifest${meant === undefined ? `: it has ${[...lists.keys()].join(', ')}` : `: did you mean ${meant}?`}`;
}

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
