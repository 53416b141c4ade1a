import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Source } from '../cli/ports.ts';
import { isNestedDeeper, repeatedName } from '../model/json-text.ts';
import { quote } from '../model/text.ts';
import { inexactNumber } from '../model/values.ts';
import { decodeFile } from './decode.ts';
import { FileProblem, readInput } from './read.ts';
import type { PlainScalars } from './yaml.ts';

/** One record of a file, and the name under which messages speak of the file. */
export interface Document {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The text of a file, and whether it is JSON or YAML. */
interface NamedText {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

/** The value that a file holds, and the name under which messages speak of the file. */
interface NamedValue {
  readonly name: string;
  readonly value: unknown;
}

const LARGEST = 1_048_576;

/** Levels of lists and objects that a JSON text may have. */
const DEEPEST = 50;

/** Code units of a name that a sentence shows. */
const LONGEST_NAME = 60;

/**
 * Reads a file with one record: YAML 1.2 or JSON, by its ending; from stdin by its first character.
 * In YAML a plain scalar is its source text, except under `extra`.
 *
 * @param path `-` is stdin.
 * @param signal ends the reading with its reason.
 * @throws {SeveralRecords} when it holds a list, a table, several YAML documents, or several JSON texts, one a line.
 * @throws {CliError} exit 2 when it cannot be read or is not valid.
 */
export async function readDocument(path: string, stdin: Source, signal?: AbortSignal): Promise<Document> {
  const text = await readText(path, stdin, signal);
  if (isTable(text.text)) throw new SeveralRecords(`${text.name} is a table (CSV); one record is wanted.`);
  const { name, value } = await valueIn(text, 'text');
  if (Array.isArray(value)) throw new SeveralRecords(`${name} holds a list; one record is wanted.`);
  if (typeof value !== 'object' || value === null)
    throw new FileProblem(name, 'is not a record of fields and values');
  // A non-null object that is no array, out of a JSON or YAML parser, maps names to values.
  return { name, fields: value as Record<string, unknown> };
}

/**
 * Reads a file with one value of any kind; like `readDocument` otherwise.
 *
 * @returns the value in which a plain scalar of YAML is a number, true or false where it is written like one, and the
 * same value in which each of them is its source text.
 */
export async function readValue(
  path: string,
  stdin: Source,
  signal?: AbortSignal,
): Promise<NamedValue & { readonly texts: unknown }> {
  const text = await readText(path, stdin, signal);
  const { value: texts } = await valueIn(text, 'text');
  return { ...(await valueIn(text, 'value')), texts };
}

/**
 * The value of a JSON text that a person wrote.
 *
 * @param name the file or flag, for sentences.
 * @throws {CliError} exit 2 when it is not JSON, is nested deeply, names a field twice, or has a number that would be sent as another one.
 */
export async function readJson(text: string, name: string): Promise<unknown> {
  if (isNestedDeeper(text, DEEPEST)) throw new FileProblem(name, `is nested deeper than ${DEEPEST}`);
  const value = await parseJson(text, name);
  const repeated = repeatedName(text);
  if (repeated !== undefined) {
    const named = text.slice(repeated.start, repeated.end).slice(0, LONGEST_NAME);
    throw new FileProblem(name, `names ${named} twice`, placeAt(text, repeated.start));
  }
  const number = inexactNumber(text);
  if (number === undefined) return value;
  throw new FileProblem(
    name,
    `has the number ${quote(number)}, which cannot be sent exactly; write it as a text`,
  );
}

async function readText(path: string, stdin: Source, signal: AbortSignal | undefined): Promise<NamedText> {
  const name = path === '-' ? 'stdin' : path;
  const text = decodeFile(await readInput(path, stdin, LARGEST, signal), name);
  if (text.trim() === '') throw new FileProblem(name, 'is empty');
  return { name, text, isJson: path === '-' ? /^\s*[{[]/.test(text) : /\.json$/i.test(path) };
}

async function valueIn({ name, text, isJson }: NamedText, plain: PlainScalars): Promise<NamedValue> {
  if (isJson) return { name, value: await readJson(text, name) };
  const { parseYaml } = await import('./yaml.ts');
  return { name, value: parseYaml(text, name, plain) };
}

/** No record begins with a line of words between commas, semicolons or tabs; a table does. */
function isTable(text: string): boolean {
  const [first = '', second] = text.trim().split(/\r?\n/, 2);
  const cells = first.split(/[,;\t]/);
  const isPlain = (cell: string) => /^"?[\p{L}\p{N}_][\p{L}\p{N}_.@+ -]*"?$/u.test(cell.trim());
  if (second === undefined) return false;
  return statedDelimiter(first) !== undefined || (cells.length > 1 && cells.every(isPlain));
}

async function parseJson(text: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (isJsonLines(text)) throw new SeveralRecords(`${name} holds several JSON texts; one is wanted.`);
    const { jsonMistake } = await import('./json-mistake.ts');
    const { reason, offset } = jsonMistake(text, cause);
    const place = offset === undefined ? {} : placeAt(text, offset);
    throw new FileProblem(name, `is not valid JSON: ${reason}`, { ...place, cause });
  }
}

/** Line and column at an offset, both from 1. */
function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}

/** A JSON text on each line, as NDJSON has it. */
function isJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every(isJsonText);
}

function isJsonText(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    // Only the whole text matters, and its own error is told.
    return false;
  }
}

/** A file holds several records where one is wanted. Exit 2; whoever knows what several are for adds the hint. */
export class SeveralRecords extends CliError {
  constructor(sentence: string) {
    super('several_records', sentence, { exitCode: ExitCode.usage });
  }
}

/** The first line that Excel heeds and does not show: `sep=;`. A byte order mark may stand before it, decoded or not. */
const SEPARATOR = /^(?:\ufeff|\xef\xbb\xbf)?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}
