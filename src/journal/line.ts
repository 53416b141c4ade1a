import { hash } from 'node:crypto';
import * as v from 'valibot';
import type { Settings } from '../config/resolve.ts';
import { parsedJson } from '../model/json-text.ts';

/** The version of the format. */
export const VERSION = 2;

const SUM_DIGITS = 8;
const SEAL_LENGTH = ',"sum":""}'.length + SUM_DIGITS;
const START = '{"is":"';
const wholeAndMore = /"sum":"[0-9a-f]{8}"\}[^\0]/;

/** The commands that make their rows themselves. */
export type JobCommand =
  | 'people offboard'
  | 'people onboard'
  | 'people sync'
  | 'invitations resend'
  | 'access apply';

const time = v.pipe(
  v.string(),
  v.isoTimestamp(),
  // Date cannot parse offsets such as +05.
  v.transform((text) => Date.parse(text)),
  v.number(),
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.optional(v.string());

/** What every line has. */
const line = { at: time, run: v.string(), sum: v.string() };

const rowSchema = v.object({
  name: v.string(),
  /** The id at the service, once it is known. */
  id: text,
  /** Digest of what a creation asks for. */
  hash: text,
  /** The record as it was read before. */
  before: v.optional(v.unknown()),
  /** What is sent; of an invitation that is withdrawn to be sent again, what it gives. */
  after: v.optional(v.unknown()),
});

const countsSchema = v.object({ done: count, failed: count, unknown: count, not_attempted: count });

const lineSchema = v.variant('is', [
  /** A run begins or goes on: one command line. */
  v.object({
    is: v.literal('start'),
    ...line,
    version: v.literal(VERSION),
    command: v.string(),
    /** As `absoluteFiles` names them; for rows that the command line names, its references. */
    files: v.pipe(v.array(v.string()), v.readonly()),
    identity_url: v.string(),
    base_url: v.string(),
    account: v.string(),
    profile: text,
  }),
  /** One request is about to be sent. */
  v.object({
    is: v.literal('send'),
    ...line,
    id: v.string(),
    /** The process, as `claimName` names it. */
    by: v.string(),
    kind: v.string(),
    action: v.picklist(['create', 'change', 'delete']),
    /** What the request does, in words. */
    does: v.string(),
    key: text,
    note: text,
    rows: v.pipe(v.array(rowSchema), v.readonly()),
  }),
  /** How a request ended. */
  v.object({
    is: v.literal('answer'),
    ...line,
    of: v.string(),
    outcome: v.picklist(['done', 'failed', 'unknown']),
    status: v.optional(v.number()),
    request_id: text,
    error: text,
    /** The id of what it created. */
    id: text,
  }),
  /** A read showed records. */
  v.object({
    is: v.literal('see'),
    ...line,
    kind: v.string(),
    rows: v.pipe(v.array(v.object({ name: v.string(), id: text })), v.readonly()),
  }),
  v.object({ is: v.literal('end'), ...line, ...countsSchema.entries }),
]);

/** A line of a journal; times are milliseconds since the epoch. */
export type JournalLine = Readonly<v.InferOutput<typeof lineSchema>>;
type LineOf<Is extends JournalLine['is']> = Extract<JournalLine, { is: Is }>;
/** The start of a run, or of its resumption. */
export type StartLine = LineOf<'start'>;
export type SendLine = LineOf<'send'>;
export type AnswerLine = LineOf<'answer'>;
/** One record that a request is about. */
export type SentRow = Readonly<v.InferOutput<typeof rowSchema>>;
/** How many rows of a run ended in each way. */
export type RunCounts = Readonly<v.InferOutput<typeof countsSchema>>;
/** The command and files of a run. */
export type RunAbout = Pick<StartLine, 'command' | 'files'>;

type Unsealed<Line> = Line extends unknown ? Omit<Line, 'sum'> : never;
/** A line to write. */
export type NewLine = Unsealed<JournalLine>;

const versionSchema = v.object({ is: v.literal('start'), version: v.number() });

/** A parsed line: valid, of a newer version, or invalid. */
type ParsedLine = { readonly line: JournalLine } | { readonly newer: number } | { readonly reason: string };

/** Whether a run is of this command and these files. */
export function isRunOf(start: RunAbout, { command, files }: RunAbout): boolean {
  return (
    start.command === command &&
    start.files.length === files.length &&
    start.files.every((file, index) => file === files[index])
  );
}

/** Serializes a line, with a checksum and a newline. @param clean masks secrets. */
export function lineText({ is, at, ...line }: NewLine, clean: (text: string) => string): string {
  return `${sealed(clean(JSON.stringify({ is, at: new Date(at).toISOString(), ...line })))}\n`;
}

/** Parses one line, without its newline. Reasons quote nothing of it. */
export function parseLine(written: string): ParsedLine {
  const value = parsedJson(written);
  if (value === undefined) return { reason: 'it is not JSON' };
  const found = v.safeParse(lineSchema, value);
  const isAsWritten = sealed(`${written.slice(0, -SEAL_LENGTH)}}`) === written;
  if (found.success) return isAsWritten ? { line: found.output } : { reason: 'its checksum is wrong' };
  const start = v.safeParse(versionSchema, value);
  if (start.success && start.output.version > VERSION) return { newer: start.output.version };
  return { reason: 'it is not a line of a journal' };
}

/** Whether a text without a newline may be a torn line, or space that was allocated for one. */
export function isTornLine(written: string): boolean {
  if (/^\0*$/.test(written)) return true;
  // Only a newline may follow a whole line.
  return !wholeAndMore.test(written) && (written.startsWith(START) || START.startsWith(written));
}

/** @param object the JSON text of a non-empty object. */
function sealed(object: string): string {
  const digest = hash('sha256', object, 'hex').slice(0, SUM_DIGITS);
  return `${object.slice(0, -1)},"sum":"${digest}"}`;
}

/** The service and account of a run, in journals and plans; or the sandbox. */
export interface Target {
  readonly identity_url: string;
  readonly base_url: string;
  /** As `findAccount` names it: all accounts of a service may have the same URLs. */
  readonly account: string;
}

export const SANDBOX: Target = { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox' };

/** The target of the settings. The sandbox is one target, although its port changes. */
export function targetOf(
  { sandbox, identityUrl, baseUrl }: Pick<Settings, 'sandbox' | 'identityUrl' | 'baseUrl'>,
  account: string,
): Target {
  if (sandbox) return SANDBOX;
  return { identity_url: identityUrl?.value ?? '', base_url: baseUrl?.value ?? '', account };
}

/** The stored fields of a target. */
export function writtenTarget({ identity_url, base_url, account }: Target): Target {
  return { identity_url, base_url, account };
}

/** A target for messages: the distinct hosts, and the account. */
export function targetText({ identity_url, base_url, account }: Target): string {
  const hosts = [...new Set([identity_url, base_url].map(hostOf))].join(', ');
  return account === '' || account === hosts ? hosts : `${hosts} (${account})`;
}

/**
 * Whether a stored target is that of the current run.
 *
 * @param of from a journal or plan.
 */
export function isSameTarget(of: Target, now: Target): boolean {
  const { identity_url, base_url, account } = now;
  return of.identity_url === identity_url && of.base_url === base_url && of.account === account;
}

/** The host of a URL; any other text as it is. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
