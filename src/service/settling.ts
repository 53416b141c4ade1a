import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { normalise } from '../model/fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import { OPERATION_MS } from './budget.ts';
import type { Call } from './client.ts';
import { idProblem } from './path.ts';
import { type Earlier, earlierOf, failedLook, type Pause } from './send.ts';

/** What the looking after a write needs of a session. */
export interface SettleOptions {
  /** Rejects with the `Interruption` when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** `Clock.monotonic`. */
  readonly now: () => number;
  /** When the whole command must be over, by the same clock. */
  readonly deadline: number | undefined;
  /** Time for one operation where the command has no limit, milliseconds; 120 s otherwise. */
  readonly operationMs?: () => number;
}

/** What looking at the service needs: an end, by the same clock. */
export interface LookOptions extends SettleOptions {
  readonly deadline: number;
}

/** What was seen last, or why nothing could be seen. */
export type Look<Seen> = { readonly seen: Seen } | { readonly failure: CliError | undefined };

/** What reading back said of a write that the service has taken. */
export type Verification = 'confirmed' | 'not_yet_visible' | 'not_readable';

/** The end of a write that answers nothing. */
export interface ReadBack {
  /** `undefined` if it was not asked for, or could not be determined. */
  readonly verification: Verification | undefined;
  /** Paths that keep it from being confirmed. */
  readonly paths: readonly string[];
  /** The record as it was read, where it was. */
  readonly record?: ServiceRecord | undefined;
  /** Why it could not be read. */
  readonly failure?: CliError | undefined;
  /** What is true where no answer said yes: the beginning of a sentence. */
  readonly presumed?: string | undefined;
}

/** Waits before the looks, milliseconds: what was written may show a little later. */
const LOOKS_MS = [0, 1_000, 3_000];

/** The time limit for reading back, milliseconds. */
const READ_BACK_MS = 15_000;

/** The options of a write and of the looks after it, which have one time together. */
export function withDeadline(options: SettleOptions): LookOptions {
  const { operationMs = () => OPERATION_MS } = options;
  return { ...options, deadline: options.deadline ?? options.now() + operationMs() };
}

/** Whether looking can settle an error: a doubt that was interrupted stays one. */
export function isOpenDoubt(error: unknown): error is OutcomeUnknown {
  return error instanceof OutcomeUnknown && error.exitCode === ExitCode.unknown;
}

/**
 * Reads until what is seen is enough, at most three times.
 *
 * @throws {Interruption} when the run is interrupted.
 */
export async function look<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline }: LookOptions,
): Promise<Look<Seen>> {
  let last: Look<Seen> = { failure: undefined };
  for (const wait of LOOKS_MS) {
    if (now() + wait >= deadline) break;
    await sleep(wait);
    try {
      last = { seen: await read(deadline) };
      if (isEnough(last.seen)) break;
    } catch (cause) {
      if (!(cause instanceof CliError)) throw cause;
      // An earlier look is worth more than a failed one; a refusal will not become an answer.
      if (!('seen' in last)) last = { failure: cause };
      if (isClientError(cause)) break;
    }
  }
  return last;
}

/**
 * Looks after a write that was left without an answer.
 *
 * @returns what was seen last, `undefined` where nothing could be.
 * @throws {OutcomeUnknown} the doubt, with the code of the interruption, when the run is interrupted.
 */
export async function settle<Seen>(
  doubt: OutcomeUnknown,
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  options: LookOptions,
): Promise<Seen | undefined> {
  const found = await look(read, isEnough, options).catch((cause: unknown) => {
    throw cause instanceof Interruption ? doubt.with({ exitCode: cause.exitCode }) : cause;
  });
  return 'seen' in found ? found.seen : undefined;
}

/**
 * Reads back after a write that the service has taken, with a short time limit of its own.
 *
 * @throws {CliError} `read_back_interrupted`, saying that the write was carried out, when it is interrupted.
 */
export async function lookBack<Seen>(
  read: (deadline: number) => Promise<Seen>,
  isEnough: (seen: Seen) => boolean,
  { sleep, now, deadline = Number.POSITIVE_INFINITY }: SettleOptions,
): Promise<Look<Seen>> {
  const latest = Math.min(deadline, now() + READ_BACK_MS);
  return look(read, isEnough, { sleep, now, deadline: latest }).catch((cause: unknown) => {
    if (!(cause instanceof Interruption)) throw cause;
    throw new CliError(
      'read_back_interrupted',
      'The service carried it out; reading it back was interrupted.',
      {
        cause,
        exitCode: cause.exitCode,
      },
    );
  });
}

function isClientError({ status }: CliError): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** The body of create property, checked by the command. */
export type NewProperty = Readonly<Record<string, unknown>>;

/** A property that a creation led to. */
export type CreatedProperty = ServiceRecord & { readonly id: string };

/** What is done where a creation may have been carried out and no answer says so. */
export interface CreationDoubt {
  /**
   * Looks for the property: before a repeat, and once more at the end. `undefined`: it is certainly not there.
   *
   * @throws {CliError} when nothing tells.
   */
  readonly find?: (() => Promise<CreatedProperty | undefined>) | undefined;
  /** Repeat nothing that may have been carried out: the caller looks first, and sends it again. */
  readonly leavesDoubt?: boolean;
}

