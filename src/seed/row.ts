import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import { withoutRoles } from '../model/access-change.ts';
import { isRecord } from '../model/records.ts';
import type { NewInvitation } from '../service/invitations.ts';
import type { Api } from '../service/service.ts';
import { accessChangeOf } from './consequences.ts';
import { sameName } from './entry.ts';
import type { Item } from './item.ts';
import type { GivenAccess, Result } from './item-json.ts';
import { isInDoubt, type Memory } from './journal-line.ts';
import type { PropertiesApi } from './property-index.ts';

/** The part of the service that rows use. */
export interface Service {
  readonly properties: PropertiesApi['properties'] & Pick<Api['properties'], 'create' | 'update' | 'delete'>;
  readonly invitations: Pick<Api['invitations'], 'create' | 'delete'>;
  readonly users: Pick<Api['users'], 'update' | 'read'>;
}

/** The request of one row, with ids instead of codes. */
export interface Request {
  readonly item: Item;
  readonly body: Readonly<Record<string, unknown>>;
  readonly steps: Item['steps'];
  /** The idempotency key of a property's creation. */
  readonly key: string | undefined;
}

/**
 * How a request ended.
 *
 * - `done`, `failed`, `unknown`: like the row.
 * - `not_sent`: the service certainly did nothing: the run was stopped first; with an error, no further request may be sent.
 * - `fault`: a bug of innctl; the request may have been carried out.
 */
export type Ended =
  | Done
  | { readonly state: 'failed' | 'unknown'; readonly error: CliError }
  | { readonly state: 'not_sent'; readonly error?: CliError }
  | { readonly state: 'fault'; readonly error: OutcomeUnknown; readonly fault: unknown };

interface Done {
  readonly state: 'done';
  readonly id: string | undefined;
  readonly access?: GivenAccess | undefined;
}

/** A creation in doubt is not repeated: the run settles it. */
const LOOKED_FOR = { leavesDoubt: true };

/** A run does not read back what it wrote. */
const UNREAD = { verify: false };

/**
 * Sends the request of one row, and judges the outcome. Never rejects.
 *
 * @param recheck rejects if the row must not be sent any more.
 */
export async function sendRow(
  request: Request,
  service: Service,
  recheck: (item: Item) => Promise<void>,
): Promise<Ended> {
  try {
    await recheck(request.item);
    const id = await send(request, service);
    return { state: 'done', id, access: await accessAfter(request, service) };
  } catch (cause) {
    return judge(cause, request.item);
  }
}

/** Whether an invitation was refused as a conflict because an earlier one, in doubt, had been sent. */
export function isKnownMail(
  { kind, name, action }: Item,
  ended: Ended,
  memory: Pick<Memory, 'recall'>,
): boolean {
  const isConflict = ended.state === 'failed' && ended.error.status === 409;
  const isMail = kind === 'invitation' && action === 'create';
  return isMail && isConflict && isInDoubt(memory.recall(kind, name));
}

async function send({ item, body, steps, key }: Request, service: Service): Promise<string | undefined> {
  const { kind, action, name, id } = item;
  if (kind === 'property') {
    if (action === 'create') return (await service.properties.create(body, needed(key, item), LOOKED_FOR)).id;
    if (action === 'change') await service.properties.update(needed(id, item), steps, UNREAD);
    else await service.properties.delete(needed(id, item), UNREAD);
  } else if (kind === 'user') {
    await service.users.update(needed(id, item), { steps }, UNREAD);
  } else if (action === 'create') {
    await service.invitations.create(invitationOf(body, name));
  } else {
    await service.invitations.delete(name, UNREAD);
  }
  return id;
}

/** What a user gained and lost; `undefined` if unknown. Roles are read after a grant, and left out if that fails. */
async function accessAfter(
  { item, steps }: Request,
  { users }: Pick<Service, 'users'>,
): Promise<GivenAccess | undefined> {
  const change = accessChangeOf(item, steps);
  if (change === undefined || change.isOpen) return undefined;
  if (change.added.length === 0) return { ...change, withoutRoles: [] };
  try {
    return { ...change, withoutRoles: withoutRoles(await users.read(needed(item.id, item)), change.added) };
  } catch (cause) {
    // The row is done, even if this read fails.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    return { ...change, withoutRoles: [] };
  }
}

