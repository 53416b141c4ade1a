import { isUtf8 } from 'node:buffer';
import { FileProblem } from './read.ts';

/** Bytes that an encoding is recognized by; an even number. */
const LOOKED_AT = 1_024;

/**
 * A file's bytes as text, without a byte order mark.
 *
 * @param name the file, for sentences.
 * @param advice what to do instead of converting it, where there is something: a clause.
 * @throws {FileProblem} when it is UTF-16, binary, or not UTF-8.
 */
export function decodeFile(bytes: Uint8Array, name: string, advice?: string): string {
  refuseForeign(bytes, name, advice);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * Returns when bytes are UTF-8 text, without decoding them.
 *
 * @throws {FileProblem} like `decodeFile`.
 */
export function refuseForeign(bytes: Uint8Array, name: string, advice = 'Convert it'): void {
  const encoding = utf32In(bytes) ?? utf16In(bytes);
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

/** What iconv calls the encoding: by the mark, or a first character of ASCII. */
function utf32In(bytes: Uint8Array): string | undefined {
  if (bytes.length % 4 !== 0) return undefined;
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'UTF-32';
  if (/^000000(?!00)/.test(start)) return 'UTF-32BE';
  return /^(?!00)..000000$/.test(start) ? 'UTF-32LE' : undefined;
}

/** What iconv calls the encoding: by the mark, or where every second byte of most characters is NUL and no other one. */
function utf16In(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const start = bytes.subarray(0, LOOKED_AT);
  if (bytes.length % 2 === 1 || start.length === 0) return undefined;
  const nulls = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) nulls[index % 2] = (nulls[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nulls;
  if (even + odd <= start.length / 4 || (even > 0 && odd > 0)) return undefined;
  return even > 0 ? 'UTF-16BE' : 'UTF-16LE';
}

/** The first line that Excel obeys and does not show: `sep=;`. A byte order mark may stand before it, decoded or not. */
const SEPARATOR = /^(?:\ufeff|\xef\xbb\xbf)?("?)sep=([^\p{L}\p{N}"'=\s]|\t)\1(?:\r\n|\n|\r|$)/iu;

/** The delimiter that the first line of a table states, and the length of that line; `undefined` where it states none. */
export function statedDelimiter(
  text: string,
): { readonly mark: string; readonly length: number } | undefined {
  const [line, , mark] = SEPARATOR.exec(text) ?? [];
  return line === undefined || mark === undefined ? undefined : { mark, length: line.length };
}
