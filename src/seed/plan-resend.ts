import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { rolesOf, withPropertyIds } from '../model/access.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { takes } from '../service/dialect.ts';
import type { NewInvitation } from '../service/invitations.ts';
import { readAll } from '../service/paging.ts';
import { isInDoubt, isoText, mayShowLater } from './creation-rules.ts';
import type { Entry } from './entry.ts';
import type { Past } from './history.ts';
import { type Item, itemFor } from './item.ts';
import { listPeople } from './match-people.ts';
import type { PlanApi, PlanOptions } from './plan-context.ts';

/** What planning to send invitations again needs of a run. */
export type ResendOptions = Pick<PlanOptions, 'memory' | 'runId' | 'now'>;

/**
 * Plans to withdraw invitations and invite again with the same content. An invitation that an earlier run withdrew is created
 * from the journal.
 *
 * @param entries invitations, of which only the address counts.
 * @throws {CliError} `incomplete_list` if a list does not show whether somebody is invited.
 */
export async function planResends(
  entries: readonly Entry[],
  api: Pick<PlanApi, 'dialect' | 'invitations' | 'users' | 'properties'>,
  options: ResendOptions,
): Promise<readonly Item[]> {
  // Of users both lists are read: somebody who is a user cannot be invited again.
  const asUsers = entries.map((entry) => ({ ...entry, kind: 'user' as const }));
  const { invitations, users } = await listPeople(asUsers, [], { api });
  const gap = invitations.doubt ?? users.doubt;
  const hotels = await hotelsOf(
    entries.flatMap(({ name }) => invitations.withEmail(name)),
    api,
  );
  return entries.map((entry) => {
    const before = options.memory.recall('invitation', entry.name);
    const listed = invitations.withEmail(entry.name);
    const isUser = users.withEmail(entry.name).length > 0;
    if (gap !== undefined)
      throw new CliError('incomplete_list', `Could not look for the invitation to ${entry.name}: ${gap}.`);
    const how = { dialect: api.dialect, hotels, ...options };
    if (listed.length > 0) return planListed(entry, listed, isUser, before, how);
    return planUnlisted(entry, isUser, before, options);
  });
}

interface ListedOptions extends ResendOptions, Pick<PlanApi, 'dialect'> {
  readonly hotels: ReadonlySet<unknown>;
}

/** The ids and codes of all properties, read only if an invitation gives some: none that is gone can be given again. */
async function hotelsOf(
  invitations: readonly ServiceRecord[],
  { properties, dialect }: Pick<PlanApi, 'dialect' | 'properties'>,
): Promise<ReadonlySet<unknown>> {
  const isNeeded = invitations.some(({ properties: ids }) => Array.isArray(ids) && ids.length > 0);
  if (!isNeeded) return new Set();
  const all = properties.listAll(dialect.withArchived);
  const hotels = await readAll(all, 'properties', 'look for properties');
  return new Set(hotels.flatMap(({ id, code }) => [id, code]));
}

function planListed(
  entry: Entry,
  listed: readonly ServiceRecord[],
  isUser: boolean,
  before: Past | undefined,
  { dialect, hotels, runId }: ListedOptions,
): Item {
  const [record = {}] = listed;
  const creation = before?.creation;
  const isSent = creation?.sent.run === runId && creation?.sent.start.command === 'invitations resend';
  if (creation !== undefined && (isSent || isInDoubt(before)))
    return itemFor(entry, 'same', { entry, reason: `was sent again at ${isoText(creation.lastAt)}` });
  const conflict = (why: string) => itemFor(entry, 'conflict', { entry, reason: why });
  if (isUser) return conflict('has a user already and cannot be invited again: withdraw the invitation');
  if (listed.length > 1) return conflict(`has ${listed.length} invitations: withdraw them and invite again`);
  const body = contentOf(record, dialect);
  if (typeof body === 'string') return conflict(`${body}: withdraw it and invite again`);
  const gone = body.properties?.filter((each) => !hotels.has(each)) ?? [];
  if (gone.length > 0) return conflict(`gives properties that are gone: ${gone.join(', ')}`);
  const { created } = record;
  const day = typeof created === 'string' ? ` of ${created.slice(0, 10)}` : '';
  const more = { reason: `sent again: the invitation${day} is withdrawn first`, resends: 'listed' } as const;
  return itemFor({ kind: 'invitation', name: body.email }, 'create', { entry, body, ...more });
}

/** Nothing shows it: an earlier run withdrew it, or it may have been sent, and sending it now is a second mail. */
function planUnlisted(entry: Entry, isUser: boolean, past: Past | undefined, { now }: ResendOptions): Item {
  const withdrawn = past?.withdrawn;
  const mailed = mayShowLater(past, now()) ? past.creation : undefined;
  const perhaps = mailed?.row.after;
  const body = withdrawn?.body ?? (isRecord(perhaps) ? perhaps : undefined);
  if (body === undefined) return missing(entry, isUser);
  if (isUser) return itemFor(entry, 'same', { entry, reason: 'has accepted it and is a user now' });
  const reason =
    mailed === undefined
      ? `sent again: run ${withdrawn?.run} withdrew it`
      : `sent again: a mail may have gone out at ${isoText(mailed.lastAt)}, so that a second one is possible`;
  const isMailed = mailed === undefined ? undefined : true;
  const resends = withdrawn === undefined ? undefined : 'withdrawn';
  const name = String(body['email'] ?? entry.name);
  return itemFor({ kind: 'invitation', name }, 'create', { entry, body, reason, isMailed, resends });
}

function missing(entry: Entry, isUser: boolean): Item {
  const why = isUser ? 'has a user already' : 'has no invitation';
  const error = new CliError('not_found', `${entry.name} ${why}.`, { exitCode: ExitCode.notFound });
  return itemFor(entry, 'conflict', { entry, reason: why, error });
}

/**
 * What an invitation gives, as it is listed.
 *
 * @returns the body of create invitation, or why there is none, as a clause.
 */
function contentOf(record: ServiceRecord, dialect: PlanApi['dialect']): NewInvitation | string {
  const { email, is_account_admin: isAdmin, role } = record;
  const { properties: ids } = withPropertyIds(record);
  const others = rolesOf({ roles: record['roles'] }).filter((name) => name !== role);
  const isShown = [ids, role, record['roles'], isAdmin].some(
    (value) => value !== undefined && value !== null,
  );
  if (!isShown) return 'the service does not show what it gives';
  if (Array.isArray(ids) ? !ids.every((id) => typeof id === 'string') : isRecord(ids))
    return 'the service shows its properties in an unknown form';
  const takesRoles = takes(dialect, 'createInvitation', 'roles');
  const one = typeof role === 'string' ? role : takesRoles ? undefined : others.shift();
  if (!takesRoles && others.length > 0) return 'has several roles, and one can be given';
  return withoutHoles({
    email: String(email),
    properties: Array.isArray(ids) && ids.length > 0 ? ids : undefined,
    is_account_admin: typeof isAdmin === 'boolean' ? isAdmin : undefined,
    role: one,
    roles: others.length > 0 ? others : undefined,
  }) as NewInvitation;
}
