import { isUtf8 } from 'node:buffer';
import { usageError } from '../errors.ts';

/**
 * A file's bytes as text, without a byte order mark.
 *
 * @param name the file, for sentences.
 * @throws {CliError} exit 2 when it is UTF-16, binary, or not UTF-8.
 */
export function decodeFile(bytes: Uint8Array, name: string): string {
  refuseForeign(bytes, name);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * Returns when bytes are UTF-8 text, without making a text of them.
 *
 * @throws {CliError} exit 2 like `decodeFile`.
 */
export function refuseForeign(bytes: Uint8Array, name: string): void {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw usageError(
      `${name} is UTF-16, not UTF-8.`,
      `Convert it: iconv -f UTF-16 -t UTF-8 ${name} > new-file`,
    );
  }
  if (bytes.includes(0)) throw usageError(`${name} has NUL bytes: it is not a text file.`);
  if (!isUtf8(bytes)) throw usageError(`${name} is not UTF-8 text.`);
}
