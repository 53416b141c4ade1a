import { CliError, OutcomeUnknown } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import { withoutRoles } from '../model/access-change.ts';
import { changesNothing, type PatchStep } from '../model/patch.ts';
import type { ServiceRecord } from '../model/records.ts';
import { counted, sameName } from '../model/text.ts';
import { Accepted, withdraw } from '../service/invitations.ts';
import type { Api } from '../service/service.ts';
import type { ReadBack } from '../service/settling.ts';
import { identityOf, isInventory } from './entry.ts';
import {
  changeInventory,
  createInventory,
  deleteInventory,
  type InventoryService,
  inventoryBody,
} from './inventory-row.ts';
import { accessChangeOf, changesShown, type Item, itemFor, linkKey } from './item.ts';
import { type GivenAccess, type Result, reasonText, withoutRolesIn } from './item-json.ts';
import { isInDoubt, type Memory } from './journal-line.ts';
import type { LockoutRule } from './lockout-rows.ts';
import type { PropertiesApi } from './property-index.ts';
import type { RowJournal } from './row-journal.ts';

/** The part of the service that rows use. */
export interface Service extends InventoryService {
  readonly properties: PropertiesApi['properties'] &
    Pick<Api['properties'], 'create' | 'update' | 'carryOut' | 'delete'>;
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
  /** The row of the user who accepted the invitation: it is sent in place of this one. */
  readonly user?: Item;
}

/** A creation in doubt is not repeated: the run settles it. */
const LOOKED_FOR = { leavesDoubt: true };

/**
 * Sends the request of one row, and judges the outcome. Never rejects.
 *
 * @param service what it is sent through, and checked with right before.
 */
export async function sendRow(request: Request, service: RowService): Promise<Ended> {
  const { api, lockout, journal } = service;
  const { item } = request;
  try {
    await lockout.recheck(item);
    const sent = await (item.resends === undefined ? send(request, api) : resend(request, service));
    return { item, outcome: 'done', ...sent, access: await accessAfter(request, api) };
  } catch (cause) {
    return judge(cause, item, journal);
  }
}

/** Sends one request that creates several units, and judges the outcome, which is that of all. Never rejects. */
export async function sendUnits(
  rows: readonly Pick<Request, 'item' | 'body'>[],
  key: string,
  { api, journal }: Pick<RowService, 'api' | 'journal'>,
): Promise<Omit<Ended, 'item'>> {
  const [first] = rows;
  if (first === undefined) return { outcome: 'done' };
  try {
    const bodies = rows.map(({ body }) => body);
    const { length } = await api.units.createAll(bodies, key, LOOKED_FOR);
    if (length === rows.length) return { outcome: 'done' };
    const sentence = `The service was asked for ${rows.length} units, and answered with ${counted(length, 'id')}.`;
    return { outcome: 'unknown', error: new OutcomeUnknown(sentence) };
  } catch (cause) {
    const { item: _, id: _id, ...ended } = judge(cause, first.item, journal);
    return ended;
  }
}

interface RowService {
  readonly api: Service;
  readonly lockout: Pick<LockoutRule, 'recheck'>;
  readonly journal: Pick<Memory, 'recall'>;
  readonly rows: Pick<RowJournal, 'announceMail'>;
}

/**
 * Withdraws an invitation and invites again. Once it is withdrawn, every failure says so: the journal alone has what it gave.
 */
async function resend(request: Request, { api, journal, rows }: RowService) {
  const { item } = request;
  if (item.resends === 'listed') await withdraw(item.name, { verify: false }, api);
  try {
    if (item.resends === 'listed') await rows.announceMail(item);
    return await send(request, api);
  } catch (cause) {
    const isFailure = cause instanceof CliError && !(cause instanceof OutcomeUnknown);
    if (!(isFailure || cause instanceof Interruption)) throw cause;
    if (isFailure && isKnownMail(cause, item, journal)) throw cause;
    const why = isFailure ? reasonText(cause) : cause.message;
    const sentence = `The invitation is withdrawn, and was not sent again: ${why.replace(/\.?$/, '.')} It gave ${contentText(item)}. The same command sends it.`;
    const status = isFailure ? cause.status : undefined;
    throw new CliError('not_sent_again', sentence, { exitCode: cause.exitCode, status, cause });
  }
}

