import { identityOf } from '../files/entry.ts';
import type { Memory } from '../journal/history.ts';
import { type PropertyChange, withoutRoles } from '../model/access-change.ts';
import { CliError, OutcomeUnknown, reasonText } from '../model/errors.ts';
import { isInventory, resources } from '../model/kinds.ts';
import type { PatchStep } from '../model/patch.ts';
import { Interruption } from '../model/ports.ts';
import { type ServiceRecord, withoutHoles } from '../model/records.ts';
import { counted } from '../model/text.ts';
import { Accepted, withdraw } from '../service/invitations.ts';
import { WouldSend } from '../service/send.ts';
import type { Api } from '../service/service.ts';
import { isOpenDoubt } from '../service/settling.ts';
import type { WriteAbout } from '../service/writes.ts';
import { isInDoubt } from './creation-rules.ts';
import { changeInventory, type InventoryService, inventoryBody, readBackUnits } from './inventory-row.ts';
import {
  accessChangeOf,
  beforeAndAfter,
  creationHash,
  type GivenAccess,
  type Item,
  linkKey,
  type Result,
  type Written,
  withoutRolesIn,
} from './item.ts';
import type { ListApi } from './listing.ts';

/** The part of the service that rows use. */
export interface Service extends InventoryService {
  readonly kept: Api['kept'];
  readonly properties: ListApi['properties'] &
    Pick<Api['properties'], 'create' | 'clone' | 'update' | 'carryOut' | 'delete'>;
  readonly invitations: Pick<Api['invitations'], 'create' | 'delete'>;
  readonly users: Pick<Api['users'], 'update' | 'read' | 'listAll'>;
}

/** The request of one row, with ids instead of codes. */
export interface Request {
  readonly item: Item;
  readonly body: Readonly<Record<string, unknown>>;
  readonly steps: Item['steps'];
  /** The idempotency key of a creation that has one. */
  readonly key: string | undefined;
}

/**
 * How a request ended. `not_attempted`: the service certainly did nothing, because the run was stopped first; with an error, no
 * further request may be sent.
 */
export interface Ended extends Result {
  /** A bug of innctl; the request may have been carried out. */
  readonly fault?: unknown;
}

/**
 * Sends the request of one row, and judges the outcome. Rejects only with `WouldSend`, in a dry run.
 *
 * @param service what it is sent through, and checked with right before.
 */
export async function sendRow(request: Request, service: RowService): Promise<Ended> {
  const { api, lockout, journal } = service;
  const { item } = request;
  const isDoubted = item.resends !== 'listed' && isInDoubt(journal.recall(item.kind, item.name));
  try {
    await lockout.recheck(item);
    const sent = await (item.resends === undefined ? send(request, api) : resend(request, isDoubted, api));
    return { item, outcome: 'done', ...sent, access: accessAfter(request, sent.readBack) };
  } catch (cause) {
    if (cause instanceof WouldSend) throw cause;
    return judge(cause, item, isDoubted);
  }
}

/** Sends one request that creates several units, and judges the outcome, which is that of all. Never rejects. */
export async function sendUnits(
  rows: readonly Pick<Request, 'item' | 'body'>[],
  key: string,
  { api }: Pick<RowService, 'api'>,
): Promise<Omit<Ended, 'item'>> {
  const [first] = rows;
  if (first === undefined) return { outcome: 'done' };
  try {
    const bodies = rows.map(({ body }) => body);
    const about = {
      kind: 'unit',
      action: 'create',
      rows: rows.map(({ item, body }) => ({ name: item.name, hash: creationHash(item), after: body })),
    } as const;
    const { length } = await api.kept.one(() => api.units.createAll(bodies, key), about);
    if (length === rows.length) return { outcome: 'done' };
    const sentence = `The service was asked for ${rows.length} units, and answered with ${counted(length, 'id')}.`;
    return { outcome: 'unknown', error: new OutcomeUnknown(sentence) };
  } catch (cause) {
    if (cause instanceof WouldSend) throw cause;
    const { item: _, id: _id, ...ended } = judge(cause, first.item, false);
    return ended;
  }
}

/** Sends one request that changes several units alike, and judges the outcome of each by a list. */
export async function sendAlike(
  items: readonly Item[],
  { api }: Pick<RowService, 'api'>,
): Promise<readonly Ended[]> {
  const { steps = [], isReadBack } = items[0] ?? {};
  const ids = items.map((item) => needed(item.id, item));
  const rows = items.flatMap((item) => aboutRow({ item, body: {} }).rows);
  const about = { kind: 'unit', action: 'change', rows } as const;
  const sending = api.kept.one(() => api.units.updateAll(ids, steps), about);
  const failure: unknown = await sending.catch((cause: unknown) => cause);
  const mustLook = failure === undefined ? isReadBack : isOpenDoubt(failure);
  const seen = mustLook ? await readBackUnits(items, api).catch(unlessFault) : undefined;
  return items.map((item) => {
    const readBack = seen?.get(item);
    const isDone = failure === undefined || readBack?.verification === 'confirmed';
    return isDone ? { item, outcome: 'done', id: item.id, readBack } : judge(failure, item, false);
  });
}

