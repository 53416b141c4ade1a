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
  const encoding = encodingOf(bytes);
  if (encoding !== undefined) {
    const hint = `Convert it: ${conversion(encoding, name)}`;
    throw new FileProblem(name, `is ${encoding.slice(0, 6)}, not UTF-8`, { hint });
  }
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

/** How texts in other encodings begin, as hex: with a byte order mark, or with characters of ASCII. */
const foreign: Readonly<Record<string, RegExp>> = {
  'UTF-32': /^(fffe0000|0000feff)/,
  'UTF-32BE': /^000000(?!00)../,
  'UTF-32LE': /^(?!00)..000000/,
  'UTF-16': /^(fffe|feff)/,
  'UTF-16BE': /^(00(?!00)..){2}/,
  'UTF-16LE': /^((?!00)..00){2}/,
};

/** What iconv calls the encoding. */
function encodingOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return Object.keys(foreign).find((encoding) => foreign[encoding]?.test(start));
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
