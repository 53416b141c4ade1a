import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CliError, codeOf, invalidInput } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { writeReasonOf } from '../../fs/read.ts';
import { probeReplace, replaceFile } from '../../fs/replace.ts';
import { counted } from '../../model/text.ts';
import type { Entry } from '../../seed/entry.ts';
import { writtenLanguageOf } from '../../seed/files.ts';
import { errorText, type Result } from '../../seed/item-json.ts';
import { lostFields, manifestText } from '../../seed/write.ts';

const FLAG = '--failed-out';

/** The other files of a run, which must not be overwritten. */
type Others = Readonly<Record<'journal' | 'plan', string | undefined>> & {
  readonly files: readonly string[];
};

/**
 * Checks the file of --failed-out before anything is sent.
 *
 * @throws {CliError} exit 2 if it cannot be written, is another file of the run, or would be read by the next run.
 */
export function checkFailedOut(path: string, others: Others): void {
  try {
    refuseTaken(path, others);
    probeReplace(path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw invalidInput([{ field: FLAG, reason: `cannot be written: ${path}: ${writeReasonOf(cause)}` }]);
  }
}

/**
 * Writes the rows that failed or were not attempted; without such rows it is an empty manifest. Rows with an unknown outcome
 * are left out: running them again could send a second mail.
 *
 * @returns warnings about what the file omits.
 */
export async function writeFailedOut(
  path: string,
  results: readonly Result[],
  { redactor }: Pick<Context, 'redactor'>,
): Promise<readonly string[]> {
  const errors = errorsOf(results, redactor.text);
  const entries = [...errors.keys()];
  const format = writtenLanguageOf(path) ?? 'csv';
  const lost = lostFields(entries, format);
  const text = await manifestText(entries, format, { errors });
  try {
    replaceFile(path, text, { lasting: true });
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new CliError('failed_out_not_written', `Could not write ${path}: ${writeReasonOf(cause)}.`, {
      cause,
    });
  }
  const only = `${path} omits fields that only a .yaml, .json or .ndjson file can hold: ${lost.join(', ')}.`;
  return [...leftOut(results, path), ...(lost.length === 0 ? [] : [only])];
}

/** Whether a row can be applied again; a deletion has no entry. */
export function mayApplyAgain({ item, outcome }: Result): boolean {
  return item.entry !== undefined && (outcome === 'failed' || outcome === 'not_attempted');
}

function leftOut(results: readonly Result[], path: string): readonly string[] {
  const count = results.filter(({ outcome }) => outcome === 'unknown').length;
  if (count === 0) return [];
  const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  const rows = `${counted(count, 'row')} with an unknown outcome`;
  return [`${rows} ${are} not in ${path}: the same command settles ${them}.`];
}

/** The entries of the file, each with its error. */
function errorsOf(results: readonly Result[], clean: (text: string) => string): ReadonlyMap<Entry, string> {
  const errors = new Map<Entry, string>();
  for (const result of results) {
    const { item, outcome, error } = result;
    if (item.entry === undefined || !mayApplyAgain(result)) continue;
    const reason = error === undefined ? 'reason unknown' : errorText(error);
    errors.set(item.entry, clean(`${outcome.replace('_', ' ')}: ${reason}`));
  }
  return errors;
}

function refuseTaken(path: string, { files, journal, plan }: Others): void {
  const refuse = (reason: string): never => {
    throw invalidInput([{ field: FLAG, reason }]);
  };
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true) refuse(`${path} is a symbolic link: name the file itself`);
  if (found !== undefined && !found.isFile()) refuse(`${path} exists and is not a file`);
  for (const file of files.filter((each) => each !== '-')) {
    if (isSame(path, file)) refuse(`${path} is read by this run: use another path`);
    if (isInside(path, file))
      refuse(`${path} is inside ${file}, which the next run would read: use another path`);
  }
  if (journal !== undefined && isSame(path, journal)) refuse(`${path} is the journal: use another path`);
  if (plan !== undefined && isSame(path, plan)) refuse(`${path} is the saved plan: use another path`);
}

/** Whether two paths lead to the same file. */
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

/** `undefined` also if it is not accessible: opening it reports why. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** The path without symbolic links, as far as it exists. */
function real(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    // The path does not exist yet, but its folder may be a link.
    return dirname(whole) === whole ? whole : join(real(dirname(whole)), basename(whole));
  }
}
