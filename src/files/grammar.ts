import type { Path } from '../fs/yaml.ts';
import type { Kind } from '../model/kinds.ts';
import { isRecord, valueAt } from '../model/records.ts';
import { guess } from '../model/text.ts';
import type { Headers } from './columns.ts';
import type { Place, PlaceProblem } from './entry.ts';
import { isManifest, LEFT_OUT, lists, nestedLists, shownName } from './names.ts';
import type { Problems } from './problems.ts';

/** An entry as a file has it; nothing of it is checked. */
export interface Raw {
  readonly place: Place;
  readonly value: unknown;
  /** Its kind, where the list or the header states it. */
  readonly kind?: Kind | undefined;
  /** Of a row of a workbook, its cells by their columns. */
  readonly cells?: ReadonlyMap<string, string> | undefined;
  /** Fields of a row that were reported: nothing else is said of them. */
  readonly damaged?: readonly (string | undefined)[];
  /** Those of its header that are right, if others are wrong: only these can be missing. */
  readonly columns?: readonly string[] | undefined;
  /** Where a field of it is. Default: all are at `place`. */
  readonly placeOf?: Document['placeOf'];
}

/** A problem that names the cell of its field, if that is known. */
export function withCell(problem: PlaceProblem, cells: Raw['cells']): PlaceProblem {
  const cell = cells?.get(problem.field ?? '');
  return cell === undefined ? problem : { ...problem, field: `${problem.field} (${cell})` };
}

/** Whether a problem is not told already: by the damaged cell, or by the header that lacks a column. */
export function isNew({ field = '', beyond }: PlaceProblem, { damaged = [], columns, value }: Raw): boolean {
  const isGiven = isRecord(value) && field !== '' && valueAt(value, field.split('.')) !== undefined;
  return (
    (columns === undefined || columns.includes(field) || isGiven || beyond !== undefined) &&
    !damaged.some((each) => `${each}.`.startsWith(`${field}.`))
  );
}

/** One document of a file. */
export interface Document {
  readonly value: unknown;
  readonly placeOf: (path: Path) => Place;
}

const NOT_WHOLE =
  'names what this export lacks, and --prune could delete it: export again, or take the line out';

/** The entries of a document, which is a manifest, an entry, or a list of entries. */
export function* entriesIn(
  { value, placeOf }: Document,
  { problems, prune }: Pick<Reading, 'problems' | 'prune'>,
): Generator<Raw> {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries())
      yield* unnested({ place: placeOf([index]), value: entry }, at(placeOf, index), problems);
    return;
  }
  if (!isRecord(value) || !isManifest(value)) {
    yield* unnested({ place: placeOf([]), value }, placeOf, problems);
    return;
  }
  for (const [name, list] of Object.entries(value)) {
    const reason = problemOf(name, list);
    if (reason !== undefined) problems.addAt(placeOf([name]), { field: shownName(name), reason });
    if (name === LEFT_OUT && prune) problems.addAt(placeOf([name]), { field: name, reason: NOT_WHOLE });
    const kind = lists.get(name);
    if (kind === undefined || !Array.isArray(list)) continue;
    for (const [index, entry] of list.entries()) {
      const raw = { place: placeOf([name, index]), value: entry, kind };
      yield* unnested(raw, at(placeOf, name, index), problems);
    }
  }
}

/** Finds places below a path. */
function at(placeOf: Document['placeOf'], ...above: Path): Document['placeOf'] {
  return (path) => placeOf([...above, ...path]);
}

/** An entry, and after a property the unit groups and units that it has inside. */
function* unnested(
  { value, ...rest }: Raw,
  placeOf: Document['placeOf'],
  problems: Problems,
): Generator<Raw> {
  const raw = { ...rest, placeOf };
  const isProperty =
    raw.kind === 'property' || (raw.kind === undefined && isRecord(value) && 'code' in value);
  if (!isProperty || !isRecord(value)) {
    yield { ...raw, value };
    return;
  }
  const own = Object.entries(value).filter(([name]) => !nestedLists.has(name));
  yield { ...raw, value: Object.fromEntries(own) };
  for (const [name, kind] of nestedLists) {
    const list = value[name] ?? [];
    if (!Array.isArray(list))
      problems.addAt(placeOf([name]), { field: name, reason: 'must be a list of entries' });
    else
      for (const [index, inner] of list.entries())
        yield* inside(
          { place: placeOf([name, index]), placeOf: at(placeOf, name, index), value: inner, kind },
          value['code'],
          problems,
        );
  }
}

/** An entry of a list inside a property, with the code of that property. */
function* inside({ value, ...raw }: Raw, code: unknown, problems: Problems): Generator<Raw> {
  if (isRecord(value) && Object.hasOwn(value, 'property'))
    problems.addAt(raw.place, { field: 'property', reason: `is the one around it: leave it out` });
  else yield { ...raw, value: isRecord(value) ? { property: code, ...value } : value };
}

/** What is wrong with a part of a manifest, or `undefined`. An empty list may be left out or null. */
function problemOf(name: string, value: unknown): string | undefined {
  if (lists.has(name))
    return value === null || Array.isArray(value) ? undefined : 'must be a list of entries';
  if (name === LEFT_OUT) return Array.isArray(value) ? undefined : 'must be a list';
  if (name === '$schema') return typeof value === 'string' ? undefined : 'must be a text';
  return `is not part of a manifest${guess(name, [...lists.keys(), '$schema'], `it has ${[...lists.keys()].join(', ')}`)}`;
}

/** What a source of entries may need besides its file. */
export interface Reading {
  readonly problems: Problems;
  /** The headers of tables. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly warn: (sentence: string) => Promise<void>;
  /** Hidden rows and columns of workbooks are read, too. */
  readonly hidden?: boolean | undefined;
  /** The row of the header of tables, from 1. Default: the first one that is plainly a header. */
  readonly headerRow?: number | undefined;
  /** Records that are missing in the files are deleted, so a file that states gaps is refused. */
  readonly prune: boolean;
}
