import type { RecordFile } from '../files/record.ts';
import type { History } from '../journal/history.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import type { Kind } from '../model/kinds.ts';
import type { ServiceRecord } from '../model/records.ts';
import type { Facts } from '../print/output.ts';
import { sameCommand } from '../print/text.ts';
import type { Session } from '../session/session.ts';
import type { Item } from './item.ts';
import { serviceLine } from './lines.ts';

/** The flags that read a record from a file, as typed. */
export interface FileFlags {
  readonly file?: string;
  readonly allowUnknownFields?: true;
}

/**
 * Reads the file of --file.
 *
 * @throws {CliError} with the command that applies it, if it has several records.
 */
export async function readGivenFile(
  kind: Kind,
  { file, allowUnknownFields }: FileFlags,
  { api, context: { stdin }, globals }: Session,
): Promise<RecordFile | undefined> {
  if (file === undefined) return undefined;
  const { readRecord } = await import('../files/record.ts');
  const options = { stdin, dialect: api.dialect, allowUnknown: allowUnknownFields === true };
  return readRecord(file, kind, options).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    throw error.code === 'several_records' ? error.withHint(serviceLine(globals, 'apply', file)) : error;
  });
}

/** Whether a command checks first if the record exists, and what follows. */
export interface LookFlags {
  /** Check; implied by --if-not-exists. */
  readonly check: boolean;
  readonly ifNotExists?: true;
}

/** The existing record. */
export interface Existing {
  readonly sentence: string;
  /** What identifies it, for the details of an error. */
  readonly shown: ServiceRecord;
  /** The result with --if-not-exists. */
  readonly facts: Facts;
}

/** Statuses of a check that a retry will not change. */
const closed = new Set([403, 404, 405, 501]);

/** What is known of a record before it is created. */
export interface FirstLook {
  /** As it was before the service was read: what others create after that is looked for again. */
  readonly history: History;
  /** The record, if the service was read, and shows it. */
  readonly found?: ServiceRecord | undefined;
}

/**
 * Checks if a record exists before it is created. A check that is not allowed or not conclusive is only a warning,
 * unless --if-not-exists is given. What may have been created before is looked for in any case.
 *
 * @param look learns whether it may have been created, and was not deleted.
 * @param whether the purpose, as a clause: `whether HAM already exists`.
 * @throws {CliError} if the check fails otherwise: nothing was sent.
 */
export async function lookFirst(
  { kind, name }: Pick<Item, 'kind' | 'name'>,
  look: (wasCreated: boolean) => Promise<ServiceRecord | undefined>,
  whether: string,
  { check, ifNotExists }: LookFlags,
  { journal, out }: Pick<Session, 'journal' | 'out'>,
): Promise<FirstLook> {
  const history = await (await journal()).read();
  const known = history.recall(kind, name);
  const past = known?.deletion === 'done' || known?.creation === undefined ? undefined : known;
  if (!check && ifNotExists !== true && past === undefined) return { history };
  try {
    return { history, found: await look(past !== undefined) };
  } catch (cause) {
    const isClosed = cause instanceof CliError && closed.has(cause.status ?? 0);
    // What was shown once is not created again without a look.
    if (!isClosed || ifNotExists === true || past?.creation?.isShown) throw cause;
    await out.warn(`Could not check ${whether}. ${cause.message}`);
    return { history };
  }
}

/**
 * Reports the existing record with --if-not-exists.
 *
 * @throws {CliError} `already_exists`, exit 6, without the flag.
 */
export async function reportExisting(
  { sentence, shown, facts }: Existing,
  { ifNotExists }: LookFlags,
  { context, out }: Session,
): Promise<void> {
  if (ifNotExists === true) return out.done(sentence, facts);
  const details = Object.entries(shown).flatMap(([field, value]) =>
    typeof value === 'string' ? [{ field, reason: value }] : [],
  );
  const hint = sameCommand(context.argv, '--if-not-exists');
  throw new CliError('already_exists', sentence, { exitCode: ExitCode.refused, details, hint });
}

/** The creation date as the end of a clause; empty if unknown. */
export function sinceText(created: unknown): string {
  return typeof created === 'string' ? `, created ${created}` : '';
}
