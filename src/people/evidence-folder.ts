import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, type Stats } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import { CliError, codeOf } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { acquireLock, isFolder } from '../fs/lock.ts';
import { closeToOthers, makePrivateFolder } from '../fs/private-folder.ts';
import { unreadable, writeReasonOf } from '../fs/read.ts';
import { isDraft, quietly, replaceFile } from '../fs/replace.ts';
import { parsedJson } from '../model/json-text.ts';
import { quote } from '../model/text.ts';
import type { SentWrite } from '../service/exchange.ts';
import {
  type Begun,
  begin,
  type EarlierStart,
  type EvidenceEnding,
  type EvidenceJob,
  type EvidenceSubject,
  evidenceText,
  fileName,
  isOpenFile,
  numberIn,
  openFileName,
  personOf,
  readLink,
  readStart,
  sealed,
} from './evidence.ts';

interface EvidenceOptions {
  /** Of this process; `undefined` on Windows. */
  readonly uid: number | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Masks secrets in JSON text. */
  readonly clean: (text: string) => string;
}

/** How many documents a chain has, and the digest of the last one: without it, nobody would miss the last ones. */
type Head = Readonly<v.InferOutput<typeof headSchema>>;

const headSchema = v.object({
  count: v.pipe(v.number(), v.integer(), v.minValue(0)),
  last: v.nullable(v.string()),
});

const HEAD = 'chain.json';
const UNSENT = 'Nothing was sent.';
/** Far beyond what one person and one job need. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns if evidence can be kept in a folder, as far as looking tells: to be called before anything is asked.
 *
 * @throws {CliError} `evidence_folder`, exit 2: a link, not a folder, of another user, or with other files in it.
 */
export function checkEvidenceFolder(given: string, uid: number | undefined): void {
  // With a slash at its end, the system would follow a link.
  const folder = resolve(given);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink())
    throw unfit(given, 'is a symbolic link, and evidence is not written through it');
  if (!found.isDirectory()) throw unfit(given, 'is not a folder');
  if (uid !== undefined && found.uid !== uid)
    throw unfit(given, `belongs to another user (${found.uid}), who could change the evidence`);
  const names = namesIn(folder).filter((name) => !isOpenFile(name));
  if (names.length > 0 && !names.includes(HEAD))
    throw names.some((name) => numberIn(name) !== undefined)
      ? broken(HEAD, 'is missing')
      : unfit(given, `has other files (${quote(names[0] ?? '')}), and evidence wants a folder of its own`);
}

/** Whether a job was begun for a person, and killed before its document was written. */
export function isLeftOpen(folder: string, about: Parameters<typeof openFileName>[0]): boolean {
  return existsSync(join(folder, openFileName(about)));
}

/**
 * Opens a folder for evidence and locks it until it is closed, so that the chain has one writer. Makes it if need be, and
 * closes it to others.
 *
 * @throws {CliError} like `checkEvidenceFolder`; `evidence_failed` if it cannot be written; `evidence_broken`, exit 6, if the end of
 *   its chain is not as it was written; `busy`, exit 7, while another process keeps evidence in it.
 */
