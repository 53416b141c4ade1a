import type { Method } from '../transport.ts';
import type { Dialect } from './dialects/dialect.ts';
import { type Operation, type OperationId, operations } from './operations.ts';

/** What a path names. */
export interface Addressed {
  readonly area: Operation['area'];
  /** The row of the contract that this request is, if it is one. */
  readonly operation: Operation | undefined;
  readonly operationId: OperationId | undefined;
  /**
   * What may be the id of a record, decoded: what stands in the placeholders of the contract; in a path that is none of
   * the contract's, everything behind the collection. Guards read it.
   */
  readonly ids: readonly string[];
}

/** Before it stand the names of area, version and collection, where a path is built like that. */
const FIRST_ID = 3;

/**
 * Reads a path as the service may: letters of the fixed parts in any case, encodings of encodings undone.
 *
 * @param path from the root, without a query.
 */
export function addressed(method: Method, path: string, dialect: Dialect): Addressed {
  const segments = segmentsIn(path);
  const match = matchOf(method, segments, dialect);
  const named = match?.values ?? segments.slice(isVersioned(segments) ? FIRST_ID : 0);
  return {
    area: segments[0]?.toLowerCase() === 'api' ? 'identity' : 'inventory',
    operation: match && operations[match.id],
    operationId: match?.id,
    ids: named,
  };
}

/**
 * Every value of a query that may be the id of a record, and every entry of one that may be a list, decoded. A plus is
 * read as itself and as a blank.
 *
 * @param query without the question mark, encoded or not.
 */
export function idsInQuery(query: string): readonly string[] {
  const values = query.split('&').map((pair) => decodeFully(pair.slice(pair.indexOf('=') + 1)));
  const entries = values.flatMap((value) => [value, ...value.split(/[,;|/\s]/)]);
  return entries
    .flatMap((entry) => [entry, entry.replaceAll('+', ' ')])
    .map((entry) => entry.trim())
    .filter((entry, index, all) => entry !== '' && all.indexOf(entry) === index);
}

function isVersioned([, version = '']: readonly string[]): boolean {
  return /^v\d+$/i.test(version);
}

/** The segments of a path, each decoded until nothing is left to decode: what is encoded twice hides nothing. */
export function segmentsIn(path: string): readonly string[] {
  return path.split('/').slice(1).map(decodeFully);
}

function decodeFully(text: string): string {
  let before = text;
  for (;;) {
    const after = before.replace(/(?:%[\da-f]{2})+/gi, decodeLeniently);
    if (after === before) return after;
    before = after;
  }
}

function decodeLeniently(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // No UTF-8: it stays as it is, and is no id that anybody has.
    return encoded;
  }
}

interface Match {
  readonly id: OperationId;
  /** What stands in the place of the placeholders. */
  readonly values: readonly string[];
}

/** Where several fit, the one with the fewest placeholders: `/properties/$count` is no property. */
function matchOf(method: Method, segments: readonly string[], dialect: Dialect): Match | undefined {
  // The keys of the table are the ids by definition.
  const ids = Object.keys(operations) as OperationId[];
  const matches = ids
    .filter((id) => operations[id].method === method)
    .flatMap((id) => {
      const template = dialect.path(id).split('/').slice(1);
      return fits(template, segments)
        ? [{ id, values: segments.filter((_, index) => isPlaceholder(template[index])) }]
        : [];
    });
  return matches.sort((a, b) => a.values.length - b.values.length)[0];
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => isPlaceholder(part) || isSame(part, segments[index]))
  );
}

function isPlaceholder(part: string | undefined): boolean {
  return part?.startsWith('{') === true;
}

function isSame(part: string, segment: string | undefined): boolean {
  return part.toLowerCase() === segment?.toLowerCase();
}
