import { CliError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { sameName } from '../../seed/entry.ts';
import type { Sight } from '../../seed/find-property.ts';
import type { RecentCreation } from '../../seed/recent-creates.ts';
import { readWhole } from '../../service/paging.ts';
import { look } from '../../service/settling.ts';
import { type Existing, type LookFlags, lookFirst, sinceText } from '../creation.ts';

/** Checks if an address is already invited, unless --no-check is given. */
export async function findInvited(
  email: string | undefined,
  flags: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  if (email === undefined || !(flags.check || flags.ifNotExists === true)) return undefined;
  const whether = `whether ${email} is already invited`;
  const sight = await lookFirst(listedFor(email, session), whether, flags, session);
  return sight?.found && listedInvitation(sight.found);
}

/** Time limit in milliseconds for all checks after an earlier mail. */
const LONGEST_LOOK_MS = 30_000;

/**
 * Looks for an address invited by a command of the last ten minutes, but not listed: the list may lag, or the person
 * has accepted. With --if-not-exists a response to that command is enough.
 *
 * @returns `undefined` if it is not found: it may have been sent.
 */
export async function findInvitedSince(
  email: string,
  { at, isAnswered }: RecentCreation,
  { ifNotExists }: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  const { clock, signal } = session.context;
  const last = await look(
    () => listedFor(email, session),
    ({ found }) => found !== undefined,
    {
      sleep: (ms) => clock.sleep(ms, signal),
      now: clock.monotonic,
      deadline: clock.monotonic() + LONGEST_LOOK_MS,
    },
  );
  const found = 'seen' in last ? last.seen.found : undefined;
  if (found !== undefined) return listedInvitation(found);
  if (await hasUser(email, session)) return existing(`${email} already has a user.`, { email });
  if (!isAnswered || ifNotExists !== true) return undefined;
  const since = new Date(at).toISOString();
  return existing(`${email} was invited at ${since}, but no list shows it yet.`, { email, since });
}

/**
 * Interprets a conflict with --if-not-exists: the person is invited or has a user, although no list shows it.
 *
 * @param before whether an earlier command may have sent the mail.
 */
export function existingByRefusal(
  email: string,
  refusal: unknown,
  before: RecentCreation | undefined,
  { ifNotExists }: LookFlags,
): Existing | undefined {
  const isConflict = refusal instanceof CliError && refusal.status === 409;
  if (!isConflict || ifNotExists !== true) return undefined;
  return before === undefined
    ? existing(`Nothing was sent to ${email}. ${refusal.message}`, { email })
    : existing(`${email} is already invited, according to the service.`, { email });
}

function listedInvitation({ email, created: since }: ServiceRecord): Existing {
  return existing(`${email} is already invited${sinceText(since)}.`, { email, since });
}

function existing(sentence: string, shown: ServiceRecord): Existing {
  return { sentence, shown, facts: { ...shown, invited: false, created: false } };
}

async function listedFor(email: string, { api }: Pick<Session, 'api'>): Promise<Sight> {
  let found: ServiceRecord | undefined;
  let hidden = 0;
  const incomplete = await readWhole(api.invitations.listAll(), 'invitations', (record) => {
    const { email: listed } = record;
    if (typeof listed !== 'string') hidden += 1;
    else if (sameName(listed) === sameName(email)) found ??= record;
  });
  const hiding = hidden === 0 ? undefined : 'the service lists invitations without their e-mail address';
  return { found, doubt: found === undefined ? (incomplete ?? hiding) : undefined };
}

/** Whether the person has a user now, as far as that can be read. */
async function hasUser(email: string, { api }: Pick<Session, 'api'>): Promise<boolean> {
  try {
    await api.users.findByEmail(email);
    return true;
  } catch (cause) {
    if (cause instanceof CliError) return cause.code === 'ambiguous';
    throw cause;
  }
}
