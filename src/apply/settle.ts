import type { Api } from '../api/api.ts';
import { Interruption } from '../context.ts';
import { CliError } from '../errors.ts';
import type { ServiceRecord } from '../records.ts';

/** What settling needs of the service. */
export type Properties = Pick<Api['properties'], 'list' | 'get'>;

const EVERY = { limit: Number.POSITIVE_INFINITY };

/**
 * Looks once for properties whose creation was left without an answer: by the code where the list shows it, else by
 * reading the one whose id is the code.
 *
 * @returns ids by code, in small letters. What cannot be read or is there twice is not among them.
 */
export async function findCreated(
  codes: readonly string[],
  properties: Properties,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(codes.map((code) => code.toLowerCase()));
  const found = new Map<string, Set<string>>();
  try {
    for await (const { items } of properties.list({}, EVERY)) {
      for (const record of items) {
        const id = textIn(record, 'id');
        const code = id === undefined ? undefined : await codeOf(record, id, wanted, properties);
        if (id === undefined || code === undefined || !wanted.has(code)) continue;
        found.set(code, (found.get(code) ?? new Set()).add(id));
      }
    }
  } catch (cause) {
    // What cannot be read settles nothing, and what was not settled is told as such.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    return new Map();
  }
  return new Map([...found].flatMap(([code, ids]) => (ids.size === 1 ? [[code, [...ids].join()]] : [])));
}

async function codeOf(
  listed: ServiceRecord,
  id: string,
  wanted: ReadonlySet<string>,
  properties: Properties,
): Promise<string | undefined> {
  const shown = textIn(listed, 'code');
  if (shown !== undefined || !wanted.has(id.toLowerCase())) return shown?.toLowerCase();
  return textIn(await properties.get(id, {}), 'code')?.toLowerCase();
}

function textIn(record: ServiceRecord, field: string): string | undefined {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
