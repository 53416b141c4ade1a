import { CliError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { sameName } from '../../seed/entry.ts';
import type { Sight } from '../../seed/find-property.ts';
import type { RecentCreation } from '../../seed/recent-creates.ts';
import { readWhole } from '../../service/paging.ts';
import { look } from '../../service/settling.ts';
import { type Existing, type LookFlags, lookFirst, sinceText } from '../creation.ts';

/** Looks before a mail is sent whether an address is invited already, unless --no-check. */
export async function findInvited(
  email: string | undefined,
  flags: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  if (email === undefined || !(flags.check || flags.ifNotExists === true)) return undefined;
  const whether = `whether ${email} is invited already`;
  const sight = await lookFirst(listedFor(email, session), whether, flags, session);
  return sight?.found && listedInvitation(sight.found);
}

/** The looks after an earlier mail together, milliseconds. */
const LONGEST_LOOK_MS = 30_000;

/**
 * Looks for an address that a command of the last ten minutes invited, and that the list did not show: it may show it a little
 * later, or the person has accepted. With --if-not-exists an answer to that command is enough.
 *
 * @returns `undefined` if nothing shows it: it may have been sent.
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
  if (await hasUser(email, session)) return existing(`${email} has a user already.`, { email });
  if (!isAnswered || ifNotExists !== true) return undefined;
  const since = new Date(at).toISOString();
  return existing(`${email} was invited at ${since}, and no list shows it yet.`, { email, since });
}

/**
 * What a refusal says of an address with --if-not-exists: a conflict means that the person is invited or has a user, and no list
 * shows that.
 *
 * @param before an earlier command may have sent the mail.
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
    : existing(`${email} is invited already, as the service says.`, { email });
}

function listedInvitation({ email, created: since }: ServiceRecord): Existing {
  return existing(`${email} is invited already${sinceText(since)}.`, { email, since });
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

/** Whether the person has accepted meanwhile, as far as that can be read. */
async function hasUser(email: string, { api }: Pick<Session, 'api'>): Promise<boolean> {
  try {
    await api.users.findByEmail(email);
    return true;
  } catch (cause) {
    if (cause instanceof CliError) return cause.code === 'ambiguous';
    throw cause;
  }
}
