import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError, invalidInput, OutcomeUnknown } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { invitesAdmin } from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { sameCommand } from '../../out/text.ts';
import { sameName } from '../../seed/entry.ts';
import type { RecentCreation } from '../../seed/recent-creates.ts';
import { takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { readWhole } from '../../service/paging.ts';
import type { Api } from '../../service/service.ts';
import { look } from '../../service/settling.ts';
import { importing, review, reviewOf } from '../ask.ts';
import { alreadyExists, forgetting, type LookFlags, lookFirst, openRecent, sinceText } from '../creation.ts';
import { inDoubt, isPiped, type Settling, settledByRepeating } from '../lines.ts';
import { tellingLine, withFlags } from '../options.ts';
import { listedProperties, type Misspelt, MOST_LOOKED_THROUGH, namesIn, suggesting } from '../suggest.ts';
import type { CompleteInvitation } from './ask.ts';
import { givenInvitation } from './given.ts';
import { invitationShapeFor } from './shape.ts';

/**
 * `invitations create [email]`: invite a person to the account.
 *
 * POST /api/v1/invitations. Only the e-mail is known to be needed. Roles are open: the contract shows
 * Housekeeping and names no others, so that the service judges them.
 */
export function createInvitation(context: Context) {
  return new DescribedCommand('create', {
    effect: 'writes',
    on: 'service',
    examples: [
      'invitations create ana@example.com --role Housekeeping --properties BER,VIE',
      'invite create --role Housekeeping',
      'invitations create --file ana.yaml --dry-run',
      'invitations create ben@example.com --is-account-admin --yes',
    ],
  })
    .alias('new')
    .summary('invite a person')
    .description(
      'Invite a person to the account, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
    )
    .argument('[email]', 'e-mail address to invite')
    .option('--file <path>', 'read the invitation from YAML or JSON; - for stdin')
    .option('--email <address>', 'same as the argument')
    .option('--role <role>', 'role at the properties: Housekeeping')
    .option(
      '--roles <names>',
      'roles at the properties: Housekeeping,Auditor (dialect apaleo, repeatable)',
      collectList,
    )
    .option('--properties <ids>', 'properties to grant access to: BER,VIE', collectList)
    .option('--property <ids>', 'same as --properties', collectList)
    .option('--is-account-admin [true|false]', 'grant full access to every property; requires confirmation')
    .option('--if-not-exists', 'succeed if the person is already invited')
    .option('--no-check', 'do not check first if the person is already invited')
    .option('--resend-unknown', 'send even if an earlier invitation may have been sent')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .action(
      withSession(context, async (session, email, options) => {
        const { api, globals, out } = session;
        api.permit('createInvitation');
        const given = await givenInvitation(email, options, session).catch(
          importing('invitations', options.file, globals),
        );
        const settlingOf = (argv: readonly string[]) => (isAnswered: boolean) => {
          const more = flagsToSettle(options, isAnswered);
          return settledByRepeating(argv, { more, readsStdin: isPiped(options.file) });
        };
        const first = openLook(options, session);
        if (await first.isThere(given.email)) return;
        const { invitation, answers } = await complete(given, session);
        if (await first.isThere(invitation.email)) return;
        const argv = answers && withFlags(context.argv, answers);
        await tellingLine(argv, session, async () => {
          await consentTo(invitation, answers !== undefined, session);
          const typed = { ...options, settling: settlingOf(argv ?? context.argv) };
          try {
            const answer = await sendOnce(invitation, typed, first, session);
            if (answer === undefined) return;
            await out.done(`Invited ${invitation.email}.`, { ...invitation, ...answer, invited: true });
          } catch (error) {
            if (!(await first.isTaken(invitation.email, error))) throw error;
          }
        });
      }),
    );
}

/** How an invitation is sent, as typed. */
interface TypedInvitation {
  readonly check: boolean;
  readonly resendUnknown?: true;
  /** What settles a doubt about it, and what does where it was answered and does not show. */
  readonly settling: (isAnswered: boolean) => Settling;
}

/**
 * Sends an invitation, unless a command of the last ten minutes may have sent one, so that a person gets one mail.
 *
 * @returns `undefined` where the person is invited, and that was told.
 */
async function sendOnce(
  invitation: NewInvitation,
  { check, resendUnknown, settling }: TypedInvitation,
  first: ReturnType<typeof openLook>,
  session: Session,
): Promise<ServiceRecord | undefined> {
  const { api, context, globals } = session;
  if (globals.dryRun === true) return api.invitations.create(invitation);
  const { email } = invitation;
  const memory = await openRecent({ kind: 'invitation', name: email }, session);
  const mustLook = check && resendUnknown !== true;
  const begun = await memory.begin(!mustLook);
  if (mustLook && begun.before !== undefined && (await first.isThereSince(email, begun.before, settling)))
    return undefined;
  const answer = await api.invitations
    .create(invitation)
    .catch((cause: unknown) => first.unlessInvited(email, begun.before, cause))
    .catch(forgetting(memory, begun))
    .catch(suggesting(...misspeltIn(invitation, api)))
    .catch(inDoubt(settling(false)));
  if (answer === undefined) return undefined;
  if (begun.isKept) await memory.change((known) => ({ ...known, at: context.clock.now(), isAnswered: true }));
  return answer;
}

/**
 * The invitation with what was missing; off a terminal only the e-mail is needed.
 *
 * @throws {CliError} exit 2 when the e-mail is missing and nobody can be asked.
 */
async function complete(given: Partial<NewInvitation>, session: Session): Promise<CompleteInvitation> {
  if (session.mayAsk()) return (await import('./ask.ts')).askForMissing(given, session);
  const { email } = given;
  if (email !== undefined) return { invitation: { ...given, email }, answers: undefined };
  const again = sameCommand(session.context.argv, '--email', 'EMAIL');
  throw invalidInput([{ field: 'email', reason: 'is missing' }], again);
}

/**
 * What was put together by asking is shown, and sent when the person wants it. An invitation that gives no access is
 * asked about in any case; where nobody can be asked a warning has to do. Full access needs a yes.
 */
async function consentTo(invitation: NewInvitation, isAsked: boolean, session: Session): Promise<void> {
  const isAccess = givesAccess(invitation, session.api);
  if (isAsked)
    await review(reviewOf(invitation, invitationShapeFor(session.api.dialect)), 'identity', session);
  if (invitesAdmin(invitation)) {
    const power = `This invites ${invitation.email} with full access to every property.`;
    return session.confirm(`${power} ${isAsked ? 'Send it?' : 'Go on?'}`);
  }
  if (isAsked && isAccess) return session.confirm('Send it?');
  if (isAccess) return;
  if (session.mayAsk()) {
    const missing = hasPlace(invitation) ? 'role' : 'property';
    return session.confirm(`Without a ${missing} the person will see nothing. Invite all the same?`);
  }
  await session.out.warn(
    'Without --is-account-admin, or --role and --properties, the person will see nothing.',
  );
}

/** The first mail may have gone out, and show by then; otherwise it is sent again, unless it went out for certain. */
function flagsToSettle(
  typed: { readonly ifNotExists?: true; readonly resendUnknown?: true },
  isAnswered: boolean,
) {
  return [
    ...(typed.resendUnknown === true || isAnswered ? [] : ['--resend-unknown']),
    ...(typed.ifNotExists === true ? [] : ['--if-not-exists']),
  ];
}

function givesAccess(invitation: NewInvitation, api: Pick<Api, 'dialect'>): boolean {
  if (invitation.is_account_admin === true) return true;
  return rolesOf(invitation, api).length > 0 && hasPlace(invitation);
}

function hasPlace({ properties = [] }: NewInvitation): boolean {
  return properties.length > 0;
}

/** Each once; of `roles` the contract knows nothing, so that there they may be anything. */
function rolesOf({ role, roles }: NewInvitation, { dialect }: Pick<Api, 'dialect'>): readonly string[] {
  const several = takes(dialect, 'createInvitation', 'roles') && Array.isArray(roles) ? roles : [];
  return [...new Set([...(role === undefined ? [] : [role]), ...several])];
}

/** The words of an invitation that may be misspelt: its roles and its properties. */
function misspeltIn(invitation: NewInvitation, api: Api): readonly Misspelt[] {
  const { properties = [] } = invitation;
  const ids = listedProperties(api);
  const roles = listedRoles(api);
  return [
    ...rolesOf(invitation, api).map((word) => ({ word, listed: roles })),
    ...properties.map((word) => ({ word, ...ids })),
  ];
}

/** The names of the roles, read once, when they are first asked for. */
function listedRoles({ roles }: Pick<Api, 'roles'>): Misspelt['listed'] {
  let names: Promise<readonly string[]> | undefined;
  return () => {
    names ??= namesIn(roles.list({}, { limit: MOST_LOOKED_THROUGH }), 'name');
    return names;
  };
}

/** The looks after an earlier mail together, milliseconds. */
const LONGEST_LOOK_MS = 30_000;

/** Looks whether an address is invited already, before a mail is sent. */
function openLook(flags: LookFlags, session: Session) {
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
