import { nearest } from '../checks/nearest.ts';
import { isRecord } from '../records.ts';
import type { Kind, Place } from './entry.ts';
import { isManifest, lists } from './kind.ts';
import { shownName } from './names.ts';
import type { Problems } from './problems.ts';

/** An entry as a file has it; nothing of it is checked. */
export interface Raw {
  readonly place: Place;
  readonly value: unknown;
  /** Its kind, where the list or the header says so. */
  readonly kind?: Kind | undefined;
  /** The columns of its table, where others could not be read: nothing else is missed. */
  readonly known?: ReadonlySet<string> | undefined;
}

/** Where a value of a document stands. */
export type PlaceOf = (path: readonly (string | number)[]) => Place;

/** The entries of a value, which is a manifest, an entry, or a list of entries. */
export function* entriesIn(value: unknown, placeOf: PlaceOf, problems: Problems): Generator<Raw> {
  if (Array.isArray(value)) {
    yield* inList(value, [], placeOf, undefined);
    return;
  }
  if (!isRecord(value) || !isManifest(value)) {
    yield { place: placeOf([]), value };
    return;
  }
  for (const [name, list] of Object.entries(value)) {
    const kind = lists.get(name);
    const problem = problemOf(name, list);
    if (problem !== undefined) problems.addAt(placeOf([name]), { field: shownName(name), reason: problem });
    if (kind !== undefined && Array.isArray(list)) yield* inList(list, [name], placeOf, kind);
  }
}

function* inList(
  list: readonly unknown[],
  path: readonly string[],
  placeOf: PlaceOf,
  kind: Kind | undefined,
): Generator<Raw> {
  for (const [index, value] of list.entries()) yield { place: placeOf([...path, index]), value, kind };
}

/** What is wrong with a part of a manifest, or `undefined`. An empty list may be left out or null. */
function problemOf(name: string, value: unknown): string | undefined {
  if (lists.has(name))
    return value === null || Array.isArray(value) ? undefined : 'must be a list of entries';
  if (name === '$schema') return typeof value === 'string' ? undefined : 'must be a text';
  const meant = nearest(name, [...lists.keys(), '$schema']);
  return `is no part of a manifest${meant === undefined ? `: it has ${[...lists.keys()].join(', ')}` : `: did you mean ${meant}?`}`;
}
