import { hasMoreParts } from '../json-text.ts';

/** Deeper answers are refused: nothing that the service stores is nested like that. */
const MAX_DEPTH = 100;

/** An empty object is two bytes on the wire and a hundred times as much in memory. A page of 500 properties has 30,000. */
const LEAST_MAX_PARTS = 300_000;

/** Whoever lets longer answers in (--max-body) lets more parts in: as many as there are to the default length, 8 MiB. */
const CHARACTERS_A_PART = 28;

/** So many parts are counted at once. */
const STEP = 1_000;

/**
 * Why a JSON text is not worth parsing, as a noun; `undefined` when it is. The parser would hold hundreds of megabytes for
 * eight.
 *
 * @param json whatever it is otherwise, well-formed or not.
 */
export function problemOf(json: string): string | undefined {
  const most = Math.max(LEAST_MAX_PARTS, Math.floor(json.length / CHARACTERS_A_PART));
  const isTooMuch = mayHaveMoreParts(json, most) && hasMoreParts(json, most);
  return isTooMuch ? `JSON of more than ${most} parts` : undefined;
}

/** Counts those within texts too, and so needs no loop of our own over every long answer. */
function mayHaveMoreParts(json: string, most: number): boolean {
  if (json.length <= most) return false;
  const thousand = /(?:[^,[{]*[,[{]){1000}/y;
  let parts = 0;
  while (parts <= most && thousand.test(json)) parts += STEP;
  return parts + STEP > most;
}

/** What a look into a JSON value tells. */
export interface JsonShape {
  /** Why it is not worth reading, as a noun; `undefined` when it is. */
  readonly problem: string | undefined;
  /** Whether a number in it is so large that it may not be held exactly. */
  readonly hasLongNumbers: boolean;
}

/** Looks into what JSON.parse gave: every answer passes, and a value is gone through faster than its text. */
export function shapeOf(value: unknown): JsonShape {
  const found = { isDeep: false, hasLongNumbers: false };
  look(value, 1, found);
  const problem = found.isDeep ? `JSON nested deeper than ${MAX_DEPTH}` : undefined;
  return { problem, hasLongNumbers: found.hasLongNumbers };
}

type Found = { -readonly [Name in 'isDeep' | 'hasLongNumbers']: boolean };

function look(value: unknown, depth: number, found: Found): void {
  if (typeof value === 'number') found.hasLongNumbers ||= Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) found.isDeep = true;
  else if (Array.isArray(value)) for (const entry of value) look(entry, depth + 1, found);
  else lookAtFields(value as Readonly<Record<string, unknown>>, depth + 1, found);
}

function lookAtFields(fields: Readonly<Record<string, unknown>>, depth: number, found: Found): void {
  // Not over the names as a list, which would be made for each record; what comes from JSON inherits none.
  for (const name in fields) {
    const value = fields[name];
    if (typeof value !== 'string') look(value, depth, found);
  }
}
