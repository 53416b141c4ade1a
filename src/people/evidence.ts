import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { acquireLock } from '../fs/lock.ts';
import { unreadable, writeReasonOf } from '../fs/read.ts';
import {
  closeToOthers,
  isDraft,
  makePrivateFolder,
  quietly,
  replaceFile,
  sweepDrafts,
} from '../fs/replace.ts';
import { CliError, codeOf, ExitCode } from '../model/errors.ts';
import { parsedJson } from '../model/json-text.ts';
import { quote, sameName } from '../model/text.ts';
import { toJson } from '../print/text.ts';

/** Whom a line is about: a person (`email` is '' where the service shows none), or a review by its name, or the SHA-256 of its file. */
export type EvidenceSubject = v.InferOutput<typeof subjectSchema>;

/** A job that was begun and has no document: nothing but its beginning is known. `name`: the address, subject id or digest. */
export type OpenStart = ReturnType<typeof startOf>;

interface EvidenceOptions {
  /** Of this process; `undefined` on Windows. */
  readonly uid: number | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Masks secrets in JSON text. */
  readonly clean: (text: string) => string;
}

const NAME = 'evidence.ndjson';

/**
 * Returns if evidence can be kept in a folder, as far as looking tells: to be called before anything is asked.
 *
 * @throws {CliError} `evidence_folder`, exit 2: a link, not a folder, of another user, or with other files and no evidence in it.
 */
export function checkEvidenceFolder(given: string, uid: number | undefined): void {
  const problem = folderProblem(given, uid);
  if (problem === undefined) return;
  throw new CliError('evidence_folder', `${given} ${problem}. Nothing was sent.`, {
    exitCode: ExitCode.usage,
    hint: 'Name a new or empty folder of your own.',
  });
}

function folderProblem(given: string, uid: number | undefined): string | undefined {
  // With a slash at its end, the system would follow a link.
  const folder = resolve(given);
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return 'is a link, or not a folder';
  if (uid !== undefined && found.uid !== uid)
    return `belongs to another user (${found.uid}), who could change the evidence`;
  const isOurs = (name: string) => /^evidence\.(?:ndjson$|lock(?:\.|$))/.test(name) || isDraft(name);
  const other = fs.readdirSync(folder).find((name) => !isOurs(name));
  return other === undefined || fs.existsSync(join(folder, NAME))
    ? undefined
    : `has other files (${quote(other)}), and evidence wants a folder of its own`;
}

/**
 * Opens a folder for evidence, and writes what is known before the first write, in one line that is on the disk when this
 * returns. Makes the folder if need be, closes it to others, and locks it until it is closed: the chain has one writer.
 *
 * @param about what is the same for each person of the job.
 * @param subjects whom the job is about, with the records before it, and what is planned; none: nothing is written yet.
 * @throws {CliError} like `checkEvidenceFolder`; `evidence_failed` if it cannot be written; `evidence_broken`, exit 6, if its chain
 *   is not as it was written; `busy`, exit 7, while another process keeps evidence in it. Then nothing may be sent.
 */
export async function openEvidence(
  given: string,
  about: { readonly job: string; readonly service?: unknown },
  subjects: readonly EvidenceSubject[],
  { uid, now, signal, clean }: EvidenceOptions,
) {
  const folder = resolve(given);
  const path = join(folder, NAME);
  const time = () => new Date(now()).toISOString();
  let release: (() => void) | undefined;
  let began: string;
  let chain: ReturnType<typeof openChain>;
  try {
    checkEvidenceFolder(given, uid);
    if (!makePrivateFolder(folder)) closeToOthers(folder);
    release = await acquireLock(join(folder, 'evidence'), { signal });
    began = time();
    chain = openChain(path, clean);
    if (subjects.length > 0) chain.append({ ...about, began, begins: subjects });
  } catch (cause) {
    release?.();
    throw failed(cause, `Could not keep evidence in ${given}`, 'Nothing was sent.');
  }
  return {
    /** The document of the same job about a review of this name. */
    finished: (subject: EvidenceSubject) => chain.finished.get(namesOf(about.job, subject).key),
    /** Starts of the same job that were killed. */
    earlier: (subject: EvidenceSubject) => chain.open.get(namesOf(about.job, subject).key) ?? [],
    /**
     * Writes the document of a person whose job has ended.
     *
     * @throws {CliError} `evidence_failed`: then the first line of the job says that it has not ended.
     */
    finish(document: EvidenceSubject): void {
      try {
        chain.append({ ...about, ...document, began, ended: time() });
      } catch (cause) {
        const what = `The evidence about ${quote(namesOf(about.job, document).name)} was not completed`;
        throw failed(cause, what, `What was known before is in ${path}.`);
      }
    },
    close(): void {
      chain.close();
      release();
    },
  };
}

