import type { Api } from '../../api/api.ts';
import { idProblem } from '../../api/path.ts';
import { shownProperties, withPropertyIds } from '../../api/user-properties.ts';
import { rolesByProperty } from '../../api/user-shape.ts';
import { readWhole } from '../../api/whole-list.ts';
import { emailProblem } from '../../checks/email.ts';
import { quote } from '../../checks/text.ts';
import { type Entry, sameName } from '../../manifest/entry.ts';
import { inCodeUnits } from '../../manifest/order.ts';
import type { Page, ServiceRecord } from '../../records.ts';
import { entryOf, tidy } from './entry.ts';
import { type Report, titleOf } from './report.ts';

type Ids = readonly string[] | undefined;
type Beyond = Pick<Api['dialect'], 'goesBeyond'>;

/**
 * The invitations as entries.
 *
 * @param ids only those to one of these properties: the service filters by one at a time.
 */
export async function gatherInvitations(
  ids: Ids,
  { invitations, dialect }: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const lists =
    ids === undefined ? [invitations.listAll()] : ids.map((id) => invitations.listAll({ property_id: id }));
  const records: ServiceRecord[] = [];
  for (const pages of lists) records.push(...(await recordsIn(pages, 'invitations', report)));
  return records.flatMap((record) => invitationFrom(record, dialect, report));
}

/**
 * The users as entries, by their e-mail addresses where these tell one from all others.
 *
 * @param ids only those who have one of these properties.
 * @param invitations of the same manifest: an address stands in one place only.
 */
export async function gatherUsers(
  ids: Ids,
  invitations: readonly Entry[],
  { users, dialect }: Api,
  report: Report,
): Promise<readonly Entry[]> {
  const records = await recordsIn(users.listAll({ property_ids: ids }), 'users', report);
  const taken = new Map<string, number>(invitations.map(({ name }) => [sameName(name), 1]));
  for (const email of records.map(emailIn)) taken.set(email, (taken.get(email) ?? 0) + 1);
  return records.flatMap((record) => userFrom(record, taken.get(emailIn(record)) === 1, dialect, report));
}

async function recordsIn(
  pages: AsyncIterable<Page>,
  plural: string,
  report: Report,
): Promise<readonly ServiceRecord[]> {
  const records: ServiceRecord[] = [];
  const doubt = await readWhole(pages, plural, (record) => records.push(record));
  if (doubt !== undefined) report.miss(plural, doubt);
  return records;
}

function invitationFrom(record: ServiceRecord, { goesBeyond }: Beyond, report: Report): readonly Entry[] {
  const { email, roles, is_account_admin: isAdmin } = record;
  if (typeof email !== 'string' || email.trim() === '') {
    report.leaveOut({ kind: 'invitation', name: '' }, 'the service does not show its e-mail address');
    return [];
  }
  const { properties } = withPropertyIds(record);
  const isEmpty = Array.isArray(properties) && properties.length === 0;
  const fields = {
    email,
    ...(goesBeyond && Array.isArray(roles) && roles.length > 0
      ? byNewerNames(roles)
      : { role: roleIn(record, email, report) }),
    properties: isEmpty ? undefined : inOrder(properties),
    is_account_admin: isAdmin === true ? true : undefined,
  };
  return [entryOf('invitation', email, tidy(fields))];
}

/** Under `role` a public service shows an older name, which two of the newer ones may share. */
function byNewerNames(roles: readonly unknown[]): ServiceRecord {
  return roles.length === 1 ? { role: roles[0] } : { roles };
}

/** A manifest of the contract names one role, and so does the request that invites. */
function roleIn({ role, roles }: ServiceRecord, email: string, report: Report): unknown {
  if (role !== undefined && role !== null) return role;
  if (!Array.isArray(roles)) return undefined;
  if (roles.length > 1) {
    const title = titleOf({ kind: 'invitation', name: email });
    report.warn(
      `${title} has ${roles.length} roles, and the export names the first one: ${quote(String(roles[0]))}.`,
    );
  }
  return roles[0];
}

function userFrom(
  record: ServiceRecord,
  isUnique: boolean,
  { goesBeyond }: Beyond,
  report: Report,
): readonly Entry[] {
  const { email, subject_id: id, enabled } = record;
  const byEmail =
    isUnique && typeof email === 'string' && emailProblem(email) === undefined ? email : undefined;
  const byId = typeof id === 'string' && idProblem(id) === undefined ? id : undefined;
  const name = byEmail ?? byId;
  if (name === undefined) {
    const shown = typeof email === 'string' ? email : '';
    report.leaveOut(
      { kind: 'user', name: shown },
      'neither its e-mail address nor its subject id can name it',
    );
    return [];
  }
  const fields = {
    ...(byEmail === undefined ? { subject_id: byId } : { email: byEmail }),
    ...(goesBeyond ? moreOf(record) : {}),
    properties: record['properties'] === undefined ? undefined : inOrder(shownProperties(record)),
    property_roles: rolesOf(record),
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
  };
  return [entryOf('user', name, tidy(fields))];
}

/** The roles at each property, where all of them can be read; nothing need be said of somebody without properties. */
function rolesOf({ properties, property_roles: shown }: ServiceRecord): unknown {
  const roles = rolesByProperty(shown);
  if (roles === undefined || [...roles.values()].includes(undefined)) return undefined;
  if (roles.size === 0 && Array.isArray(properties) && properties.length === 0) return undefined;
  return [...roles]
    .toSorted(([one], [other]) => inCodeUnits(one, other))
    .map(([id, names]) => ({ id, roles: inOrder([...new Set(names)]) }));
}

/** What the contract does not let anybody change of a user. */
function moreOf({ first_name, last_name, is_account_admin }: ServiceRecord): ServiceRecord {
  return {
    first_name: typeof first_name === 'string' ? first_name : undefined,
    last_name: typeof last_name === 'string' ? last_name : undefined,
    is_account_admin: typeof is_account_admin === 'boolean' ? is_account_admin : undefined,
  };
}

/** Which property comes first means nothing, and the service may change it. */
function inOrder(ids: unknown): unknown {
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids.toSorted(inCodeUnits) : ids;
}

function emailIn({ email }: ServiceRecord): string {
  return typeof email === 'string' ? sameName(email) : '';
}
