import { isUtf8 } from 'node:buffer';
import type { Input } from '../cli/ports.ts';
import { FileProblem, readInput } from './read.ts';

/**
 * A file's bytes as text, without a byte order mark.
 *
 * @param name the file, for sentences.
 * @throws {FileProblem} when it is UTF-16, binary, or not UTF-8.
 */
export function decodeFile(bytes: Uint8Array, name: string): string {
  refuseForeign(bytes, name);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * The text of a file, or of stdin for `-`.
 *
 * @returns the text, and how messages name the file.
 * @throws {CliError} like `readInput` and `decodeFile`.
 */
export async function readText(path: string, stdin: Input, maxBytes: number) {
  const name = path === '-' ? 'stdin' : path;
  return { name, text: decodeFile(await readInput(path, stdin, maxBytes), name) };
}

/**
 * Returns when bytes are UTF-8 text, without decoding them.
 *
 * @param advice what to do about another encoding, before the command that converts the file.
 * @throws {FileProblem} like `decodeFile`.
 */
export function refuseForeign(bytes: Uint8Array, name: string, advice = 'Convert it'): void {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  if (mark === 'fffe' || mark === 'feff')
    throw new FileProblem(name, 'is UTF-16, not UTF-8', {
      hint: `Convert it: ${conversion('UTF-16', name)}`,
    });
  if (bytes.includes(0)) throw new FileProblem(name, 'has NUL bytes: it is not a text file');
  if (isUtf8(bytes)) return;
  throw new FileProblem(name, 'is not UTF-8 text', {
    hint: `${advice}: ${conversion('WINDOWS-1252', name)}`,
  });
}

/** The line that makes UTF-8 of a file; a name that a shell would not take as it is stays out of it. */
function conversion(encoding: string, name: string): string {
  const command = `iconv -f ${encoding} -t UTF-8`;
  return /^[\w./][\w./-]*$/.test(name) && name !== 'stdin' ? `${command} ${name} > new-file` : command;
}

/** The first line that Excel obeys and does not show: `sep=;`. A byte order mark may precede it, decoded or not. */
const SEPARATOR = /^(?:\ufeff|\xef\xbb\xbf)?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}