/** Opens the chain of a folder that this process holds: counts the lines of a killed one, and cuts off what it did not write whole. */
function openChain(path: string, clean: (text: string) => string) {
  sweepDrafts(path, 0);
  if (!fs.existsSync(path)) replaceFile(path, headLine({ count: 0, last: null }), { lasting: true });
  let { head, size, open, finished, isCounted } = readFrom(path);
  const file = fs.openSync(path, 'r+');
  if (!isCounted) write(file, headLine(head), 0);
  return {
    open,
    finished,
    /** Adds a line, which is on the disk before the head counts it. @throws the system's error; then the chain is as before. */
    append(content: object): void {
      const cleaned: object = JSON.parse(clean(JSON.stringify(content)));
      const text = toJson({ version: 1, previous: head.last, ...cleaned });
      const digest = createHash('sha256').update(text).digest('hex');
      const line = `${OPENING}${digest}",${text.slice(1)}\n`;
      const next = { count: head.count + 1, last: digest };
      try {
        fs.ftruncateSync(file, size);
        write(file, line, size);
        write(file, headLine(next), 0);
      } catch (cause) {
        quietly(() => fs.ftruncateSync(file, size));
        quietly(() => write(file, headLine(head), 0));
        throw cause;
      }
      size += Buffer.byteLength(line);
      head = next;
    },
    close: () => fs.closeSync(file),
  };
}

function write(file: number, text: string, at: number): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; )
    done += fs.writeSync(file, bytes, done, bytes.length - done, at + done);
  fs.fsyncSync(file);
}

/**
 * Reads the chain of a folder, and changes nothing.
 *
 * @throws {CliError} `evidence_broken`, exit 6, naming the first line that is not as it was written; exit 3 if there is no evidence.
 */
export function verifyEvidence(given: string) {
  const folder = resolve(given);
  const path = join(folder, NAME);
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  try {
    if (found?.isDirectory() && fs.lstatSync(path, { throwIfNoEntry: false })) return readFrom(path);
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadable(path, cause);
  }
  const options = { exitCode: ExitCode.notFound, hint: 'Name the folder that --evidence named.' };
  throw new CliError('not_found', `There is no evidence in ${given}.`, options);
}

/** The first line: how many lines follow, and the digest of the last one. Without it, a cut end would go unnoticed. */
type Head = ReturnType<typeof readHead>;

/** The head is written over, so its length stays. */
const HEAD_BYTES = 128;

function headLine({ count, last }: Head): string {
  return `${JSON.stringify({ version: 1, count, last }).padEnd(HEAD_BYTES - 1)}\n`;
}

function readFrom(path: string) {
  if (!fs.lstatSync(path).isFile()) throw broken(NAME, 'is not a file');
  const file = fs.openSync(path, 'r');
  try {
    // Before the other lines: another process may add some meanwhile.
    const start = Buffer.alloc(HEAD_BYTES);
    fs.readSync(file, start, 0, HEAD_BYTES, 0);
    return readChain(readHead(start.toString('latin1')), fs.readFileSync(file));
  } finally {
    fs.closeSync(file);
  }
}

function readHead(text: string): { readonly count: number; readonly last: string | null } {
  const head = /^\{"version":1,"count":(\d{1,15}),"last":(?:null|"([\da-f]{64})")\} *\n$/.exec(text);
  const [count, last = null] = [Number(head?.[1]), head?.[2]];
  if (head === null || (count === 0) !== (last === null))
    throw broken('line 1', 'was changed after it was written');
  return { count, last };
}

/**
 * @returns `head`: of all lines, also those that a killed process wrote after the head. `size`: bytes of the whole lines. `documents`:
 *   their number. `open`: the starts without a document, by job and person. `finished`: reviews that have a name, by the same.
 *   `isCounted`: by the first line.
 */
