import { includes, type PatchStep } from '../api/patch.ts';
import { isSameSet, shownProperties } from '../api/user-properties.ts';
import { CliError } from '../errors.ts';
import type { Entry } from '../manifest/entry.ts';
import type { ServiceRecord } from '../records.ts';
import { hashOf } from './canonical.ts';
import { type Action, type FieldChange, type Item, itemFor } from './item.ts';
import type { Listings } from './match-people.ts';
import type { PlanApi, PlanOptions } from './plan-options.ts';
import { orMissing, usableId } from './property-index.ts';
import type { NameProperties } from './property-references.ts';
import { type ReadForRow, unreadItem } from './row-reading.ts';
import { compareRoles } from './user-roles.ts';

/** What planning a user works with. */
interface Surroundings {
  readonly api: Pick<PlanApi, 'users'>;
  readonly listings: Listings;
  readonly options: PlanOptions & { readonly readForRow: ReadForRow };
}

/** The user that an entry means, or why there is none, or why nothing tells. */
type Found =
  | { readonly subjectId: string; readonly record: ServiceRecord }
  | { readonly problem: string }
  | { readonly subjectId: string; readonly error: CliError };

/** One field that is wanted, and what is shown of it. */
interface Sight {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly step: PatchStep;
  readonly state: 'same' | 'different' | 'unread';
}

const NO_USER = 'there is no such user: invite the person first';

/** What is to be done about the access of a user, who is found by the subject id or by the e-mail address. */
export async function planUser(
  entry: Entry,
  nameOf: NameProperties,
  surroundings: Surroundings,
): Promise<Item> {
  const found = await findUser(entry, surroundings);
  if ('problem' in found) return itemFor(entry, 'conflict', { entry, reason: found.problem });
  const { options } = surroundings;
  const { subjectId: id } = found;
  if ('error' in found) return unreadItem(entry, found.error, options, { entry, id });
  const { record } = found;
  const seen = hashOf(record);
  const { ids, problems, unread: open, idOf } = nameOf(entry, shownProperties(record));
  if (open !== undefined) return unreadItem(entry, open, options, { entry, id });
  if (problems.length > 0)
    return itemFor(entry, 'conflict', { entry, id, seen, reason: problems.join('; ') });
  const sights = sightsOf(entry, ids, record);
  const { writeUnreadable } = options;
  const isWritten = ({ state }: Sight) => state === 'different' || (state === 'unread' && writeUnreadable);
  const written = sights.filter(isWritten);
  const roles = compareRoles(entry, record, idOf);
  const unread = [
    ...sights.filter((sight) => sight.state === 'unread' && !isWritten(sight)).map(({ field }) => field),
    ...(roles.isUnread ? ['property_roles'] : []),
  ];
  const cannotChange = roles.differing;
  const changes = written.map(
    ({ field, from, to, state }): FieldChange =>
      state === 'unread' ? { field, from, to, unread: true } : { field, from, to },
  );
  const steps = written.map(({ step }) => step);
  const action = actionFor({ changes, cannotChange, unread });
  const seenBefore = action === 'change' ? { record } : {};
  return itemFor(entry, action, { entry, id, seen, changes, steps, unread, cannotChange, ...seenBefore });
}

function actionFor({
  changes,
  cannotChange = [],
  unread,
}: Pick<Item, 'changes' | 'cannotChange' | 'unread'>): Action {
  if (changes.length > 0) return 'change';
  if (cannotChange.length > 0) return 'cannot_change';
  return unread.length > 0 ? 'cannot_compare' : 'same';
}

async function findUser(entry: Entry, surroundings: Surroundings): Promise<Found> {
  const { users, invitations } = surroundings.listings;
  if (entry.fields['subject_id'] !== undefined) return readUser(entry.name, surroundings);
  const found = users.withEmail(entry.name);
  const ids = new Set(found.map((user) => usableId(user['subject_id'])));
  const [subjectId] = ids;
  const [user] = found;
  if (user === undefined) {
    const isInvited = invitations.withEmail(entry.name).length > 0;
    if (isInvited) return { problem: 'is invited and has no user yet: has to accept the invitation first' };
    return { problem: users.doubt === undefined ? NO_USER : `not found, and ${users.doubt}` };
  }
  if (ids.size > 1) {
    const all = [...ids].join(', ');
    return { problem: `${ids.size} users have this address: ${all}; name the one by its subject_id` };
  }
  if (subjectId === undefined) return { problem: 'the service lists the user without a subject id' };
  return showsAll(entry, user) ? { subjectId, record: user } : readUser(subjectId, surroundings);
}

async function readUser(subjectId: string, { api, options }: Surroundings): Promise<Found> {
  const found = await options.readForRow(() => orMissing(api.users.read(subjectId)));
  if (found instanceof CliError) return { subjectId, error: found };
  return found === undefined ? { problem: NO_USER } : { subjectId, record: found };
}

/** Whether a list tells what an entry is about, so that the user need not be read alone. */
function showsAll(entry: Entry, user: ServiceRecord): boolean {
  const sights = sightsOf(entry, [], user);
  return sights.every(({ state }) => state !== 'unread') && !compareRoles(entry, user).isUnread;
}

function sightsOf(entry: Entry, ids: readonly string[] | undefined, user: ServiceRecord): readonly Sight[] {
  const { fields } = entry;
  const isGiven = (field: string) => fields[field] !== undefined && fields[field] !== null;
  const sightAt = (field: string) => plainSight(field, fields[field], user);
  return [
    ...['enabled'].filter(isGiven).map(sightAt),
    ...(isGiven('properties') ? [propertiesSight(ids ?? [], user)] : []),
    ...['first_name', 'last_name', 'is_account_admin'].filter(isGiven).map(sightAt),
  ];
}

/** A text, or true and false. */
function plainSight(field: string, to: unknown, user: ServiceRecord): Sight {
  const step: PatchStep = { op: 'replace', path: `/${field}`, value: to };
  const from = typeof user[field] === typeof to ? user[field] : undefined;
  const state = from === undefined ? 'unread' : includes(from, to) ? 'same' : 'different';
  return { field, from, to, step, state };
}

/** The service's `add` on /properties sets the whole array. */
function propertiesSight(to: readonly string[], user: ServiceRecord): Sight {
  const step: PatchStep = { op: 'add', path: '/properties', value: to };
  const isShown = user['properties'] !== undefined;
  const from = isShown ? shownProperties(user) : undefined;
  const state = from === undefined ? 'unread' : isSameSet(from, to) ? 'same' : 'different';
  return { field: 'properties', from, to, step, state };
}