export async function openEvidence(given: string, job: EvidenceJob, options: EvidenceOptions) {
  const folder = resolve(given);
  const { uid, now, signal, clean } = options;
  const couldNot = `Could not keep evidence in ${given}`;
  let release: (() => void) | undefined;
  let head: Head;
  try {
    checkEvidenceFolder(given, uid);
    if (!makePrivateFolder(folder)) closeToOthers(folder);
    release = await acquireLock(join(folder, 'chain'), { signal });
    head = currentHead(folder);
  } catch (cause) {
    release?.();
    throw failed(cause, couldNot, UNSENT);
  }
  const open = new Map<EvidenceSubject, Begun>();
  return {
    /**
     * Writes what is known of people before the first write to them. All of it is on the disk when this returns.
     *
     * @throws {CliError} `evidence_failed`: then nothing may be sent.
     */
    begin(subjects: readonly EvidenceSubject[]): void {
      const began = new Date(now()).toISOString();
      const made: string[] = [];
      try {
        for (const subject of subjects) {
          const name = openFileName(begin(job, subject, began, []));
          const starts = startsIn(folder, name);
          const begun = begin(job, subject, began, starts);
          if (starts.length === 0) made.push(name);
          replaceFile(join(folder, name), clean(evidenceText(begun)), { lasting: true });
          open.set(subject, begun);
        }
      } catch (cause) {
        for (const name of made) quietly(() => rmSync(join(folder, name), { force: true }));
        throw failed(cause, couldNot, UNSENT);
      }
    },
    /**
     * Writes the document of a person whose job has ended.
     *
     * @param subject as given to `begin`.
     * @returns its path.
     * @throws {CliError} `evidence_failed`: then what was begun stays in its open file.
     */
    finish(subject: EvidenceSubject, ending: EvidenceEnding, writes: readonly SentWrite[]): string {
      const begun = open.get(subject);
      if (begun === undefined) throw new Error('the evidence was not begun');
      const [number, ended] = [head.count + 1, new Date(now()).toISOString()];
      const link = { number, previous: head.last };
      const path = join(folder, fileName(number, begun));
      try {
        const { text, digest } = sealed(begun, ending, writes, ended, link, clean);
        if (existsSync(path)) throw broken(basename(path), 'is there already');
        replaceFile(path, text, { lasting: true });
        head = writeHead(folder, { count: number, last: digest });
        rmSync(join(folder, openFileName(begun)), { force: true });
      } catch (cause) {
        const what = `The evidence about ${quote(personOf(begun).email)} was not completed`;
        throw failed(cause, what, `What was known before is in ${join(folder, openFileName(begun))}.`);
      }
      open.delete(subject);
      return path;
    },
    close: release,
  };
}

/** The head of a chain that this process holds. Catches up with a process that was killed after it wrote a document. */
function currentHead(folder: string): Head {
  for (const name of readdirSync(folder).filter(isDraft)) rmSync(join(folder, name), { force: true });
  const names = namesIn(folder);
  let head = names.includes(HEAD) ? readHead(folder) : writeHead(folder, { count: 0, last: null });
  const documents = numbered(names);
  if (head.count > 0 && linkAt(head.count, documents, folder)?.digest !== head.last) throw otherEnd();
  for (const { number, digest, openName } of linksAfter(head, documents, folder)) {
    head = writeHead(folder, { count: number, last: digest });
    rmSync(join(folder, openName), { force: true });
  }
  return head;
}

/** An evidence folder that is as it was written. */
export interface Verified {
  /** Names of the documents, in their order. */
  readonly files: readonly string[];
  /** Names of files about jobs that were killed, and not repeated since. */
  readonly unfinished: readonly string[];
  /** The digest of the last document: kept elsewhere, it shows later that none up to here was replaced. */
  readonly last: string | null;
}

/**
 * Reads a whole evidence folder, and changes nothing.
 *
 * @throws {CliError} `evidence_broken`, exit 6, naming the first file that is not as it was written; exit 3 if there is no evidence.
 */
export function verifyEvidence(given: string): Verified {
  const folder = resolve(given);
  let found: Verified | undefined;
  try {
    found = isFolder(folder) ? readChain(folder) : undefined;
  } catch (cause) {
    throw cause instanceof CliError ? cause : unreadable(given, cause);
  }
  if (found !== undefined) return found;
  throw noEvidence(given, lstatSync(folder, { throwIfNoEntry: false }));
}

function noEvidence(given: string, found: Stats | undefined): CliError {
  const isLink = found?.isSymbolicLink();
  const why = isLink ? ': it is a symbolic link' : found ? '' : ': there is no such folder';
  const hint = isLink ? 'Name the folder itself.' : 'Name the folder that --evidence named.';
  const options = { exitCode: ExitCode.notFound, hint };
  return new CliError('not_found', `There is no evidence in ${given}${why}.`, options);
}

