import * as v from 'valibot';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { shellLine } from '../../render/shell.ts';
import type { Change } from './records.ts';

/** The newest layout of the log that this program can read, and the one that it writes. */
const VERSION = 1;

const headerSchema = v.object({
  version: v.literal(VERSION),
  generation: v.number(),
  seed: v.string(),
  secret: v.string(),
});

const collection = v.picklist(['properties', 'unit_groups', 'users', 'invitations', 'replies']);
const record = v.custom<object>((value) => typeof value === 'object' && value !== null);
const batchSchema = v.array(
  v.union([
    v.object({ put: v.tuple([collection, v.string(), record]) }),
    v.object({ delete: v.tuple([collection, v.string()]) }),
  ]),
);

/** The first line of the log. */
export interface Header {
  readonly version: 1;
  /** Counts the resets, from 1. */
  readonly generation: number;
  /** Name of the seed that the state grew from. */
  readonly seed: string;
  /** Signs the sandbox's tokens; survives a reset, so that tokens do. */
  readonly secret: string;
}

/** A new log's header of the current version. */
export function headerOf(fields: Omit<Header, 'version'>): Header {
  return { version: VERSION, ...fields };
}

/** One value as a line of the log; only a whole line ends in a newline. */
export function lineOf(value: Header | readonly Change[]): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** @throws {CliError} naming the path when the line is no header, or one of a newer version. */
export function parseHeader(line: Uint8Array, path: string): Header {
  const value = parseLine(line, path);
  const { version } = v.parse(v.fallback(v.object({ version: v.number() }), { version: 0 }), value);
  if (version > VERSION) throw newer(path, version);
  const header = v.safeParse(headerSchema, value);
  if (!header.success) throw corrupt(path, 'its first line is no header');
  return header.output;
}

/** @throws {CliError} naming the path when the line is no batch of changes. */
export function parseBatch(line: Uint8Array, path: string): readonly Change[] {
  const batch = v.safeParse(batchSchema, parseLine(line, path));
  if (!batch.success) throw corrupt(path, 'a line is no batch of changes');
  // The shape was just checked; that a record fits its collection is warranted by the version, which fixes the writer.
  return batch.output as readonly Change[];
}

function parseLine(line: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch (cause) {
    throw corrupt(path, 'a line is not JSON', cause);
  }
}

/** The state is not ours, or is broken. Exit 2; it stays as it is until a reset. */
export function corrupt(path: string, why: string, cause?: unknown): CliError {
  return new CliError('sandbox_corrupt', `The sandbox's state ${path} cannot be read: ${why}.`, {
    exitCode: ExitCode.usage,
    hint: `Move it away: ${shellLine(['mv', path, `${path}.broken`])}`,
    cause,
  });
}

function newer(path: string, version: number): CliError {
  return new CliError(
    'sandbox_newer',
    `The sandbox's state ${path} has version ${version}; this innctl reads version ${VERSION}.`,
    {
      exitCode: ExitCode.usage,
      hint: `Update innctl, or move the file away: ${shellLine(['mv', path, `${path}.newer`])}`,
    },
  );
}
