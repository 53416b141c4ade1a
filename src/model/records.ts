import { CliError } from '../cli/errors.ts';

/** One thing the service stores, snake_case where a field is known, otherwise as it came. */
export type ServiceRecord = Readonly<Record<string, unknown>>;

/** One page of a list as it arrives. */
export interface Page {
  readonly items: readonly ServiceRecord[];
  /** How many records the service says there are in all; `undefined` where it does not say. */
  readonly total: number | undefined;
  /** Records remain after this page that this list will not bring: `--limit` cut it. */
  readonly truncated: boolean;
  /** The service's own number for the request that brought it, where it gave one. */
  readonly requestId?: string | undefined;
  /** The whole list, where the service sends it at once; `items` are what was asked for. */
  readonly whole?: readonly ServiceRecord[];
}

type WithoutHoles<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Removes the fields that are `undefined`. */
export function withoutHoles<Values extends object>(values: Values): WithoutHoles<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // What has a value is as it was.
  return Object.fromEntries(entries) as WithoutHoles<Values>;
}

/** A list that is known as a whole, as its only page. */
export async function* onePage(items: readonly ServiceRecord[]): AsyncGenerator<Page> {
  yield { items, total: items.length, truncated: false };
}

const PAGE = 1_000;

/** Pages of what is known as a whole, whose records are made page by page. */
export async function* pagesOf<Each>(
  all: readonly Each[],
  toRecord: (each: Each, index: number) => ServiceRecord,
): AsyncGenerator<Page> {
  for (let start = 0; start === 0 || start < all.length; start += PAGE) {
    const items = all.slice(start, start + PAGE).map((each, index) => toRecord(each, start + index));
    yield { items, total: all.length, truncated: false };
  }
}

/** Narrows to an object of names and values: no array, not null. */
export function isRecord(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of names, or `undefined`. */
export function valueAt(record: ServiceRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    record,
  );
}

/** The items by a key, in the order in which the keys first occur. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Whether two lists are equal as sets. */
export function isSameSet(some: Iterable<unknown>, others: Iterable<unknown>): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((each) => other.has(each));
}

/** The one list of a document, and the document with other entries in it. */
export interface ListDocument {
  readonly items: readonly unknown[];
  with(items: readonly unknown[]): unknown;
}

/**
 * Finds the list that a document is: a bare array, or an object with exactly one, under `items` or beside nothing but
 * counts and the like. A record that has a list among its texts is none.
 */
export function listIn(document: unknown): ListDocument | undefined {
  const found = onlyListIn(document);
  if (!isRecord(document) || Array.isArray(document['items'])) return found;
  return Object.values(document).some((value) => typeof value === 'string') ? undefined : found;
}

/** Finds the one list of a document, whatever stands beside it. */
export function onlyListIn(document: unknown): ListDocument | undefined {
  if (Array.isArray(document)) return { items: document, with: (items) => items };
  if (!isRecord(document)) return undefined;
  const lists = Object.entries(document).flatMap(([key, value]) =>
    Array.isArray(value) ? [{ key, items: value }] : [],
  );
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  return { items: list.items, with: (all) => ({ ...document, [list.key]: all }) };
}

/** Code units of JSON: 100,000 plain records have fewer. */
const MOST_HELD = 48 * 1_048_576;

/** What a number, a name or a bracket counts for; each is an object or a field in memory. */
const PART = 4;

/** An estimate of the memory of a JSON value: the length of its texts, and a constant for each part. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return PART + value.length;
  if (typeof value !== 'object' || value === null) return PART;
  let weight = PART;
  if (Array.isArray(value)) {
    for (const each of value) weight += weightOf(each);
    return weight;
  }
  // What comes from JSON is a record of names to values; pairs of both would be made for every field of a long list.
  const fields = value as ServiceRecord;
  for (const name of Object.keys(fields)) weight += name.length + weightOf(fields[name]);
  return weight;
}

/**
 * Counts what of a list is held until its end.
 *
 * @returns to be given everything that is held. @throws {CliError} `endless_list` when it becomes too much.
 */
export function createHold(): (value: unknown) => void {
  let weight = 0;
  return (value) => {
    weight += weightOf(value);
    if (weight <= MOST_HELD) return;
    throw new CliError(
      'endless_list',
      `The list is longer than ${MOST_HELD / 1_048_576} MiB: no more of it is held in memory.`,
      {
        hint: 'Have each record printed as it comes, with -o ndjson, or ask for a part of them, with --limit.',
      },
    );
  };
}