function readChain(folder: string): Verified | undefined {
  // Before the documents: another process may add some meanwhile.
  const hasHead = existsSync(join(folder, HEAD));
  const head = hasHead ? readHead(folder) : undefined;
  const names = namesIn(folder);
  const documents = numbered(names);
  const links = [...linksAfter({ count: 0, last: null }, documents, folder)];
  const files = links.map(({ name }) => name);
  const digests = [null, ...links.map(({ digest }) => digest)];
  const unfinished = names.filter(isOpenFile);
  const known = new Set([HEAD, ...files, ...unfinished]);
  const foreign = names.find((name) => !known.has(name));
  if (head === undefined && files.length === 0 && foreign === undefined) return undefined;
  if (head === undefined) throw broken(HEAD, 'is missing');
  if (head.count > files.length)
    throw broken(`Document ${files.length + 1}`, `is missing; there were ${head.count}`);
  if (digests[head.count] !== head.last) throw otherEnd();
  if (foreign !== undefined) throw broken(foreign, 'is not a part of the chain');
  return { files, unfinished, last: digests.at(-1) ?? null };
}

/** The names of documents by their numbers. */
function numbered(names: readonly string[]): ReadonlyMap<number | undefined, string> {
  return new Map(names.map((name) => [numberIn(name), name]));
}

/** The documents that follow the end of a chain, in their order. */
function* linksAfter({ count, last }: Head, names: ReturnType<typeof numbered>, folder: string) {
  let before = last;
  for (let number = count + 1; ; number += 1) {
    const link = linkAt(number, names, folder);
    if (link === undefined) return;
    if (link.previous !== before)
      throw broken(link.name, `does not follow ${names.get(number - 1) ?? 'anything'}`);
    yield link;
    before = link.digest;
  }
}

/** The document with a number; `undefined` if there is none. */
function linkAt(number: number, names: ReturnType<typeof numbered>, folder: string) {
  const name = names.get(number);
  if (name === undefined) return undefined;
  const link = readLink(readMember(folder, name));
  if (typeof link === 'string') throw broken(name, link);
  if (link.name !== name) throw broken(name, `is ${link.name} under another name`);
  return link;
}

/** Sorted; without locks and drafts. */
function namesIn(folder: string): readonly string[] {
  const isOurs = (name: string) => /^chain\.lock(?:\.|$)/.test(name) || isDraft(name);
  return readdirSync(folder)
    .filter((name) => !isOurs(name))
    .sort();
}

function readHead(folder: string): Head {
  const { success, output } = v.safeParse(headSchema, parsedJson(readMember(folder, HEAD)));
  if (!success) throw broken(HEAD, 'was changed after it was written');
  return output;
}

function writeHead(folder: string, head: Head): Head {
  replaceFile(join(folder, HEAD), evidenceText({ version: 1, ...head }), { lasting: true });
  return head;
}

/** The text of a file that is not a link. */
function readMember(folder: string, name: string): string {
  const path = join(folder, name);
  const found = lstatSync(path);
  if (!found.isFile()) throw broken(name, 'is not a file');
  const bytes = found.size > MAX_BYTES ? undefined : readFileSync(path);
  if (bytes === undefined || !isUtf8(bytes)) throw broken(name, 'was changed after it was written');
  return bytes.toString('utf8');
}

/** What the open file of an earlier, killed start says. */
function startsIn(folder: string, name: string): readonly EarlierStart[] {
  if (!existsSync(join(folder, name))) return [];
  const starts = readStart(readMember(folder, name));
  if (starts === undefined) throw broken(name, 'was changed after it was written');
  return starts;
}

/** The system's error as ours. Others stay. */
function failed(cause: unknown, what: string, besides: string): unknown {
  if (cause instanceof CliError || codeOf(cause) === undefined) return cause;
  const hint = 'Once it can be written, run the same command again.';
  return new CliError('evidence_failed', `${what}: ${writeReasonOf(cause)}. ${besides}`, { hint, cause });
}

function unfit(folder: string, why: string): CliError {
  return new CliError('evidence_folder', `${folder} ${why}. Nothing was sent.`, {
    exitCode: ExitCode.usage,
    hint: 'Name a new or empty folder of your own.',
  });
}

function broken(name: string, why: string): CliError {
  return new CliError('evidence_broken', `The evidence is not as it was written: ${name} ${why}.`, {
    exitCode: ExitCode.refused,
    hint: 'Compare it with a backup. New evidence needs a new folder.',
    details: [{ field: name, reason: why }],
  });
}

function otherEnd(): CliError {
  return broken(HEAD, 'names another end of the chain');
}
