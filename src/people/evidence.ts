import * as v from 'valibot';
import { canonical, hashOf } from '../model/canonical.ts';
import { parsedJson } from '../model/json-text.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import { prettyJson } from '../print/json.ts';
import type { SentWrite } from '../service/exchange.ts';

/** What one command did, the same for each person. */
export interface EvidenceJob {
  /** The words of the command: `people offboard`. */
  readonly job: string;
  /** The id of its run, if it keeps a journal. */
  readonly run?: string | undefined;
  readonly service: Readonly<Record<'identity_url' | 'base_url' | 'account' | 'dialect', string>>;
  /** Who did it, as far as the service or the token says; `null` if unknown. */
  readonly actor: unknown;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
}

/** A review: SHA-256 of its file as it was read, in hex, and what its rows decided. */
export type ReviewEvidence = ServiceRecord & { readonly sha256: string };

/** A person, or a review, before the first write. */
export interface EvidenceSubject {
  /** '' where the service shows none, and of a review. */
  readonly email: string;
  readonly subject_id?: string | undefined;
  readonly review?: ReviewEvidence | undefined;
  /** The records of the person: user, invitations. */
  readonly before?: unknown;
  /** What the plan wants to do. */
  readonly planned: readonly unknown[];
  /** Those of the person, in place of those of the job. */
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
}

/** The same person or review, after the last write. */
export interface EvidenceEnding {
  /** The records as read back; `null` if they could not be read. */
  readonly after?: unknown;
  readonly review?: ReviewEvidence | undefined;
  readonly verdicts: readonly Verdict[];
  /** Sentences. */
  readonly cannot_tell: readonly string[];
}

/** How one part of the job ended: `{ what: 'disabled', outcome: 'done' }`. */
export interface Verdict {
  readonly what: string;
  readonly outcome: 'done' | 'unchanged' | 'failed' | 'unknown' | 'not_attempted';
  readonly error?: string | undefined;
}

/** A job on a person that has begun and not ended. */
export interface Begun extends EvidenceJob, EarlierStart {
  readonly person?: Pick<EvidenceSubject, 'email' | 'subject_id'> | undefined;
  readonly review?: ReviewEvidence | undefined;
  /** Starts of the same job that were killed: nothing but their beginning is known. */
  readonly earlier_starts: readonly EarlierStart[];
}

const startSchema = v.object({
  began: v.string(),
  run: v.optional(v.string()),
  before: v.optional(v.unknown()),
  planned: v.pipe(v.array(v.unknown()), v.readonly()),
});

/** What is known of a job before its first write. */
export type EarlierStart = Readonly<v.InferOutput<typeof startSchema>>;

/** The place of a document in the chain. */
export interface Link {
  /** From 1. */
  readonly number: number;
  /** The digest of the document before; `null` for the first one. */
  readonly previous: string | null;
}

/** Evidence that a job begins. */
export function begin(
  job: EvidenceJob,
  { email, subject_id, review, before, planned, reason = job.reason, ticket = job.ticket }: EvidenceSubject,
  began: string,
  earlier_starts: readonly EarlierStart[],
): Begun {
  const person = review === undefined ? { email, subject_id } : undefined;
  return { ...job, reason, ticket, person, review, began, before, planned, earlier_starts };
}

/**
 * The whole document, with its place in the chain and its digest.
 *
 * @param clean masks secrets in JSON text.
 */
export function sealed(
  begun: Begun,
  { cannot_tell, ...ending }: EvidenceEnding,
  writes: readonly SentWrite[],
  ended: string,
  link: Link,
  clean: (text: string) => string,
) {
  const lost = begun.earlier_starts.map(killedText);
  const requests = requestsAbout(writes, begun, ending.after).map(({ ids: _, ...request }) => request);
  const content = { ...begun, ...ending, requests, ended };
  const cleaned: unknown = JSON.parse(
    clean(canonical({ ...content, cannot_tell: [...cannot_tell, ...lost] })),
  );
  const document = { version: 1, ...(isRecord(cleaned) ? cleaned : {}), ...link };
  const digest = hashOf(document);
  return { text: evidenceText({ ...document, digest }), digest };
}

