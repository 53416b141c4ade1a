import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { Interruption } from '../cli/ports.ts';
import { normalise } from '../model/fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { isDecodable } from '../model/segment.ts';
import type { Answer } from './answer.ts';
import { OPERATION_MS } from './budget.ts';
import type { Call } from './client.ts';
import type { PathValues } from './operations.ts';
import { idProblem } from './path.ts';
import { type Earlier, earlierOf, failedLook, type Pause } from './send.ts';
import type { ApiOptions } from './service.ts';

/** What looks after a write need of a session. */
export interface SettleOptions {
  /** Rejects with the `Interruption` when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** `Clock.monotonic`. */
  readonly now: () => number;
  /** When the whole command must be over, by the same clock. */
  readonly deadline: number | undefined;
  /** Milliseconds for one operation if the command has no limit; default 120 s. */
  readonly operationMs?: () => number;
}

/** The same with a deadline. */
export interface LookOptions extends SettleOptions {
  readonly deadline: number;
}

/** What was seen last, or why nothing could be seen. */
export type Look<Seen> = { readonly seen: Seen } | { readonly failure: CliError | undefined };

/** What reading back showed of a write that the service accepted. */
export type Verification = 'confirmed' | 'not_yet_visible' | 'not_readable';

/** The result of an update or a deletion. */
export interface ReadBack {
  /** `undefined` if it was not requested, or could not be determined. */
  readonly verification: Verification | undefined;
  /** Paths that keep it from being confirmed. */
  readonly paths: readonly string[];
  /** The record as read back. */
  readonly record?: ServiceRecord | undefined;
  /** Why it could not be read. */
  readonly failure?: CliError | undefined;
  /** What is true although no answer confirmed it: the beginning of a sentence. */
  readonly presumed?: string | undefined;
}

/** Waits before the looks, milliseconds: a write may become visible a little later. */
const LOOKS_MS = [0, 1_000, 3_000];

/** The time limit for reading back, milliseconds. */
const READ_BACK_MS = 15_000;

/** Sets one deadline for a write and the looks after it. */
export function withDeadline(options: SettleOptions): LookOptions {
  const { operationMs = () => OPERATION_MS } = options;
  return { ...options, deadline: options.deadline ?? options.now() + operationMs() };
}

/** Whether looking can settle an error: an interrupted doubt stays one. */
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
      if (cause.status !== undefined && cause.status >= 400 && cause.status < 500) break;
    }
  }
  return last;
}

/**
 * Looks after a write without an answer.
 *
 * @returns what was seen last, `undefined` if nothing could be.
 * @throws {OutcomeUnknown} the doubt, with the exit code of the interruption, when the run is interrupted.
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
 * Reads back after a write that the service accepted, within 15 s.
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
    const sentence = 'The service carried it out; reading it back was interrupted.';
    throw new CliError('read_back_interrupted', sentence, { cause, exitCode: cause.exitCode });
  });
}

/** The body of create property, checked by the command. */
export type NewProperty = Readonly<Record<string, unknown>>;

/** A record that a creation led to. */
export type CreatedRecord = ServiceRecord & { readonly id: string };

/** What a POST creates. */
export interface Creation<Made> {
  readonly operation:
    | 'createProperty'
    | 'cloneProperty'
    | 'createUnitGroup'
    | 'createUnit'
    | 'createUnits'
    | 'createUnitAttribute';
  /** The property that is cloned. */
  readonly source?: string;
  /** What was created, by the answer; `undefined`: the answer does not say. */
  readonly read: (answer: Answer) => Made | undefined;
}

/** How a creation is settled that may have been carried out without an answer. */
export interface CreationDoubt<Made> {
  /**
   * Looks for what is created: before a repeat, and at the end. `undefined`: it certainly does not exist.
   *
   * @throws {CliError} if that cannot be determined.
   */
  readonly find?: (() => Promise<Made | undefined>) | undefined;
  /** See `ServiceRequest`. */
  readonly leavesDoubt?: boolean;
}