/** `role Auditor, properties BER VIE` */
function contentText({ body = {} }: Item): string {
  const given = Object.entries(body).filter(([field]) => field !== 'email');
  return given.map(([field, value]) => `${field} ${[value].flat().join(' ')}`).join(', ') || 'nothing';
}

async function send(request: Request, service: Service): Promise<Pick<Ended, 'id' | 'readBack'>> {
  const { item, body, key } = request;
  const { kind, action, name, id } = item;
  if (action !== 'create') {
    const readBack = await write(request, service);
    return { id, readBack: readBack.verification && readBack };
  }
  if (kind === 'unit_group' || kind === 'unit_attribute')
    return { id: await createInventory(kind, body, needed(key, item), service) };
  if (kind === 'property') {
    const { id: made } = await service.properties.create(body, needed(key, item), LOOKED_FOR);
    return { id: made };
  }
  await service.invitations.create({ ...body, email: name });
  return { id };
}

/** Changes or deletes a record. */
async function write({ item, steps, body }: Request, service: Service): Promise<ReadBack> {
  const { properties, users } = service;
  const { kind, action, name, id, life } = item;
  const how = { verify: item.isReadBack === true };
  if (isInventory(kind)) {
    if (action === 'delete') return deleteInventory(kind, needed(id, item), service, how);
    return changeInventory(kind, needed(id, item), body, service, how);
  }
  if (kind === 'user') return users.update(needed(id, item), { ...item.edits, steps }, how);
  if (kind === 'invitation') return withdraw(name, how, service);
  if (life !== undefined) return properties.carryOut(needed(id, item), life, how);
  if (action === 'change') return properties.update(needed(id, item), steps, how);
  return properties.delete(needed(id, item), how);
}

/** What a user gained and lost; `undefined` if unknown. Roles are read after a grant; if that fails, the plan knows them. */
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
    return { ...change, withoutRoles: withoutRolesIn(item) };
  }
}

function judge(cause: unknown, item: Item, memory: Pick<Memory, 'recall'>): Ended {
  const { action, id, name } = item;
  if (cause instanceof Interruption) return { item, outcome: 'not_attempted' };
  if (cause instanceof OutcomeUnknown) return { item, outcome: 'unknown', id, error: cause };
  if (cause instanceof Accepted) return acceptedRow(cause, item);
  if (cause instanceof CliError) {
    const isGone = cause.code === 'not_found' && action === 'delete';
    if (isGone || isKnownMail(cause, item, memory)) return { item, outcome: 'done', id };
    // Without a status: the gate did not allow any attempt.
    const isHeldBack = cause.code === 'rate_limited' && cause.status === undefined;
    return { item, outcome: isHeldBack ? 'not_attempted' : 'failed', id, error: cause };
  }
  const sentence = `The outcome of the request about ${name} is unknown: innctl itself failed.`;
  const error = new OutcomeUnknown(sentence, { cause });
  return { item, outcome: 'unknown', id, error, fault: cause };
}

/** How a row ends whose invitation was accepted: only who leaves loses the access of the user. */
function acceptedRow(error: Accepted, item: Item): Ended {
  const { id, user: record } = error;
  const { name, entry, ifAccepted } = item;
  if (ifAccepted === undefined) return { item, outcome: 'failed', id, error };
  const steps = ifAccepted.filter((step) => !changesNothing(record, [step]));
  const change = { entry, id, record, steps, changes: changesShown(record, steps) };
  const user = itemFor({ kind: 'user', name }, 'change', { ...change, isReadBack: true, replaces: item });
  return { item, outcome: 'done', user };
}

/** Whether an invitation was refused because an earlier mail, in doubt, had been sent. */
function isKnownMail(
  { code, status }: CliError,
  { kind, name, action, isMailed }: Item,
  memory: Pick<Memory, 'recall'>,
): boolean {
  if (kind !== 'invitation' || action !== 'create') return false;
  if (isMailed === true && code === 'conflict') return true;
  const before = memory.recall(kind, name);
  return status === 409 && isInDoubt(before) && before.action === 'create';
}

function needed(value: string | undefined, { kind, name }: Item): string {
  if (value === undefined) throw new Error(`the plan of ${kind} ${name} is not whole`);
  return value;
}

/** The properties without an id, which this run creates, by code. */
export function unresolvedProperties(items: readonly Item[]): ReadonlyMap<string, Item> {
  const properties = items.filter(({ kind }) => kind === 'property');
  return new Map([...unresolvedItems(properties).values()].map((item) => [sameName(item.name), item]));
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
