import { invalid } from './refusal.ts';

/** The values of a list parameter under any of its names, given repeatedly, comma-separated or both. */
export function listParameter(query: URLSearchParams, ...names: readonly string[]): readonly string[] {
  return names
    .flatMap((name) => query.getAll(name))
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** The value of a parameter under the first of its names that is given. */
export function parameter(query: URLSearchParams, ...names: readonly string[]): string | undefined {
  const given = names.find((name) => query.has(name));
  return given === undefined ? undefined : (query.get(given) ?? undefined);
}

/** A true-or-false parameter; `undefined` when it is not given. */
export function flagParameter(query: URLSearchParams, ...names: readonly string[]): boolean | undefined {
  const value = parameter(query, ...names);
  if (value === undefined) return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid([{ field: names[0] ?? '', reason: `${JSON.stringify(value)} is neither true nor false` }]);
}

export interface PagingNames {
  readonly size: readonly [string, ...string[]];
  readonly number: readonly [string, ...string[]];
}

/** The requested page of the items. A size over the most is cut to it without a word, as the real service does. */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  { names, most }: { readonly names: PagingNames; readonly most: number },
): readonly T[] {
  const size = Math.min(countParameter(query, names.size) ?? most, most);
  const number = countParameter(query, names.number) ?? 1;
  return items.slice((number - 1) * size, number * size);
}

function countParameter(query: URLSearchParams, names: readonly [string, ...string[]]): number | undefined {
  const value = parameter(query, ...names);
  if (value === undefined) return undefined;
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count) && count >= 1) return count;
  throw invalid([
    { field: names[0], reason: `${JSON.stringify(value)} is not a whole number of at least 1` },
  ]);
}
