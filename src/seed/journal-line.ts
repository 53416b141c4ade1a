import { hash } from 'node:crypto';
import * as v from 'valibot';
import { parsedJson } from '../model/json-text.ts';
import { type Kind, kinds } from './entry.ts';
import type { KeyAge } from './visibility.ts';

/** The version of the format. */
export const VERSION = 1;

const SUM_DIGITS = 8;
const SEAL_LENGTH = ',"sum":""}'.length + SUM_DIGITS;
const wholeAndMore = /"sum":"[0-9a-f]{8}"\}[^\0]/;

/** The commands that make their rows themselves. */
const jobCommands = ['people offboard', 'people onboard', 'invitations resend', 'access apply'] as const;
export type JobCommand = (typeof jobCommands)[number];

/** The commands that keep a journal. */
const runCommands = ['apply', ...jobCommands] as const;

/** The states of a row. */
const rowStates = ['planned', 'sent', 'done', 'failed', 'unknown'] as const;
export type RowState = (typeof rowStates)[number];

const time = v.pipe(
  v.string(),
  v.isoTimestamp(),
  // Date cannot parse offsets such as +05.
  v.check((text) => !Number.isNaN(Date.parse(text))),
);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const runSchema = v.object({
  version: v.literal(VERSION),
  id: v.string(),
  at: time,
  command: v.picklist(runCommands),
  /** As `absoluteFiles` names them; for rows that the command line names, its references. */
  files: v.pipe(v.array(v.string()), v.readonly()),
  identity_url: v.string(),
  base_url: v.string(),
  account: v.string(),
  profile: v.optional(v.string()),
});

const rowSchema = v.object({
  kind: v.picklist(kinds),
  name: v.string(),
  action: v.picklist(['create', 'change', 'delete']),
  state: v.picklist(rowStates),
  /** Digest of the request; of the body, for a creation. */
  hash: v.string(),
  /** The idempotency key, for a property's creation. */
  key: v.optional(v.string()),
  /** The id at the service, once it is known. */
  id: v.optional(v.string()),
  at: time,

  error: v.optional(v.string()),
  /** The service's id of the request that failed; older journals have it in `error` alone. */
  request_id: v.optional(v.string()),
  /** The status of the refusal or failure. */
  status: v.optional(v.number()),
  /** Why it is sent under a new key. */
  note: v.optional(v.string()),
  /** The last accepted values of fields that no service shows, named as in a manifest. */
  sent: v.optional(v.record(v.string(), v.string())),
  /** The content of an invitation that is withdrawn to be sent again: between both requests nothing else has it. */
  body: v.optional(v.record(v.string(), v.unknown())),
});

const countsSchema = v.object({ done: count, failed: count, unknown: count, not_attempted: count });
const endSchema = v.object({ at: time, ...countsSchema.entries });

/** How many rows of a run ended in each way. */
export type RunCounts = Readonly<v.InferOutput<typeof countsSchema>>;
/** The start of a run, or of its resumption. */
export type RunLine = Readonly<v.InferOutput<typeof runSchema>>;
/** The command and files of a run. */
export type RunAbout = Pick<RunLine, 'command' | 'files'>;
/** The state of one row. */
export type RowLine = Readonly<v.InferOutput<typeof rowSchema>>;
/** The end of a run. */
type EndLine = Readonly<v.InferOutput<typeof endSchema>>;

/** The last state of one row in a journal. */
export interface RowMemory extends Omit<RowLine, 'at'> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly runId: string;
  /** Whether the key can still be used; `undefined` if no key was sent. */
  readonly keyAge?: KeyAge | undefined;
  /** When an answer confirmed an invitation, milliseconds since the epoch, if the row has a later line. */
  readonly madeAt?: number | undefined;
}

/** The rows of earlier runs. */
export interface Memory {
  /** The last state of a row; names are case-insensitive. */
  recall(kind: Kind, name: string): RowMemory | undefined;
  /** The rows that runs of the same command and files created and did not delete since, in the order of their creation. */
  created(): readonly RowMemory[];
}

/** Whether a row was sent and its outcome is unknown. */
export function isInDoubt(row: RowMemory | undefined): row is RowMemory {
  return row?.state === 'sent' || row?.state === 'unknown';
}

/** One line of a journal; exactly one of its names is there. */
export type JournalLine = { readonly run: RunLine } | { readonly row: RowLine } | { readonly end: EndLine };

const sum = v.string();
const lineSchema = v.union([
  v.strictObject({ row: rowSchema, sum }),
  v.strictObject({ run: runSchema, sum }),
  v.strictObject({ end: endSchema, sum }),
]);

const versionSchema = v.object({ run: v.object({ version: v.number() }) });

/** A parsed line: valid, of a newer version, or invalid. */
type ParsedLine = { readonly line: JournalLine } | { readonly newer: number } | { readonly reason: string };

/** Whether a run is of this command and these files. */
export function isRunOf(header: RunLine, { command, files }: RunAbout): boolean {
  return (
    header.command === command &&
    header.files.length === files.length &&
    header.files.every((file, index) => file === files[index])
  );
}

/** Serializes a line, with a checksum and a newline. */
export function lineText(line: JournalLine): string {
  return `${sealed(JSON.stringify(line))}\n`;
}

/** Parses one line, without its newline. Reasons quote nothing of it. */
export function parseLine(text: string): ParsedLine {
  const value = parsedJson(text);
  if (value === undefined) return { reason: 'it is not JSON' };
  const line = v.safeParse(lineSchema, value);
  if (line.success) return isAsWritten(text) ? { line: line.output } : { reason: 'its checksum is wrong' };
  const header = v.safeParse(versionSchema, value);
  if (header.success && header.output.run.version > VERSION) return { newer: header.output.run.version };
  return { reason: 'it is not a line of a journal' };
}

/** Whether a text without a newline may be a torn line, or space that was allocated for one. */
export function isTornLine(text: string): boolean {
  if (/^\0*$/.test(text)) return true;
  // Only a newline may follow a whole line.
  if (wholeAndMore.test(text)) return false;
  return ['{"run":{', '{"row":{', '{"end":{'].some(
    (start) => text.startsWith(start) || start.startsWith(text),
  );
}

/** @param object the JSON text of a non-empty object. */
function sealed(object: string): string {
  const digest = hash('sha256', object, 'hex').slice(0, SUM_DIGITS);
  return `${object.slice(0, -1)},"sum":"${digest}"}`;
}

function isAsWritten(text: string): boolean {
  return sealed(`${text.slice(0, -SEAL_LENGTH)}}`) === text;
}
