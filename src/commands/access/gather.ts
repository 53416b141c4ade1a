import { targetOf } from '../../journal/line.ts';
import { adminFlag, placedRoles } from '../../model/access.ts';
import { memoryLimit, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { idProblem } from '../../model/text.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { type AccessRecords, documentOf, factsFrom } from '../../people/facts.ts';
import { readAll } from '../../service/paging.ts';
import type { Session } from '../../session/session.ts';

const PURPOSE = 'tell who has access';

/**
 * Reads who can do what: all users, invitations and properties, and users/me. Users whose properties or roles the list does
 * not show are read one by one. Nothing is filtered by the service: its filter by property leaves account admins out.
 *
 * @param invitationDays after which an invitation has expired. Default: as the documents of the dialect say; never if they do not.
 * @throws {CliError} `incomplete_list` when a list is not whole: half a report would hide somebody.
 */
export async function readAccess(session: Session, invitationDays?: number): Promise<AccessDocument> {
  const { api, settings } = session;
  const { dialect, users } = api;
  const [records, self] = await Promise.all([readRecords(session, invitationDays), users.self()]);
  const { identity_url, base_url } = targetOf(settings(), '');
  return documentOf(factsFrom(records), records.properties, {
    made: new Date(records.now).toISOString(),
    ...{ identity_url, base_url, dialect: dialect.name },
    actor: self?.email ?? self?.subjectId ?? null,
  });
}

/** Reads what facts are made of, as `readAccess` does. */
export async function readRecords(session: Session, invitationDays?: number): Promise<AccessRecords> {
  const { api, context } = session;
  const { users, invitations, properties, dialect } = api;
  const claim = memoryLimit();
  const [listed, invited, hotels] = await Promise.all([
    readAll(users.listAll(), 'users', PURPOSE, claim),
    readAll(invitations.listAll(), 'invitations', PURPOSE, claim),
    readAll(properties.listAll(dialect.withArchived), 'properties', PURPOSE, claim),
  ]);
  return {
    ...{ users: await readAlone(listed, session), invitations: invited, properties: hotels },
    ...{ invitationDays: invitationDays ?? dialect.invitationDays, now: context.clock.now() },
  };
}

/** The users, those that the list shows in part completed by their single records. */
async function readAlone(
  listed: readonly ServiceRecord[],
  { api, pace }: Session,
): Promise<readonly ServiceRecord[]> {
  if (!listed.some(isHidden)) return listed;
  const { mapEach, READERS } = await import('../../change/workers.ts');
  await pace({ concurrency: READERS });
  return mapEach(listed, READERS, async (user) => {
    const { subject_id: id } = user;
    if (!isHidden(user) || typeof id !== 'string' || idProblem(id) !== undefined) return user;
    return { ...user, ...withoutHoles(await api.users.read(id)) };
  });
}

/** Whether a user, in one shape, does not show all properties and roles; an account admin needs none. */
function isHidden({ [adminFlag]: isAdmin, properties, [placedRoles]: roles }: ServiceRecord): boolean {
  if (isAdmin === true) return false;
  return properties === undefined || (roles === undefined && properties !== null);
}
