import { look } from '../../api/looks.ts';
import { readWhole } from '../../api/whole-list.ts';
import type { RecentCreation } from '../../apply/recent-creates.ts';
import { CliError, OutcomeUnknown } from '../../errors.ts';
import { sameName } from '../../manifest/entry.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { alreadyExists, type LookFlags, lookFirst, sinceText } from '../already.ts';
import type { Settling } from '../settle.ts';

/** The looks after an earlier mail together, milliseconds. */
const LONGEST_LOOK_MS = 30_000;

/** Looks whether an address is invited already, before a mail is sent. */
export function openLook(flags: LookFlags, session: Session) {
  const { ifNotExists } = flags;
  const isWanted = flags.check || ifNotExists === true;
  const { context, out } = session;
  const tell = async (sentence: string, known: ServiceRecord) => {
    if (ifNotExists === true) return out.done(sentence, { ...known, invited: false, created: false });
    const details = Object.entries(known).flatMap(([field, value]) =>
      typeof value === 'string' ? [{ field, reason: value }] : [],
    );
    throw alreadyExists(sentence, details, context.argv);
  };
  const tellInvited = ({ email, created: since }: ServiceRecord) =>
    tell(`${email} is invited already${sinceText(since)}.`, { email, since });
  let looked: string | undefined;
  return {
    /**
     * Whether it is, and that was told as a result (--if-not-exists).
     *
     * @throws {CliError} `already_exists`, exit 6, when it is otherwise.
     */
    async isThere(email: string | undefined): Promise<boolean> {
      if (!isWanted || email === undefined || email === looked) return false;
      looked = email;
      const whether = `whether ${email} is invited already`;
      const sight = await lookFirst(() => listedFor(email, session), whether, flags, session);
      if (sight?.doubt !== undefined) await out.warn(`Could not look ${whether}: ${sight.doubt}.`);
      if (sight?.found !== undefined) await tellInvited(sight.found);
      return sight?.found !== undefined;
    },
    /** The service refused it: the same, where it was because the person is invited, or has a user, and no list shows that. */
    async isTaken(email: string, refusal: unknown): Promise<boolean> {
      const isConflict = refusal instanceof CliError && refusal.status === 409;
      if (!isConflict || ifNotExists !== true) return false;
      await tell(`Nothing was sent to ${email}. ${refusal.message}`, { email });
      return true;
    },
    /**
     * The same of an address that a command of the last ten minutes invited, and that the list did not show: it may show it a
     * little later, or the person is in. With --if-not-exists an answer to that command is enough.
     *
     * @throws {OutcomeUnknown} when nothing shows it: a second mail is sent by --resend-unknown alone.
     */
    async isThereSince(
      email: string,
      before: RecentCreation,
      settling: (isAnswered: boolean) => Settling,
    ): Promise<boolean> {
      const { at, isAnswered } = before;
      const { clock, signal } = context;
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
      if (found !== undefined) await tellInvited(found);
      else if (await hasUser(email, session)) await tell(`${email} has a user already.`, { email });
      else if (isAnswered && ifNotExists === true) {
        const since = new Date(at).toISOString();
        await tell(`${email} was invited at ${since}, and no list shows it yet.`, { email, since });
      } else {
        const { line, besides } = settling(isAnswered);
        throw maybeInvited(email, before).settledBy(line, besides);
      }
      return true;
    },
    /** With --if-not-exists a 409 says of an address that was invited before that the mail went out. @throws anything else. */
    async unlessInvited(
      email: string,
      before: RecentCreation | undefined,
      cause: unknown,
    ): Promise<undefined> {
      const isThere = before !== undefined && cause instanceof CliError && cause.code === 'conflict';
      if (!isThere || ifNotExists !== true) throw cause;
      await tell(`${email} is invited already, as the service says.`, { email });
    },
  };
}

/** The invitation to an address, or why one that is not listed may be there, as a clause. */
async function listedFor(email: string, { api }: Pick<Session, 'api'>) {
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

function maybeInvited(email: string, { at, isAnswered }: RecentCreation): OutcomeUnknown {
  const when = new Date(at).toISOString();
  const sent = isAnswered ? `was sent at ${when}` : `may have been sent at ${when}`;
  return new OutcomeUnknown(
    `An invitation to ${email} ${sent}, and no list shows it yet. Nothing was sent: that may be a second mail.`,
  );
}