/** For `catch` of a look that a write can do without. */
export function unlessFault(cause: unknown): undefined {
  if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
}

interface RowService {
  readonly api: Service;
  readonly lockout: { recheck(item: Item): Promise<void> };
  readonly journal: Pick<Memory, 'recall'>;
}

/**
 * Withdraws an invitation and invites again. Once it is withdrawn, every failure says so: the journal alone has what it gave.
 */
async function resend(request: Request, isDoubted: boolean, api: Service) {
  const { item, body } = request;
  if (item.resends === 'listed') {
    // What it gives is nowhere else until it is sent again.
    const rows = [{ name: item.name, before: item.record ?? body, after: body }];
    const withdrawing = () => withdraw(item.name, { verify: false }, api);
    await api.kept.one(withdrawing, { kind: 'invitation', action: 'delete', rows });
  }
  try {
    return await send(request, api);
  } catch (cause) {
    const isFailure = cause instanceof CliError && !(cause instanceof OutcomeUnknown);
    if (!(isFailure || cause instanceof Interruption)) throw cause;
    if (isFailure && isKnownMail(cause, item, isDoubted)) throw cause;
    const why = isFailure ? reasonText(cause) : cause.message;
    const sentence = `The invitation is withdrawn, and was not sent again: ${why.replace(/\.?$/, '.')} The same command sends it.`;
    const status = isFailure ? cause.status : undefined;
    throw new CliError('not_sent_again', sentence, { exitCode: cause.exitCode, status, cause });
  }
}

async function send(request: Request, service: Service): Promise<Pick<Ended, 'id' | 'readBack' | 'record'>> {
  const { item } = request;
  return service.kept.one(async () => {
    if (item.action === 'create') return create(request, service);
    const readBack = await write(request, service);
    return { id: item.id, readBack };
  }, aboutRow(request));
}

/** What the journal keeps of a row. */
function aboutRow({ item, body }: Pick<Request, 'item' | 'body'>): WriteAbout {
  const { kind, action, name, id, record, entry, changes, edits, life } = item;
  if (action === 'create') return { kind, action, rows: [{ name, hash: creationHash(item), after: body }] };
  if (action === 'delete') return { kind, action, rows: [{ name, id, before: record }] };
  const { before, after } = beforeAndAfter(changes);
  // Without a record nothing says what the properties will be.
  const { addProperties: add_properties, removeProperties: remove_properties } =
    after['properties'] === undefined ? (edits ?? {}) : {};
  const more = withoutHoles({ add_properties, remove_properties, [life ?? '']: life && true });
  const isRead = (record ?? entry) !== undefined || changes.some(({ from }) => from !== undefined);
  const rows = [{ name, id, before: isRead ? before : undefined, after: { ...after, ...more } }];
  return { kind, action: 'change', rows };
}

async function create({ item, body, key }: Request, service: Service) {
  const { kind, name, source } = item;
  const { invitations, properties } = service;
  if (kind === 'invitation') {
    const record = await invitations.create({ ...body, email: name });
    return { id: item.id, record: item.entry === undefined ? record : undefined };
  }
  const used = needed(key, item);
  if (kind === 'user') throw new Error('a user is not created');
  const record = await (source === undefined
    ? service[resources[kind]].create(body, used)
    : properties.clone(source, body, used));
  // Rows of a file keep no answers: there may be many.
  return { id: record.id, record: item.entry === undefined ? record : undefined };
}

/** Changes or deletes a record. */
async function write({ item, steps, body }: Request, service: Service): Promise<Written> {
  const { properties, users } = service;
  const { kind, action, name, id, life } = item;
  const how = { verify: item.isReadBack === true };
  if (kind === 'unit' && life !== undefined) return service.units.archive(needed(id, item), how);
  if (isInventory(kind) && action === 'change')
    return changeInventory(kind, needed(id, item), item, body, service, how);
  if (kind === 'user') return users.update(needed(id, item), { ...item.edits, steps }, how);
  if (kind === 'invitation') return withdraw(name, how, service);
  if (life !== undefined) return properties.carryOut(needed(id, item), life, how);
  if (action === 'change') return properties.update(needed(id, item), steps, how);
  return service[resources[kind]].delete(needed(id, item), how);
}

/** What a user gained and lost; `undefined` if unknown. Roles are those read back, or else those of the plan. */
function accessAfter({ item, steps }: Request, done: Written | undefined): GivenAccess | undefined {
  const foreseen = accessChangeOf(item, steps);
  if (foreseen === undefined || foreseen.isOpen) return undefined;
  const change = { ...foreseen, ...gainAndLoss(item, foreseen, done) };
  if (change.added.length === 0) return { ...change, withoutRoles: [] };
  const record = done?.record;
  const without = record === undefined ? withoutRolesIn(item) : withoutRoles(record, change.added);
  return { ...change, withoutRoles: without };
}

