import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placesOf } from '../config/places.ts';
import type { Data, Surroundings } from './complete.ts';
import { completionText } from './complete-shells.ts';

/** Larger files are not ours. */
const LARGEST = 8 * 1_048_576;

/** Bytes of a journal that are searched for runs. */
const HEAD = 65_536;

/** Journals that are searched. */
const MOST_JOURNALS = 50;

/**
 * Answers `innctl __complete` without loading the program, from what the build knows and from what
 * commands left on the disk: no
 * network, no locks, no writes. Whatever happens, the answer is a text, and there is no error.
 *
 * @param words what follows `__complete`.
 * @param dataText reads what `completionData` made.
 */
export function answerCompletion(
  words: readonly string[],
  dataText: () => string,
  { env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>,
): string {
  try {
    const data: Data = JSON.parse(dataText());
    return completionText(words, { ...data, ...surroundingsOf(env, platform) });
  } catch {
    return ':nothing\t\n';
  }
}

function surroundingsOf(env: Surroundings['env'], platform: string): Omit<Surroundings, keyof Data> {
  const { config, state } = placesOf({ env, platform, home: homedir() });
  if (config === undefined || state === undefined) throw new Error('there is no home folder');
  return {
    env,
    config,
    state,
    read: (...path) => orNothing(() => readWhole(join(...path)), ''),
    journals: () => orNothing(() => journalHeads(join(state, 'runs')), []),
  };
}

function readWhole(path: string): string {
  const { size } = statSync(path);
  return size > LARGEST ? '' : readPart(path, LARGEST);
}

/** @throws when it is no regular file. Without O_NONBLOCK, opening a named pipe waits for its other end. */
function readPart(path: string, most: number): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('not a file');
    const bytes = Buffer.alloc(Math.min(found.size, most));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function journalHeads(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at)
    .slice(0, MOST_JOURNALS)
    .map(({ path }) => orNothing(() => readPart(path, HEAD), ''));
}

function orNothing<Value>(read: () => Value, instead: Value): Value {
  try {
    return read();
  } catch {
    return instead;
  }
}
