import { CliError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import type { Past } from '../http/retry.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import { normalise } from './fields.ts';
import { isOpenDoubt, type SettleOptions, settle, withDeadline } from './looks.ts';
import { idProblem } from './path.ts';

/** The body of create property; commands/properties/check.ts checks it. */
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
  let seen: CreatedProperty | undefined;
  const look = async ({ inDoubt, suspect, honoursKey }: Past) => {
    if (honoursKey || !(inDoubt || suspect)) return property;
    seen = await find?.().catch(orRepeat(options.trustsKeys || !inDoubt));
    return seen === undefined ? property : undefined;
  };
  const isCredible = (answer: Answer) => created(answer) !== undefined;
  try {
    const renewBody = find && look;
    const sent = { body: property, idempotencyKey, isCredible, renewBody, leavesDoubt };
    const record = created(await call('createProperty', {}, sent)) ?? seen;
    if (record === undefined) throw new Error('an answer that names no id was taken');
    return record;
  } catch (error) {
    if (find === undefined || !isOpenDoubt(error)) throw error;
    const found = await settle(error, find, (each) => each !== undefined, withDeadline(options));
    if (found === undefined) throw error;
    return found;
  }
}

function orRepeat(mayRepeat: boolean) {
  return (cause: unknown): undefined => {
    if (!(mayRepeat && cause instanceof CliError)) throw cause;
  };
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