function readChain(written: Head, bytes: Buffer) {
  const open = new Map<string, readonly OpenStart[]>();
  const finished = new Map<string, Line & { readonly number: number }>();
  let [at, count, documents] = [HEAD_BYTES, 0, 0];
  let last: string | null = null;
  while (at < bytes.length) {
    const end = bytes.indexOf('\n', at);
    const isBegun = OPENING.startsWith(bytes.toString('latin1', at, at + OPENING.length));
    // A killed process did not write the whole line.
    if (end === -1 && isBegun && count >= written.count) break;
    const number = count + 2;
    const line = readLine(bytes.subarray(at, end === -1 ? bytes.length : end), number);
    if (line.previous !== last) throw broken(`line ${number}`, 'does not follow the one before');
    for (const subject of line.begins ?? []) {
      const { key } = namesOf(line.job, subject);
      open.set(key, [...(open.get(key) ?? []), startOf(number, line, subject)]);
    }
    if (line.begins === undefined) {
      documents += 1;
      const { key } = namesOf(line.job, line);
      open.delete(key);
      if (line.review?.name !== undefined) finished.set(key, { ...line, number });
    }
    [at, count, last] = [end + 1, count + 1, line.digest];
    if (count === written.count && last !== written.last)
      throw broken(`line ${number}`, 'is another end than line 1 names');
  }
  if (count < written.count)
    throw broken(`line ${count + 2}`, `is missing: line 1 counts ${written.count} after it`);
  const isCounted = count === written.count;
  return { head: { count, last }, size: at, documents, open, finished, isCounted };
}

function startOf(line: number, { job, run, began }: Line, subject: EvidenceSubject) {
  const { before, planned } = subject;
  return { line, job, name: namesOf(job, subject).name, began, run, before, planned };
}

const subjectSchema = v.looseObject({
  person: v.optional(v.object({ email: v.string(), subject_id: v.optional(v.string()) })),
  review: v.optional(v.looseObject({ sha256: v.string(), name: v.optional(v.string()) })),
});

const lineSchema = v.object({
  ...subjectSchema.entries,
  previous: v.nullable(v.string()),
  job: v.string(),
  run: v.optional(v.string()),
  began: v.string(),
  approved_by: v.optional(v.string()),
  begins: v.optional(v.array(subjectSchema)),
});

type Line = v.InferOutput<typeof lineSchema>;

/** A line is `{"digest":"..."` and a JSON text without its first bracket, of which that is the SHA-256. */
const OPENING = '{"digest":"';
const DIGEST_END = OPENING.length + 64;

function readLine(bytes: Buffer, number: number) {
  const digest = bytes.toString('latin1', OPENING.length, DIGEST_END);
  const rest = bytes.subarray(DIGEST_END + '",'.length);
  const isWhole =
    bytes.toString('latin1', 0, bytes.length - rest.length) === `${OPENING}${digest}",` &&
    createHash('sha256').update('{').update(rest).digest('hex') === digest;
  if (!isWhole) throw broken(`line ${number}`, 'was changed after it was written');
  const { success, output } = v.safeParse(lineSchema, parsedJson(bytes.toString()));
  if (!success) throw broken(`line ${number}`, 'is not evidence of innctl');
  return { ...output, digest };
}

/** What tells the jobs on people apart. Somebody who was invited may be a user when the job is repeated. */
function namesOf(job: string, { person, review }: EvidenceSubject) {
  const name = person?.email || person?.subject_id || `review ${review?.name ?? review?.sha256.slice(0, 12)}`;
  return { key: JSON.stringify([job, sameName(name)]), name };
}

/** @param what the line. */
function broken(what: string, why: string): CliError {
  return new CliError('evidence_broken', `The evidence is not as it was written: ${what} ${why}.`, {
    exitCode: ExitCode.refused,
    hint: 'Compare it with a backup. New evidence needs a new folder.',
    details: [{ field: what, reason: why }],
  });
}

/** The system's error as ours. Others stay. */
function failed(cause: unknown, what: string, besides: string): unknown {
  if (cause instanceof CliError || codeOf(cause) === undefined) return cause;
  const hint = 'Once it can be written, run the same command again.';
  return new CliError('evidence_failed', `${what}: ${writeReasonOf(cause)}. ${besides}`, { hint, cause });
}
