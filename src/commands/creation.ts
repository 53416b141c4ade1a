import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import type { Session } from '../cli/session.ts';
import type { ServiceRecord } from '../model/records.ts';
import { capitalised } from '../model/text.ts';
import type { Facts } from '../print/output.ts';
import { sameCommand } from '../print/text.ts';
import { settleCreations } from '../seed/creation-rules.ts';
import { kindText } from '../seed/entry.ts';
import { type Execution, execute } from '../seed/execute.ts';
import type { History, Sent } from '../seed/history.ts';
import { creationHash, type Item } from '../seed/item.ts';
import type { Result } from '../seed/item-json.ts';
import { deriveKey } from '../seed/keys.ts';
import type { Sight } from '../seed/property-index.ts';
import type { RecordFile } from '../seed/record.ts';
import { countOutcomes } from './apply/end.ts';
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
  kind: 'invitation' | 'property',
  { file, allowUnknownFields }: FileFlags,
  { api, context: { stdin }, globals }: Session,
): Promise<RecordFile | undefined> {
  if (file === undefined) return undefined;
  const { readRecord } = await import('../seed/record.ts');
  const options = { stdin, dialect: api.dialect, allowUnknown: allowUnknownFields === true };
  return readRecord(file, kind, options).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    const noun = kind === 'property' ? 'properties' : 'invitations';
    if (error.code === 'several_records') throw error.withHint(serviceLine(globals, 'apply', file));
    throw error.code === 'unreadable_file' ? error.withHint(`innctl ${noun} create --help`) : error;
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
  look: (wasCreated: boolean) => Promise<Sight>,
  whether: string,
  { check, ifNotExists }: LookFlags,
  { journal, out }: Pick<Session, 'journal' | 'out'>,
): Promise<FirstLook> {
  const history = await journal.read();
  const known = history.recall(kind, name);
  const past = known?.deletion === 'done' || known?.creation === undefined ? undefined : known;
  if (!check && ifNotExists !== true && past === undefined) return { history };
  try {
    const sight = await look(past !== undefined);
    if (sight.doubt !== undefined) await out.warn(`Could not check ${whether}: ${sight.doubt}.`);
    return { history, found: sight.found };
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

/** How creations ended. */
export interface Created {
  readonly results: readonly Result[];
  /** Of the first one that is not done; `undefined` if all are. */
  readonly error: unknown;
}

/**
 * Begins the run of a command that creates. It continues what its own unfinished, identical command line left.
 *
 * @param givenKey from --idempotency-key.
 */
export function beginCreation(history: History, session: Session, givenKey?: string) {
  const { api, context, journal, out, settings } = session;
  const isContinued = journal.begin({ command: journal.command, files: context.argv }, history);
  /** What an unfinished, identical command line sent for a record that is unchanged, or one with the same key. */
  const own = (item: Item): Sent | undefined => {
    const { creation: { sent, row } = {}, isChanged } = history.recall(item.kind, item.name) ?? {};
    const isOfRun = isContinued && sent?.run === journal.runId() && row?.hash === creationHash(item);
    const isOwn = isOfRun || (givenKey !== undefined && sent?.key === givenKey);
    return isOwn && isChanged !== true ? sent : undefined;
  };
  return {
    own,
    /**
     * Applies the rules of truth to what no list shows.
     *
     * @returns the items; what a read by its id shows is the `same`.
     */
    async settle(items: readonly Item[]): Promise<readonly Item[]> {
      const rules = { memory: history, honoursKeys: api.trustsKeys, now: context.clock.now };
      const settled = await settleCreations(items, api, rules);
      const note = noteOf(settled);
      if (note !== undefined) await out.note(note);
      return items.map((item, place) => {
        const { id, ...ruled } = settled[place] ?? item;
        return id === undefined ? ruled : shownAs(item, id);
      });
    },
    /**
     * Creates records, and ends the run.
     *
     * @param items settled; those that are shown are the `same`.
     * @returns `isForeign`: it was there already.
     * @throws {WouldSend} in a dry run.
     */
    async create(items: readonly Item[]): Promise<Created> {
      const { clock, random, signal } = context;
      const isBulk = items.some(({ place }) => place !== undefined);
      const execution = await execute(items, {
        ...{ api, clock, random, signal, concurrency: 1 },
        mostTries: settings().maxAttempts.value,
        trustsKeys: api.trustsKeys,
        lockout: { recheck: async () => {}, reducesSelf: () => false },
        progress: { step: () => {} },
        journal: {
          recall: history.recall,
          see: journal.see,
          keysFrom: givenKey === undefined ? undefined : '--idempotency-key',
          newKey(kind, name, text) {
            if (givenKey === undefined) return journal.newKey(kind, name, text, history);
            return isBulk ? deriveKey(givenKey, name, text, 0) : givenKey;
          },
        },
      });
      journal.end(countOutcomes(execution.results), isContinued);
      const results = execution.results.map((result) => {
        const isForeign = result.item.action === 'same' && own(result.item) === undefined;
        return isForeign ? { ...result, isForeign } : result;
      });
      return { results, error: errorOf(execution, signal.reason) };
    },
  };
}

/** The row of a record that is shown, whatever it has. */
export function shownAs(item: Item, id?: string): Item {
  return { ...item, action: 'same', id };
}

/** Why a single record is created although it was before. */
function noteOf([only, ...others]: readonly Item[]): string | undefined {
  if (only?.action !== 'create' || only.repeats !== undefined || others.length > 0) return undefined;
  const { kind, name, reason } = only;
  return reason && `${capitalised(kindText(kind))} ${name}: ${reason}.`;
}

/**
 * The error of the first creation that is not done, or what stopped them.
 *
 * @param interruption what interrupted the command, even if only a look.
 */
function errorOf({ results, stoppedBy }: Execution, interruption: unknown): unknown {
  const open = results.filter(({ outcome }) => outcome !== 'done');
  const worst = open.find(({ outcome }) => outcome === 'unknown') ?? open[0];
  if (worst === undefined) return undefined;
  const { item, outcome, error } = worst;
  const isFault = !(stoppedBy instanceof CliError || stoppedBy instanceof Interruption);
  if (stoppedBy !== undefined && isFault) return stoppedBy;
  if (outcome === 'not_attempted') return stoppedBy ?? error;
  if (outcome === 'unknown' && interruption instanceof Interruption)
    return error?.with({ exitCode: interruption.exitCode });
  // Its reason is a clause.
  return item.action === 'cannot_tell'
    ? error?.with({ message: `${item.name} is ${error.message}.` })
    : error;
}
