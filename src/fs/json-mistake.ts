import { type ParseError, parse } from 'jsonc-parser';
import { messageOf } from '../cli/errors.ts';
import { isJson, isNestedDeeper } from '../model/json-text.ts';
import { DEEPEST, placeAt } from './document.ts';
import { FileProblem } from './read.ts';

/** Why JSON.parse refused a text: the first mistake and its place, without the piece of the text that the parser quotes. */
export function brokenJson(text: string, name: string, cause: unknown): FileProblem {
  // Searching for the place is recursive.
  if (isNestedDeeper(text, DEEPEST)) return new FileProblem(name, `is nested deeper than ${DEEPEST}`);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.every(isJson))
    return new FileProblem(name, 'holds several JSON texts; a file with one on each line ends in .ndjson');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  const reason = messageOf(cause)
    .replace(/(?: in JSON)? at position.*$/s, '')
    .replace(/, (?:\.{3})?"[\s\S]* is not valid JSON$/, '');
  const place = first === undefined ? {} : placeAt(text, first.offset);
  return new FileProblem(name, `is not valid JSON: ${reason}`, { ...place, cause });
}
