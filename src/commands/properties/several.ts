import { CliError, invalidInput } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import { itemFor } from '../../seed/item.ts';
import { reasonsAgainstDeletion } from '../../service/property-names.ts';
import { sessionWith } from '../ask.ts';
import { refuseUnrepeatable } from '../several/resolve.ts';
import { changeSeveral, changesShown, type GivenConsent, permitEach } from '../several/run.ts';
import { ignoringNotFound } from '../write.ts';
import { type ChangeFlags, givenSteps } from './changes.ts';
import { idsDetails, nameIn, resolveProperties } from './reference.ts';

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
  const { api } = session;
  permitEach('deleteProperty', ids, session);
  const problems = await idsDetails(ids, session);
  if (problems.length > 0) throw invalidInput(problems);
  const isShown = api.dialect.expansions?.includes('actions') === true;
  const read = async (id: string) =>
    isShown ? (await api.properties.readWithActions(id)).property : api.properties.read(id);
  const found = await resolveProperties(ids, 'writes', read, session, flags.ignoreNotFound);
  const details = found.flatMap(({ word: field, record = {} }) => {
    const reasons = reasonsAgainstDeletion(record);
    return reasons === undefined ? [] : [{ field, reason: reasonText(reasons.map(({ reason }) => reason)) }];
  });
  if (details.length > 0) {
    const sentence = `The service does not allow deleting ${details.length} of these properties now; nothing was sent.`;
    throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, details });
  }
  const rows = found.map(({ word: id, record }) => {
    const action = record === undefined ? 'same' : 'delete';
    const name = nameIn(record ?? {});
    const title = name === '' ? id : `${id} (${name})`;
    return { item: itemFor({ kind: 'property', name: id }, action, { id }), names: [], title };
  });
  await changeSeveral(rows, flags, session, sessionWith(ignoringNotFound(flags.ignoreNotFound), session));
}

function reasonText(reasons: readonly string[]): string {
  return reasons.length === 0 ? 'without saying why' : reasons.join(' ');
}
