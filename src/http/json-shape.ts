import { endOfText } from '../json-text.ts';

/** Deeper answers are refused: nothing that the service stores is nested like that. */
const MAX_DEPTH = 100;

/** An empty object is two bytes on the wire and a hundred times as much in memory. A page of 500 properties has 30,000. */
const LEAST_MAX_PARTS = 300_000;

/** Whoever lets longer answers in (--max-body) lets more parts in: as many as there are to the default length, 8 MiB. */
const CHARACTERS_A_PART = 28;

/**
 * Why a JSON text is not worth reading, as a noun; `undefined` when it is. It is looked at before it is parsed: the
 * parser would hold hundreds of megabytes for eight.
 *
 * @param json whatever it is otherwise, well-formed or not.
 */
export function shapeProblem(json: string): string | undefined {
  const maxParts = Math.max(LEAST_MAX_PARTS, Math.floor(json.length / CHARACTERS_A_PART));
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json[at];
    if (unit === '"') at = endOfText(json, at) - 1;
    if (unit === ',' || unit === '[' || unit === '{') parts += 1;
    if (unit === '[' || unit === '{') depth += 1;
    if (unit === ']' || unit === '}') depth -= 1;
    if (depth > MAX_DEPTH) return `JSON nested deeper than ${MAX_DEPTH}`;
    if (parts > maxParts) return `JSON of more than ${maxParts} parts`;
  }
  return undefined;
}