function judge(cause: unknown, { action, id, name, isMailed }: Item): Ended {
  if (cause instanceof OutcomeUnknown) return { state: 'unknown', error: cause };
  if (cause instanceof Interruption) return { state: 'not_sent' };
  // The record is already deleted.
  if (cause instanceof CliError && cause.code === 'not_found' && action === 'delete')
    return { state: 'done', id };
  // The earlier mail was sent.
  if (cause instanceof CliError && cause.code === 'conflict' && isMailed === true)
    return { state: 'done', id };
  // Without a status: the gate did not allow any attempt.
  if (cause instanceof CliError && cause.code === 'rate_limited' && cause.status === undefined)
    return { state: 'not_sent', error: cause };
  if (cause instanceof CliError) return { state: 'failed', error: cause };
  const error = new OutcomeUnknown(
    `The outcome of the request about ${name} is unknown: innctl itself failed.`,
    {
      cause,
    },
  );
  return { state: 'fault', error, fault: cause };
}

function invitationOf(body: Request['body'], email: string): NewInvitation {
  return { ...body, email };
}

function needed(value: string | undefined, { kind, name }: Item): string {
  if (value === undefined) throw new Error(`the plan of ${kind} ${name} is not whole`);
  return value;
}

/** A value with resolved property ids, or the property without an id. */
export type Resolved<Value> = { readonly value: Value } | { readonly missing: Item };

/** Resolves the properties that this run creates in the requests about people. */
export interface References {
  /** The same body with ids in its `properties`. */
  inBody(body: Readonly<Record<string, unknown>>): Resolved<Readonly<Record<string, unknown>>>;
  /** The same steps with ids at `/properties`. */
  inSteps(steps: Item['steps']): Resolved<Item['steps']>;
}

/** @param resultOf how a row ended. */
export function createReferences(
  items: readonly Item[],
  resultOf: (item: Item) => Result | undefined,
): References {
  let created: ReadonlyMap<string, Item> | undefined;
  const resolve = (value: unknown): Resolved<unknown> => {
    if (!Array.isArray(value)) return { value };
    const known = created ?? withoutId(items);
    created = known;
    const ids = value.map((code) => {
      const item = typeof code === 'string' ? known.get(sameName(code)) : undefined;
      return item === undefined ? { value: code } : idOf(item, resultOf(item));
    });
    const missing = ids.find((each) => 'missing' in each);
    return missing ?? { value: ids.map((each) => ('value' in each ? each.value : undefined)) };
  };
  return {
    inBody(body) {
      const found = resolve(body['properties']);
      if ('missing' in found) return found;
      return { value: found.value === undefined ? body : { ...body, properties: found.value } };
    },
    inSteps(steps) {
      const resolved = steps.map((step) => {
        if (step.path !== '/properties' || !isRecord(step) || !('value' in step)) return { value: step };
        const found = resolve(step.value);
        return 'missing' in found ? found : { value: { ...step, value: found.value } };
      });
      const missing = resolved.find((each) => 'missing' in each);
      return missing ?? { value: resolved.flatMap((each) => ('value' in each ? [each.value] : [])) };
    },
  };
}

/** The properties without an id, by code; built on demand, because most runs need none. */
function withoutId(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(
    items
      .filter(({ kind, action, id }) => kind === 'property' && id === undefined && isNotThere(action))
      .map((item) => [sameName(item.name), item]),
  );
}

function isNotThere(action: Item['action']): boolean {
  return action === 'create' || action === 'cannot_tell';
}

function idOf(item: Item, result: Result | undefined): Resolved<unknown> {
  return result?.outcome === 'done' && result.id !== undefined ? { value: result.id } : { missing: item };
}
