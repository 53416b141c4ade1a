import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Source } from '../context.ts';
import { CliError, usageError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a circle of links',
  ENAMETOOLONG: 'the name is too long',
};

/**
 * The bytes of a file, or of stdin for `-`. Pipes are read like files.
 *
 * @param maxBytes a larger one is refused.
 * @throws {CliError} exit 2, naming the file and the reason.
 */
export async function readInput(path: string, stdin: Source, maxBytes: number): Promise<Uint8Array> {
  if (path === '-') return stdin.read(maxBytes);
  if (path === '' || path.includes('\0'))
    throw usageError(`${JSON.stringify(path)} is not the name of a file.`);
  try {
    const file = await open(path, constants.O_RDONLY);
    try {
      return await readBounded(file, path, maxBytes);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw unreadable(path, cause);
  }
}

async function readBounded(file: FileHandle, path: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(65_536), position: null });
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
  }
}

/** More bytes came than are read. */
export function tooLarge(name: string, maxBytes: number): CliError {
  return usageError(`${name} is larger than ${Math.floor(maxBytes / 1024)} KiB.`);
}

function unreadable(path: string, cause: unknown): CliError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new CliError('unreadable_file', `Cannot read ${path}: ${reason}.`, {
    cause,
    exitCode: ExitCode.usage,
  });
}