function killedText({ began, run }: EarlierStart): string {
  const where = run === undefined ? 'not known' : `in its journal: innctl runs show ${run}`;
  return `The job was begun at ${began} and killed; what was sent then is ${where}.`;
}

/** The writes to the address of a person or the user, who may have accepted an invitation meanwhile. */
function requestsAbout(writes: readonly SentWrite[], begun: Begun, after: unknown): readonly SentWrite[] {
  const { user } = isRecord(after) ? after : {};
  const later = isRecord(user) ? String(user['subject_id'] ?? '') : '';
  const { email, subject_id: id = '' } = personOf(begun);
  const names = [email, id, later].filter((name) => name !== '').map(sameName);
  return writes.filter(({ ids, body }) => {
    const inBody = isRecord(body) && typeof body['email'] === 'string' ? [body['email']] : [];
    return [...ids, ...inBody].some((id) => names.includes(sameName(id)));
  });
}

/** The only text of a document: canonical JSON, indented, and safe to show on a terminal. */
export function evidenceText(document: unknown): string {
  return prettyJson(JSON.parse(canonical(document)));
}

const documentSchema = v.object({
  number: v.number(),
  previous: v.nullable(v.string()),
  job: v.string(),
  person: v.optional(v.object({ email: v.string(), subject_id: v.optional(v.string()) })),
  review: v.optional(v.object({ sha256: v.string() })),
});

/** What the chain needs of a document; a text: what is wrong with the file. */
export function readLink(text: string) {
  const value = parsedJson(text);
  const { digest, ...content } = isRecord(value) ? value : {};
  const isWhole = typeof digest === 'string' && hashOf(content) === digest;
  // A changed blank is a change, too.
  if (!isWhole || evidenceText(value) !== text) return 'was changed after it was written';
  const { success, output } = v.safeParse(documentSchema, content);
  if (!success) return 'is not evidence of innctl';
  const { number, previous } = output;
  return { number, previous, digest, name: fileName(number, output), openName: openFileName(output) };
}

const begunSchema = v.object({ ...startSchema.entries, earlier_starts: v.array(startSchema) });

/** The start in an open file, after those before it; `undefined` if it is not whole. */
export function readStart(text: string): readonly EarlierStart[] | undefined {
  const { success, output } = v.safeParse(begunSchema, parsedJson(text));
  if (!success) return undefined;
  const { earlier_starts: earlier, ...start } = output;
  return [...earlier, start];
}

type Named = Pick<Begun, 'job' | 'person' | 'review'>;

/** The person; a review is called by its digest in place of one. */
export function personOf({ person, review }: Omit<Named, 'job'>): NonNullable<Begun['person']> {
  return person ?? { email: `review-${review?.sha256.slice(0, 12)}` };
}

/** `people-offboard-hanna@example.com`: at most 100 characters that every file system takes. */
function slugOf(named: Named): string {
  const { email, subject_id = '' } = personOf(named);
  return `${named.job}-${email === '' ? subject_id : email}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9@._+-]/g, '-')
    .slice(0, 100);
}

/** The name of the file of a document. */
export function fileName(number: number, named: Named): string {
  return `${String(number).padStart(6, '0')}-${slugOf(named)}.json`;
}

/** The name of the file of a job that has not ended: one for each job and person. */
export function openFileName(named: Named): string {
  const { email, subject_id = '' } = personOf(named);
  // Somebody who was invited may be a user when the job is repeated.
  const id = hashOf([named.job, email === '' ? subject_id : sameName(email)]).slice(0, 12);
  return `open-${slugOf(named)}-${id}.json`;
}

/** The number in the name of a document's file; `undefined` for other files. */
export function numberIn(name: string): number | undefined {
  const [, digits] = /^(\d{6,12})-.+\.json$/s.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether a file has this name only while a job has not ended. */
export function isOpenFile(name: string): boolean {
  return /^open-.+-[\da-f]{12}\.json$/s.test(name);
}
