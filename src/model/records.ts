import { CliError } from './errors.ts';

/** One thing that the service stores. Known fields are in snake_case, others unchanged. */
export type ServiceRecord = Readonly<Record<string, unknown>>;

/** One page of a list. */
export interface Page {
  readonly items: readonly ServiceRecord[];
  /** The total number of records, if the service states it. */
  readonly total: number | undefined;
  /** Whether `--limit` cut off further records. */
  readonly truncated: boolean;
  /** The service's id of the request, if any. */
  readonly requestId?: string | undefined;
  /** With the first page the whole list, if the service sends it at once; `items` are wanted ones. Empty with further pages. */
  readonly whole?: readonly ServiceRecord[];
}

type WithoutHoles<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

/** Removes the fields that are `undefined`. */
export function withoutHoles<Values extends object>(values: Values): WithoutHoles<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // The other values are unchanged.
  return Object.fromEntries(entries) as WithoutHoles<Values>;
}

/** The parts of a list, each of a size at most. */
export function chunksOf<Each>(all: readonly Each[], size: number): readonly (readonly Each[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** A list as one page: complete, unless it is truncated. */
export async function* onePage(items: readonly ServiceRecord[], truncated = false): AsyncGenerator<Page> {
  yield { items, total: truncated ? undefined : items.length, truncated };
}

/** A complete list of what becomes records as one page. */
export function pagesOf<Each>(
  all: readonly Each[],
  toRecord: (each: Each, index: number) => ServiceRecord,
): AsyncGenerator<Page> {
  return onePage(all.map(toRecord));
}

/** Narrows to an object that is no array. */
export function isRecord(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, if it is a record; an empty one otherwise. */
export function recordOf(value: unknown): ServiceRecord {
  return isRecord(value) ? value : {};
}

/** The value at a path of names, or `undefined`. */
export function valueAt(record: ServiceRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    record,
  );
}

/** The items by a key, in the order in which the keys first occur. */
export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Whether two lists are equal as sets. */
export function isSameSet(some: Iterable<unknown>, others: Iterable<unknown>): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((each) => other.has(each));
}

/** The records in a list; empty for anything else. */
export function recordsIn(value: unknown): readonly ServiceRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The list of a document, and the document with other entries. */
export interface ListDocument {
  readonly items: readonly unknown[];
  with(items: readonly unknown[]): unknown;
}

/**
 * Finds the list of a document: a bare array, or an object with exactly one, under `items` or besides counts and the like. An
 * object with texts is a record.
 */
export function listIn(document: unknown): ListDocument | undefined {
  const found = onlyListIn(document);
  if (!isRecord(document) || Array.isArray(document['items'])) return found;
  return Object.values(document).some((value) => typeof value === 'string') ? undefined : found;
}

/** Finds the only list of a document, whatever else is in it. */
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

/** The weight of a number, a name or a bracket: an object or a field in memory. */
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
  // JSON makes records of names to values. Object.entries would create a pair for each field.
  const fields = value as ServiceRecord;
  for (const name of Object.keys(fields)) weight += name.length + weightOf(fields[name]);
  return weight;
}

/**
 * Limits the memory for a list that is kept until its end.
 *
 * @returns takes each value that is kept. @throws {CliError} `endless_list` when they are too much.
 */
export function memoryLimit(): (value: unknown) => void {
  let weight = 0;
  return (value) => {
    weight += weightOf(value);
    if (weight <= MOST_HELD) return;
    const sentence = `The list is longer than ${MOST_HELD / 1_048_576} MiB: no more of it is held in memory.`;
    const hint =
      'Have each record printed as it comes, with -o ndjson, or ask for a part of them, with --limit.';
    throw new CliError('endless_list', sentence, { hint });
  };
}

/** The entries of all pages. @param isHeld whether it is in memory anyway. @throws {CliError} `endless_list`. */
export async function allOf<Each, Item>(
  pages: AsyncIterable<Each>,
  itemsOf: (page: Each) => readonly Item[],
  isHeld: (page: Each) => boolean = () => false,
) {
  const all: Item[] = [];
  const claim = memoryLimit();
  for await (const page of pages) {
    const items = itemsOf(page);
    if (!isHeld(page)) claim(items);
    for (const item of items) all.push(item);
  }
  return all;
}

/** The value at a dotted path such as `location.city` or `properties.0`, or `undefined`. */
export function fieldAt(value: unknown, path: string): unknown {
  return path.includes('.') ? path.split('.').reduce(memberOf, value) : memberOf(value, path);
}

/** A member of a record by its name, or of an array by its index. */
export function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return isIndex(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether a name in a path is an index. */
export function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name);
}

/** Narrows to a record or an array. */
export function isObject(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null;
}
