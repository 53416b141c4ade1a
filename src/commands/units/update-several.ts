import { CliError, OutcomeUnknown, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { canonical } from '../../model/canonical.ts';
import type { PatchStep } from '../../model/patch.ts';
import { groupBy, onePage, type ServiceRecord } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import { aboutWrite } from '../../seed/item.ts';
import { UNITS_A_REQUEST } from '../../service/inventory.ts';
import { type ChangeFlags, changesFrom } from '../inventory/changing.ts';
import { everyRecord, idsMeant, units } from '../inventory/kind.ts';
import { readEach } from '../inventory/reading.ts';
import { afterSome, chunksOf, resultShape } from '../inventory/several.ts';
import { settledByRepeating } from '../lines.ts';
import { permitEach } from '../several/run.ts';
import { patching, propertyOf, stepsOf } from './update.ts';

type StepsFor = Awaited<ReturnType<typeof stepsOf>>;

/** A unit, and what it lacks. */
interface Pending {
  readonly id: string;
  /** With its texts in every language. */
  readonly unit: ServiceRecord;
  readonly steps: readonly PatchStep[];
}

/**
 * Updates several units alike: those that lack the same with one request, up to 50 of them.
 *
 * @throws {CliError} exit 3 with all ids of no unit; exit 11 without consent.
 * @throws {OutcomeUnknown} when neither an answer nor the list says that they were updated.
 */
export async function updateUnits(
  words: readonly string[],
  flags: ChangeFlags,
  session: Session,
): Promise<void> {
  const { api, out } = session;
  permitEach('updateUnit', words, session);
  const changes = changesFrom(flags, patching);
  if (changes.values['name'] !== undefined) throw usageError('--name is for one unit at a time.');
  const ids = await idsMeant(units, words, flags.property, session);
  permitEach('updateUnit', ids, session);
  const found = await readEach(units, ids, 'writes', (id) => api.units.readAll(id), session);
  const properties = [...new Set(found.map(propertyOf))];
  const [property = flags.property, ...others] = properties;
  if (changes.values['group'] !== undefined && others.length > 0)
    throw usageError('--group is for units of one property at a time.');
  const stepsFor = await stepsOf(changes, property, session);
  const pending = found
    .map((unit) => ({ id: String(unit['id']), unit, steps: stepsFor(unit) }))
    .filter(({ steps }) => steps.length > 0);
  const titles = pending.map(({ id }) => id).join(', ');
  if (pending.length > 0) await session.confirm(`Update ${counted(pending.length, 'unit')} (${titles})?`);
  await send(pending, stepsFor, properties, session);
  const unseen = flags.verify ? await unseenOf(pending, stepsFor, properties, session) : undefined;
  await report(found, pending, unseen, session);
  if (pending.length === 0) await out.note('Nothing was changed.');
}

/** Sends what the units lack: a request for those that lack the same. */
async function send(
  pending: readonly Pending[],
  stepsFor: StepsFor,
  properties: readonly (string | undefined)[],
  session: Session,
): Promise<void> {
  const groups = [...groupBy(pending, ({ steps }) => canonical(steps)).values()];
  let done = 0;
  for (const alike of groups.flatMap((group) => chunksOf(group, UNITS_A_REQUEST))) {
    const steps = alike[0]?.steps ?? [];
    try {
      const ids = alike.map(({ id }) => id);
      const rows = alike.flatMap(({ id, unit }) => aboutWrite('unit', id, unit, steps).rows);
      const about = { kind: 'unit', action: 'change', rows } as const;
      await session.api.kept.one(() => session.api.units.updateAll(ids, steps), about);
    } catch (error) {
      const isOpen = !(error instanceof OutcomeUnknown) || steps.some(isText);
      if (isOpen || (await unseenOf(alike, stepsFor, properties, session))?.length !== 0) {
        const again = settledByRepeating(session.context.argv, false);
        throw afterSome(error, { done, all: pending.length, as: 'updated' }, again);
      }
    }
    done += alike.length;
  }
}

/** Lists have texts in one language, so that they cannot show them all. */
function isText({ path }: PatchStep): boolean {
  return path === '/description';
}

/**
 * The units that a list does not show as they shall be, apart from their texts; `undefined` if it cannot be read.
 */
async function unseenOf(
  pending: readonly Pending[],
  stepsFor: StepsFor,
  properties: readonly (string | undefined)[],
  session: Session,
): Promise<readonly string[] | undefined> {
  const records = new Map<unknown, ServiceRecord>();
  try {
    for (const property of pending.length === 0 ? [] : properties)
      for (const record of await everyRecord(units, property, session)) records.set(record['id'], record);
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    return undefined;
  }
  return pending
    .filter(({ id, unit: { description } }) => {
      const listed = records.get(id);
      return listed === undefined || !stepsFor({ ...listed, description }).every(isText);
    })
    .map(({ id }) => id);
}

async function report(
  found: readonly ServiceRecord[],
  pending: readonly Pending[],
  unseen: readonly string[] | undefined,
  { out }: Session,
): Promise<void> {
  const updated = new Set(pending.map(({ id }) => id));
  const records = found.map(({ id, name }) => ({ id, name, updated: updated.has(String(id)) }));
  await out.records(resultShape(units.noun, 'id name updated'), onePage(records));
  if (unseen !== undefined && unseen.length > 0)
    await out.warn(`The list does not show the change of these yet: ${unseen.join(', ')}.`);
}
