import { refuseInvalid } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import { changesShown, itemFor } from '../../seed/item.ts';
import { type LifeVerb, lifeActions } from '../../service/properties.ts';
import { sessionWith } from '../ask.ts';
import { refuseUnrepeatable } from '../several/resolve.ts';
import { changeSeveral, type GivenConsent, permitEach } from '../several/run.ts';
import { ignoringNotFound } from '../write.ts';
import { readWithActions, refuseNotAllowed, titleOf } from './allowed.ts';
import { type ChangeFlags, givenSteps } from './changes.ts';
import { type LifeFlags, lifeWords } from './life.ts';
import { idsDetails, resolveProperties } from './reference.ts';

/**
 * Updates several properties alike.
 *
 * @throws {CliError} exit 3 with all ids that name no property; what `changeSeveral` throws.
 */
export async function updateProperties(
  ids: readonly string[],
  flags: ChangeFlags,
  session: Session,
): Promise<void> {
  const { api } = session;
  permitEach('updateProperty', ids, session);
  const { stepsFor } = await givenSteps(await idsDetails(ids, session), flags, session);
  refuseUnrepeatable(stepsFor(undefined), 'property');
  const read = (id: string) => api.properties.read(id, ['all']);
  const found = await resolveProperties(ids, 'writes', read, session);
  const rows = found.map(({ word: id, record = {} }) => {
    const steps = stepsFor(record);
    const isSame = changesNothing(record, steps);
    const about = { id, steps: isSame ? [] : steps, changes: changesShown(record, steps) };
    return { item: itemFor({ kind: 'property', name: id }, isSame ? 'same' : 'change', about), names: [] };
  });
  await changeSeveral(rows, {}, session);
}

/**
 * Deletes several properties.
 *
 * @throws {CliError} exit 3 with all ids that name no property, exit 6 with all that the service does not allow to delete now;
 *   what `changeSeveral` throws.
 */
export async function deleteProperties(
  ids: readonly string[],
  flags: GivenConsent & { readonly ignoreNotFound?: true },
  session: Session,
): Promise<void> {
  permitEach('deleteProperty', ids, session);
  refuseInvalid(await idsDetails(ids, session));
  const read = (id: string) => readWithActions(id, session);
  const found = await resolveProperties(ids, 'writes', read, session, flags.ignoreNotFound);
  refuseNotAllowed(found, { action: 'Delete', doing: ['deleting', ''] });
  const rows = found.map(({ word: id, record }) => {
    const action = record === undefined ? 'same' : 'delete';
    const item = itemFor({ kind: 'property', name: id }, action, { id });
    return { item, names: [], title: titleOf(id, record) };
  });
  await changeSeveral(rows, flags, session, sessionWith(ignoringNotFound(flags.ignoreNotFound), session));
}

/**
 * Sets live, archives or resets several properties.
 *
 * @throws {CliError} as `deleteProperties`.
 */
export async function carryOutSeveral(
  ids: readonly string[],
  verb: LifeVerb,
  { confirm, verify }: LifeFlags,
  session: Session,
): Promise<void> {
  const { operation, action, steps } = lifeActions[verb];
  const { doing, already, unshown, severe } = lifeWords[verb];
  permitEach(operation, ids, session);
  refuseInvalid(await idsDetails(ids, session));
  const found = await resolveProperties(ids, 'writes', (id) => readWithActions(id, session), session);
  const isDone = (record = {}) => steps.length > 0 && changesNothing(record, steps);
  const open = found.filter(({ record }) => !isDone(record));
  refuseNotAllowed(open, { action, doing });
  const rows = found.map(({ word: id, record }) => {
    const changes = [...changesShown(record ?? {}, steps), ...[unshown ?? []].flat()];
    const about = isDone(record) ? { id, reason: already } : { id, life: verb, changes };
    const item = itemFor({ kind: 'property', name: id }, isDone(record) ? 'same' : 'change', about);
    const readBack = verify && steps.length > 0 ? ({ isReadBack: true } as const) : {};
    return { item: { ...item, ...readBack }, names: [], title: titleOf(id, record), severe };
  });
  await changeSeveral(rows, { confirm }, session);
}