/** What this update added and removed beside what others did meanwhile, as far as known. */
function gainAndLoss(
  { edits: { addProperties = [], removeProperties = [] } = {} }: Item,
  { removedRoles }: PropertyChange,
  { isWritten, properties: edited }: Partial<Written> = {},
): Partial<PropertyChange> {
  if (isWritten === false) return { added: [], removed: [], removedRoles: [] };
  if (edited?.sent === undefined) return {};
  const after = edited.isChangedMeanwhile ? (edited.now ?? edited.sent) : edited.sent;
  const was = new Set(edited.before);
  const removed = removeProperties.filter((id) => was.has(id) && !after.includes(id));
  return {
    added: addProperties.filter((id) => !was.has(id) && after.includes(id)),
    removed,
    removedRoles: removedRoles.filter(({ id }) => removed.includes(id)),
  };
}

/** @param isDoubted whether an earlier request may have sent the mail. */
function judge(cause: unknown, item: Item, isDoubted: boolean): Ended {
  const { action, id, name, mustExist } = item;
  if (cause instanceof Interruption) return { item, outcome: 'not_attempted' };
  if (cause instanceof OutcomeUnknown) return { item, outcome: 'unknown', id, error: cause };
  if (cause instanceof Accepted) return { item, outcome: 'failed', id: cause.id, error: cause };
  if (cause instanceof CliError) {
    const isGone = cause.code === 'not_found' && action === 'delete' && mustExist !== true;
    if (isGone || isKnownMail(cause, item, isDoubted)) return { item, outcome: 'done', id };
    // Without a status: the gate did not allow any attempt.
    const isHeldBack =
      cause.code === 'journal_failed' || (cause.code === 'rate_limited' && cause.status === undefined);
    return { item, outcome: isHeldBack ? 'not_attempted' : 'failed', id, error: cause };
  }
  const sentence = `The outcome of the request about ${name} is unknown: innctl itself failed.`;
  const error = new OutcomeUnknown(sentence, { cause });
  return { item, outcome: 'unknown', id, error, fault: cause };
}

/** Whether an invitation was refused because an earlier mail, in doubt, had been sent. */
function isKnownMail({ code, status }: CliError, { kind, action, isMailed }: Item, isDoubted: boolean) {
  if (kind !== 'invitation' || action !== 'create') return false;
  if (isMailed === true && code === 'conflict') return true;
  return status === 409 && isDoubted;
}

function needed(value: string | undefined, { kind, name }: Item): string {
  if (value === undefined) throw new Error(`the plan of ${kind} ${name} is not whole`);
  return value;
}

/** The rows whose records have no id yet, by identity. */
export function unresolvedItems(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(
    items
      .filter(({ id, action }) => id === undefined && (action === 'create' || action === 'cannot_tell'))
      .map((item) => [identityOf(item), item]),
  );
}

/**
 * The request of a row with the ids of records that this run has created.
 *
 * @param unresolved as `unresolvedItems` gives it.
 * @returns `missing` is a record that has no id yet.
 */
export function resolveRow(
  { kind, body = {}, steps, links = new Map() }: Item,
  unresolved: ReadonlyMap<string, Item>,
  results: ReadonlyMap<Item, Result>,
) {
  let missing: Item | undefined;
  const idOf = (row: Pick<Item, 'kind' | 'name'>) => {
    const item = unresolved.get(identityOf(row));
    const result = item && results.get(item);
    if (result?.outcome === 'done' && result.id !== undefined) return result.id;
    missing ??= item;
    return row.name;
  };
  if (isInventory(kind)) {
    const resolved = inventoryBody(body, (field, name) => {
      const link = links.get(linkKey(field, name)) ?? { id: name };
      return 'id' in link ? link.id : idOf(link);
    });
    return { body: resolved, steps, missing };
  }
  const propertyOf = (code: unknown) =>
    typeof code === 'string' ? idOf({ kind: 'property', name: code }) : code;
  const resolved = {
    body: bodyWith(body, propertyOf),
    steps: steps.map((step) => stepWith(step, propertyOf)),
  };
  return { ...resolved, missing };
}

/** A body with its properties named otherwise. */
export function bodyWith(body: ServiceRecord, nameOf: (property: unknown) => unknown): ServiceRecord {
  const { properties } = body;
  return Array.isArray(properties) ? { ...body, properties: properties.map(nameOf) } : body;
}

/** A step of a patch with its properties named otherwise. */
export function stepWith<Step extends PatchStep | ServiceRecord>(
  step: Step,
  nameOf: (property: unknown) => unknown,
): Step {
  if (step.path !== '/properties' || !('value' in step) || !Array.isArray(step.value)) return step;
  return { ...step, value: step.value.map(nameOf) };
}