/**
 * Creates records under an idempotency key. A creation in doubt that no look settles is repeated only if keys are
 * trusted, or an answer has shown that they are honoured.
 *
 * @throws {OutcomeUnknown} when neither an answer nor a look says whether it was created.
 */
export async function createUnder<Made>(
  idempotencyKey: string,
  body: ServiceRecord,
  { find, leavesDoubt }: CreationDoubt<Made>,
  { operation, source, read }: Creation<Made>,
  call: Call,
  options: SettleOptions & Pick<ApiOptions, 'trustsKeys'>,
): Promise<Made> {
  // Only the path of `cloneProperty` has a placeholder.
  const path = (source === undefined ? {} : { id: source }) as PathValues<'cloneProperty'>;
  try {
    for (let earlier: Earlier | undefined; ; ) {
      const request = { body, idempotencyKey, pauses: true, leavesDoubt, earlier };
      const sent = await call(operation, path, request);
      const made = 'past' in sent ? await madeInPause(sent, find, options.trustsKeys) : read(sent);
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

/** What an attempt created; `undefined`: the creation may be repeated. */
async function madeInPause<Made>(
  pause: Pause,
  find: CreationDoubt<Made>['find'],
  trustsKeys: boolean,
): Promise<Made | undefined> {
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

/** The record in the answer to a creation; `undefined` without an id. */
export function created(answer: Answer): CreatedRecord | undefined {
  const record = isRecord(answer.body) ? normalise(answer.body) : {};
  const id = idIn(record) ?? idFromLocation(answer);
  return id === undefined ? undefined : { ...record, id };
}

function idIn({ id }: ServiceRecord): string | undefined {
  if (typeof id === 'string' && id.trim() !== '') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The last segment of the `location` header, if it follows the collection. */
function idFromLocation({ headers }: Answer): string | undefined {
  const segment = /\/(?:properties|unit-groups|units|unit-attributes)\/([^/?#]+)$/.exec(
    headers['location'] ?? '',
  )?.[1];
  if (segment === undefined || !isDecodable(segment)) return undefined;
  const id = decodeURIComponent(segment);
  return idProblem(id) === undefined ? id : undefined;
}

/** One deletion of one record. */
interface Removal {
  readonly send: (deadline: number) => Promise<Pick<Answer, 'doubt'>>;
  readonly isGone: (deadline: number) => Promise<boolean>;
  readonly verify: boolean;
  /** What is true of a record that is gone although no answer said that it was deleted. */
  readonly presumed: string;
}

/**
 * Deletes a record and checks that it is gone.
 *
 * @throws {OutcomeUnknown} when no answer confirmed it, and it still exists or cannot be read.
 */
export async function remove(
  { send, isGone, verify, presumed }: Removal,
  options: SettleOptions,
): Promise<ReadBack> {
  const timed = withDeadline(options);
  let doubt: OutcomeUnknown | undefined;
  // A later attempt found nothing to delete: the service answers, so that looking is optional.
  let isMissed = false;
  try {
    ({ doubt } = await send(timed.deadline));
    isMissed = doubt !== undefined;
  } catch (cause) {
    if (!isOpenDoubt(cause)) throw cause;
    doubt = cause;
  }
  if (!verify && (doubt === undefined || isMissed)) {
    return { verification: undefined, paths: [], ...(isMissed ? { presumed } : {}) };
  }
  if (doubt === undefined) {
    const found = await lookBack(isGone, (gone) => gone, options);
    if ('failure' in found) return { verification: 'not_readable', paths: [], failure: found.failure };
    return { verification: found.seen ? 'confirmed' : 'not_yet_visible', paths: [] };
  }
  const seen = await settle(doubt, isGone, (gone) => gone, timed);
  if (seen === true) return { verification: 'confirmed', paths: [], presumed };
  if (seen === undefined && isMissed) return { verification: 'not_readable', paths: [], presumed };
  throw doubt;
}

/** Whether a record does not exist; a page of HTML with status 404 does not show that. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return false;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return true;
    throw cause;
  }
}
