import { statedDelimiter } from '../files/stated-delimiter.ts';
import type { Language } from './files.ts';
import { fieldsOf } from './names.ts';

/** As much of a text as tells what it is. */
const LOOKED_AT = 1_048_576;

/** What a text without a name is written in: told by its first line. */
export function tellLanguage(bytes: Uint8Array): Language {
  const text = new TextDecoder().decode(bytes.subarray(0, LOOKED_AT)).trimStart();
  const [first = '', ...rest] = text.split(/\r\n|\n|\r/);
  if (/^[[{]/.test(text)) return isJson(first) && rest.some((line) => line.trim() !== '') ? 'ndjson' : 'json';
  return statedDelimiter(first) !== undefined || isHeader(first) ? 'csv' : 'yaml';
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** No YAML begins with words between commas, semicolons or tabs; a single word is a header where it names a field. */
function isHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const isPlain = cells.every((cell) => /^[\p{L}\p{N}_][\p{L}\p{N}_.@+ -]*$/u.test(cell));
  const [only = ''] = cells;
  return cells.length > 1 ? isPlain : Object.values(fieldsOf).some((fields) => fields.includes(only));
}
