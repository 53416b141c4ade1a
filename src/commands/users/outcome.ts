import type { Session } from '../../cli/session.ts';
import {
  type PropertyChange,
  propertyChange,
  touchesProperties,
  type UserChanges,
  withoutRoles,
  writtenValue,
} from '../../model/access-change.ts';
import { setsAlone } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { isSameSet, withoutHoles } from '../../model/records.ts';
import type { Output } from '../../out/output.ts';
import type { UserUpdate } from '../../service/users.ts';
import { lookingLine, settleBy, settledByLooking, settledByRepeating } from '../lines.ts';
import { type PatchFlags, readsStdin } from '../patch-flags.ts';
import { misspeltProperties, suggest } from '../suggest.ts';
import { noRoleText, reportWrite } from '../write.ts';
import type { AccessUpdate } from './access.ts';
import { hintUserList, isEmail, misspeltSubject } from './reference.ts';

/** Reports an accepted or unnecessary update. */
export async function reportUpdate(
  { user, changes, record }: AccessUpdate,
  done: UserUpdate,
  out: Output,
): Promise<void> {
  const { reference, subjectId, email } = user;
  const sent = done.isWritten ? (done.properties?.sent ?? propertiesSetBy(changes)) : undefined;
  const { now, missing = [], isChangedMeanwhile = false } = done.properties ?? {};
  const isOther = isChangedMeanwhile && sent !== undefined && now !== undefined && !isSameSet(sent, now);
  const properties = isChangedMeanwhile ? (now ?? sent) : sent;
  const { added, removed, removedRoles } = gainAndLoss(record, changes, done, properties);
  const withoutRole = done.record === undefined ? [] : withoutRoles(done.record, added);
  const facts = withoutHoles({
    subject_id: subjectId,
    email,
    updated: done.isWritten,
    properties,
    ...(touchesProperties(changes) ? { added, removed } : {}),
    removed_roles: removedRoles.length === 0 ? undefined : removedRoles,
    without_roles: withoutRole.length === 0 ? undefined : withoutRole,
    sent_properties: isOther ? sent : undefined,
    changed_meanwhile: isChangedMeanwhile || undefined,
  });
  if (isChangedMeanwhile) {
    const facts = isOther || now === undefined ? [`${listed(sent)} were sent`] : [];
    if (now !== undefined) facts.push(`${listed(now)} are there now`);
    await out.warn(
      `Somebody else changed the properties of user ${reference} meanwhile: ${facts.join(', ')}.`,
    );
  }
  if (!done.isWritten) {
    const has = [
      ...(changes.addProperties === undefined ? [] : ['all of the properties to be added already']),
      ...(changes.removeProperties === undefined ? [] : ['none of the properties to be removed']),
    ].join(' and ');
    return out.done(
      has === '' ? 'Nothing was changed.' : `User ${reference} has ${has}; nothing was changed.`,
      facts,
    );
  }
  const without = isChangedMeanwhile && missing.length > 0 ? `, who is without ${listed(missing)} now` : '';
  await reportWrite(out, `Updated user ${reference}${without}`, facts, done);
  if (withoutRole.length > 0) await out.warn(noRoleText(email ?? reference, withoutRole));
}

/** Properties added and removed by this update, and the roles removed with them, as far as known. */
function gainAndLoss(
  before: ServiceRecord | undefined,
  changes: UserChanges,
  { isWritten, properties: edited }: UserUpdate,
  after: readonly string[] | undefined,
): Omit<PropertyChange, 'isOpen'> {
  if (!isWritten) return { added: [], removed: [], removedRoles: [] };
  const foreseen = propertyChange(before, changes);
  if (edited === undefined || after === undefined) return foreseen;
  const { addProperties = [], removeProperties = [] } = changes;
  const was = new Set(edited.before);
  const removed = removeProperties.filter((id) => was.has(id) && !after.includes(id));
  return {
    added: addProperties.filter((id) => !was.has(id) && after.includes(id)),
    removed,
    removedRoles: foreseen.removedRoles.filter(({ id }) => removed.includes(id)),
  };
}

/** For `catch`: adds to a failed update how to settle it, or a suggestion. */
export function explainFailure(
  reference: string,
  changes: UserChanges,
  flags: PatchFlags,
  { api, globals, context }: Pick<Session, 'api' | 'globals' | 'context'>,
) {
  const ids = new Set([...(propertiesSetBy(changes) ?? []), ...(changes.addProperties ?? [])]);
  const user = isEmail(reference) ? [] : [misspeltSubject(reference, api)];
  const suggestNames = suggest(...user, misspeltProperties([...ids], api));
  const end = reference.startsWith('-') ? ['--'] : [];
  const settling = setsAlone(changes.steps)
    ? settledByRepeating(context.argv, { readsStdin: readsStdin(flags) })
    : settledByLooking(lookingLine(globals, 'users', 'get', ...end, reference));
  return (error: unknown) => suggestNames(error).catch(hintUserList(globals)).catch(settleBy(settling));
}

function listed(ids: readonly string[] | undefined): string {
  return ids === undefined || ids.length === 0 ? 'none' : ids.join(', ');
}

/** The properties if an update replaces them all; `undefined` otherwise. */
function propertiesSetBy({ steps }: UserChanges): readonly string[] | undefined {
  const value = steps.map((step) => writtenValue(step, 'properties')).findLast((set) => set !== undefined);
  return Array.isArray(value) ? value : undefined;
}
