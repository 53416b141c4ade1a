/** One thing the service stores, snake_case where a field is known, otherwise as it came. */
export type ServiceRecord = Readonly<Record<string, unknown>>;

/** One page of a list as it arrives. */
export interface Page {
  readonly items: readonly ServiceRecord[];
  /** How many records the service says there are in all; `undefined` where it does not say. */
  readonly total: number | undefined;
  /** Records remain after this page that this list will not bring. `--limit` or `--page-number` cut it. */
  readonly truncated: boolean;
  /** The whole list, where the service sends it at once; `items` are what was asked for. */
  readonly whole?: readonly ServiceRecord[];
}

/** Narrows to an object of names and values: no array, not null. */
export function isRecord(value: unknown): value is ServiceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
