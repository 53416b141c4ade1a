import { randomUUID } from 'node:crypto';
import { type BigIntStats, lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CliError, codeOf, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { reasonOf } from '../../fs/read.ts';
import type { Entry } from '../../seed/entry.ts';
import { languageOf } from '../../seed/files.ts';
import { errorText, type Result } from '../../seed/item-json.ts';
import { lostFields, manifestText } from '../../seed/write.ts';

const FLAG = '--failed-out';

/** The file of the rows that may be applied again, before and after it has its name. */
export interface FailedOut {
  /**
   * Writes the rows that failed or were not attempted, an empty manifest where there are none, and puts the file into place.
   * Rows with an unknown outcome are left out: another run of them could send a second mail.
   *
   * @returns what cannot be seen in the file, as sentences.
   */
  write(results: readonly Result[]): Promise<readonly string[]>;
}

/** What else a run reads and writes: the table may not take its place. */
interface Others {
  readonly files: readonly string[];
  readonly journal: string | undefined;
  readonly plan: string | undefined;
}

/**
 * Does the work of a run while the table waits for its rows; without a path there is none. It is made beside its later
 * name at once, so that a place that cannot be written is found before anything is sent.
 *
 * @throws {CliError} exit 2 when it cannot be made, is one of the others, or would be read by the next run.
 */
export async function withFailedOut(
  path: string | undefined,
  others: Others,
  context: Pick<Context, 'redactor'>,
  work: (table: FailedOut | undefined) => Promise<void>,
): Promise<void> {
  if (path === undefined) {
    await work(undefined);
    return;
  }
  refuseTaken(path, others);
  const table = await openTable(path, context);
  try {
    await work(table);
  } finally {
    await table.discard();
  }
}

async function openTable(
  path: string,
  { redactor }: Pick<Context, 'redactor'>,
): Promise<FailedOut & { discard(): Promise<void> }> {
  const draft = join(dirname(path), `.${basename(path).slice(0, 50)}.${randomUUID()}.tmp`);
  const file = await open(draft, 'wx', 0o600).catch((cause: unknown) => {
    throw notWritable(path, cause);
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  };
  return {
    async write(results) {
      const { entries, errors } = failedIn(results, redactor.text);
      const format = languageOf(path) ?? 'csv';
      const notes = leftOut(results, path);
      const lost = await lostFields(entries, format);
      if (lost.length > 0) notes.push(lossText(path, lost.join(', ')));
      try {
        await file.writeFile(await manifestText(entries, format, { errors }));
        await file.sync();
        await close();
        await rename(draft, path);
      } catch (cause) {
        if (codeOf(cause) === undefined) throw cause;
        throw new CliError('failed_out_not_written', `Could not write ${path}: ${reasonOf(cause)}.`, {
          cause,
        });
      }
      return notes;
    },
    /** Removes the draft. */
    async discard() {
      await close();
      await rm(draft, { force: true });
    },
  };
}

/** Whether a row is one to be applied again; a deletion has no entry that could be. */
export function isForTable({ item, outcome }: Result): boolean {
  return item.entry !== undefined && (outcome === 'failed' || outcome === 'not_attempted');
}

function leftOut(results: readonly Result[], path: string): string[] {
  const count = results.filter(({ outcome }) => outcome === 'unknown').length;
  if (count === 0) return [];
  const [rows, are, them] = count === 1 ? ['row', 'is', 'it'] : ['rows', 'are', 'them'];
  return [
    `${count} ${rows} with an unknown outcome ${are} not in ${path}: the same command settles ${them}.`,
  ];
}

function lossText(path: string, fields: string): string {
  return `${path} lacks what a table cannot hold; a file that ends in .yaml, .json or .ndjson can: ${fields}.`;
}

function failedIn(results: readonly Result[], clean: (text: string) => string) {
  const errors = new Map<Entry, string>();
  for (const result of results) {
    const { item, outcome, error } = result;
    if (item.entry === undefined || !isForTable(result)) continue;
    const reason = error === undefined ? 'nothing says why' : errorText(error);
    errors.set(item.entry, clean(`${outcome.replace('_', ' ')}: ${reason}`));
  }
  return { entries: [...errors.keys()], errors };
}

function refuseTaken(path: string, { files, journal, plan }: Others): void {
  const refuse = (reason: string): never => {
    throw invalidInput([{ field: FLAG, reason }]);
  };
  const found = placeOf(path);
  if (found?.isSymbolicLink() === true) refuse(`${path} is a symbolic link: name the file itself`);
  if (found !== undefined && !found.isFile()) refuse(`${path} exists and is not a file`);
  for (const file of files.filter((each) => each !== '-')) {
    if (isSame(path, file)) refuse(`${path} is read by this run: write somewhere else`);
    if (isInside(path, file))
      refuse(`${path} is inside ${file}, which the next run would read: use another path`);
  }
  if (journal !== undefined && isSame(path, journal)) refuse(`${path} is the journal: write somewhere else`);
  if (plan !== undefined && isSame(path, plan)) refuse(`${path} is the saved plan: write somewhere else`);
}

function placeOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

function notWritable(path: string, cause: unknown): CliError {
  return invalidInput([{ field: FLAG, reason: `cannot be written: ${path}: ${reasonOf(cause)}` }]);
}

/** One and the same file, whatever leads to it. */
function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map(statsOf);
  if (one !== undefined && two !== undefined) return one.dev === two.dev && one.ino === two.ino;
  return real(path) === real(other);
}

function isInside(path: string, folder: string): boolean {
  if (statsOf(folder)?.isDirectory() !== true) return false;
  const way = relative(real(folder), real(path));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

/** `undefined` also where it cannot be reached: opening it says why. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** The path without links, as far as it is there. */
function real(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    // What is not there yet has no links of its own; the folder it will be in may.
    return dirname(whole) === whole ? whole : join(real(dirname(whole)), basename(whole));
  }
}