interface CreationOptions extends SettleOptions {
  /** Whether the service is known to honour idempotency keys. */
  readonly trustsKeys: boolean;
}

/**
 * Creates a property under an idempotency key. What nothing tells about is repeated under the same key only where keys are
 * trusted, or an answer has shown that they are honoured.
 *
 * @throws {OutcomeUnknown} when no answer says whether it was created, and no look does.
 */
export async function createUnder(
  idempotencyKey: string,
  property: NewProperty,
  { find, leavesDoubt }: CreationDoubt,
  call: Call,
  options: CreationOptions,
): Promise<CreatedProperty> {
  try {
    for (let earlier: Earlier | undefined; ; ) {
      const request = { body: property, idempotencyKey, pauses: true, leavesDoubt, earlier };
      const sent = await call('createProperty', {}, request);
      const made = 'past' in sent ? await propertyInPause(sent, find, options) : created(sent);
      if (made !== undefined) return made;
      earlier = earlierOf(sent);
    }
  } catch (error) {
    if (find === undefined || !isOpenDoubt(error)) throw error;
    const found = await settle(error, find, (each) => each !== undefined, withDeadline(options));
    if (found === undefined) throw error;
    return found;
  }
}

/** The property, where a try may have created it; `undefined`: the creation may be repeated. */
async function propertyInPause(
  pause: Pause,
  find: CreationDoubt['find'],
  { trustsKeys }: CreationOptions,
): Promise<CreatedProperty | undefined> {
  const { inDoubt, suspect, honoursKey } = pause.past;
  if (honoursKey || !(inDoubt || suspect)) return undefined;
  try {
    return await find?.();
  } catch (cause) {
    const mayRepeat = trustsKeys || !inDoubt;
    if (mayRepeat && cause instanceof CliError) return undefined;
    throw failedLook(cause, pause);
  }
}

/** The record of a creation's answer; `undefined` when it names no id. */
function created(answer: Answer): CreatedProperty | undefined {
  const record = isRecord(answer.body) ? normalise(answer.body) : {};
  const id = idIn(record) ?? idFromLocation(answer);
  return id === undefined ? undefined : { ...record, id };
}

function idIn({ id }: ServiceRecord): string | undefined {
  if (typeof id === 'string' && id.trim() !== '') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The segment that follows the collection in the location; anything else there is no id. */
function idFromLocation({ headers }: Answer): string | undefined {
  const segment = /\/properties\/([^/?#]+)$/.exec(headers['location'] ?? '')?.[1];
  if (segment === undefined) return undefined;
  try {
    const id = decodeURIComponent(segment);
    return idProblem(id) === undefined ? id : undefined;
  } catch {
    // A broken percent encoding names nothing.
    return undefined;
  }
}

/** One deletion of one record. */
interface Removal {
  readonly send: (deadline: number) => Promise<Pick<Answer, 'doubt'>>;
  readonly isGone: (deadline: number) => Promise<boolean>;
  readonly verify: boolean;
  /** What is true of a record that is not there although no answer says that it was deleted. */
  readonly presumed: string;
}

/**
 * Deletes a record and looks whether it is gone.
 *
 * @throws {OutcomeUnknown} when no answer said yes, and it is still there or nothing tells.
 */
export async function remove(removal: Removal, options: SettleOptions): Promise<ReadBack> {
  const { isGone, verify, presumed } = removal;
  const timed = withDeadline(options);
  const { doubt, isMissed } = await attempt(removal, timed.deadline);
  if (!verify && (doubt === undefined || isMissed)) {
    return { verification: undefined, paths: [], ...(isMissed ? { presumed } : {}) };
  }
  if (doubt === undefined) return readBack(removal, options);
  const seen = await settle(doubt, isGone, (gone) => gone, timed);
  if (seen === true) return { verification: 'confirmed', paths: [], presumed };
  if (seen === undefined && isMissed) return { verification: 'not_readable', paths: [], presumed };
  throw doubt;
}

/** What sending left in doubt, and whether a later try missed the record: then something answered after all. */
interface Attempt {
  readonly doubt?: OutcomeUnknown;
  readonly isMissed: boolean;
}

async function attempt({ send }: Removal, deadline: number): Promise<Attempt> {
  try {
    const { doubt } = await send(deadline);
    return doubt === undefined ? { isMissed: false } : { doubt, isMissed: true };
  } catch (cause) {
    if (isOpenDoubt(cause)) return { doubt: cause, isMissed: false };
    throw cause;
  }
}

async function readBack({ isGone }: Removal, options: SettleOptions): Promise<ReadBack> {
  const found = await lookBack(isGone, (gone) => gone, options);
  if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
  return { verification: found.seen ? 'confirmed' : 'not_yet_visible', paths: [] };
}

/** Whether reading a record says that there is none; a page of HTML with that status says nothing. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return true;
    throw cause;
  }
}
