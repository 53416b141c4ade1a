import type { Row } from '../../change/consent.ts';
import { allowLockoutFlag, withRunFlags } from '../../change/flags.ts';
import { permitLoss } from '../../change/guards.ts';
import { type Item, itemFor } from '../../change/item.ts';
import { resolveAll, wordProblems } from '../../change/resolve.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import type { PeopleColumn } from '../../files/people-file.ts';
import type { Recalled } from '../../journal/history.ts';
import { adminFlag } from '../../model/access.ts';
import { lastDayProblem } from '../../model/dates.ts';
import { userSteps } from '../../model/diff.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import type { PatchStep } from '../../model/patch.ts';
import type { Context } from '../../model/ports.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { takes } from '../../service/dialect.ts';
import { emailOf } from '../../service/users.ts';
import { collect, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { type Asked, type JobPlan, type NamedPerson, readNamed, runJob, withEvidenceFlags } from '../job.ts';
import { userItem } from '../users/access.ts';
import { referenceProblem, referenceProblems, users } from '../users/reference.ts';
import { openPeople, type Person, personRows, rowProblem, type User } from './records.ts';

/** `people offboard [email...]`: disable people, and withdraw their invitations. */
export function offboardPeople(context: Context) {
  const command = serviceCommand('offboard', 'destroys', [
    'people offboard hanna@example.com',
    'people offboard hanna@example.com --evidence evidence/',
    'people offboard --file leavers.csv --yes --max-deletes 20',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('disable people who leave')
    .description(
      'Disable people, take the account admin flag away from them, and withdraw their pending invitations. Run the same ' +
        'command again to finish an interrupted run.',
    )
    .argument('[email...]', 'full e-mail address, or subject id')
    .option('--file <path>', 'people from a file with a column email')
    .option('--strip', 'also take all properties away, and their roles');
  const flagged = withEvidenceFlags(command)
    .option('--confirm <email>', 'confirm disabling: repeat the e-mail address', collect)
    .option(...allowLockoutFlag);
  return withRunFlags(flagged).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      await offboard(session, { references, file }, flags);
    }),
  );
}

/** The flags of `people offboard`, as typed. */
type OffboardFlags = Omit<ReturnType<ReturnType<typeof offboardPeople>['opts']>, 'file'>;

const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: referenceProblem },
  { name: 'until', problem: lastDayProblem },
  { name: 'reason' },
  { name: 'ticket' },
];

const CANNOT_TELL = [
  'They may stay logged in for up to an hour.',
  'Remove their connected apps in the web app, too; innctl cannot see them.',
];

const FLAG_STAYS = 'The account admin flag of users stays, because no operation of the service changes it.';

/**
 * Takes all access away from people: one patch of the user, then every invitation to the address is withdrawn; both are read
 * back.
 *
 * @throws {CliError} exit 3 or 12 with all references that are not one person; what `runJob` throws.
 */
async function offboard(session: Session, asked: Asked, flags: OffboardFlags): Promise<void> {
  const problems = wordProblems(asked.references, referenceProblems, session);
  const job = { command: 'people offboard', asked, flags } as const;
  const permits = 'updateUser';
  const naming = { ...job, kind: 'user', columns, ignoresOthers: true, problems, permits } as const;
  if (flags.strip) permitLoss('take away properties and their roles', session);
  const { people } = await readNamed(naming, session);
  await runJob({ ...job, plan: (memory) => planLeavers(people, memory, flags, session) }, session);
}

async function planLeavers(
  people: readonly NamedPerson[],
  memory: Recalled,
  flags: OffboardFlags,
  session: Session,
): Promise<JobPlan> {
  const { find } = await openPeople(session);
  const findLeaver = async (reference: string): Promise<Leaver> => ({
    reference,
    person: await find(reference).catch(unlessWithdrawn(reference, memory)),
  });
  const words = people.map(({ reference }) => reference);
  const referred = { ...users, noun: ['person', 'people'] } as const;
  const leavers = await (people[0]?.entry === undefined
    ? resolveAll(words, referred, { find: findLeaver, idOf, isWrite: true, isJob: true }, session)
    : mapEach(people, READERS, async (row) => {
        const problemOf = (error: unknown) => ({ problem: rowProblem(error) });
        return { ...row, ...(await findLeaver(row.reference).catch(problemOf)) };
      }));
  const planned = leavers.map((leaver) => ({ leaver, rows: rowsFor(leaver, flags, session) }));
  return {
    rows: planned.flatMap((each) => each.rows),
    people: planned.flatMap((each) =>
      each.leaver.problem === undefined ? personRows(each.leaver, each.rows) : [],
    ),
    cannotTell: cannotTellOf(session),
  };
}

/** What no operation shows or ends. */
export function cannotTellOf({ api }: Pick<Session, 'api'>): readonly string[] {
  return takes(api.dialect, 'updateUser', adminFlag) ? CANNOT_TELL : [...CANNOT_TELL, FLAG_STAYS];
}

/** Somebody to offboard. */
interface Leaver extends NamedPerson {
  /** `undefined` if an earlier run withdrew the invitation, and there is nothing else. */
  readonly person?: Person | undefined;
  readonly problem?: string | undefined;
}

/** For `catch`: an earlier run may have left nothing of a person who was only invited. */
function unlessWithdrawn(reference: string, { recall }: Recalled) {
  return (error: unknown): undefined => {
    const isWithdrawn = recall('invitation', reference)?.deletion !== undefined;
    if (!isWithdrawn || !(error instanceof CliError) || error.exitCode !== ExitCode.notFound) throw error;
  };
}

function idOf({ reference, person }: Leaver): string {
  return person?.user?.id ?? (person?.name ?? reference).toLowerCase();
}

/** The rows that take all access away from somebody. */
export function rowsFor(
  { reference, entry, person, problem }: Leaver,
  flags: Pick<OffboardFlags, 'strip'>,
  session: Session,
): readonly Row[] {
  const row = (item: Item, ...names: readonly string[]): Row => ({ item, names: [reference, ...names] });
  if (problem !== undefined)
    return [row(itemFor({ kind: 'user', name: reference }, 'conflict', { entry, reason: problem }))];
  if (person === undefined) {
    const reason = 'the invitation was withdrawn by an earlier run';
    return [row(itemFor({ kind: 'invitation', name: reference }, 'same', { entry, reason }))];
  }
  const { name, user, invitations } = person;
  const withdrawing = { entry, isReadBack: true, record: invitations[0] };
  const withdrawn = invitations.length === 0 ? [] : [emailOf(invitations[0] ?? {}) ?? name];
  return [
    ...(user === undefined ? [] : [row({ ...disabling(name, user, flags, session), entry }, user.id)]),
    ...withdrawn.map((email) => row(itemFor({ kind: 'invitation', name: email }, 'delete', withdrawing))),
  ];
}

/** Disables a user, and takes the account admin flag away if some operation does. */
function disabling(name: string, user: User, flags: Pick<OffboardFlags, 'strip'>, session: Session): Item {
  const item = userItem(name, user, { steps: stepsFor(user.record, flags, session) });
  return item.action === 'same' ? { ...item, reason: 'is disabled already' } : { ...item, isReadBack: true };
}

/** One patch: disabled, no account admin, and with --strip without properties. */
function stepsFor(
  record: ServiceRecord,
  { strip }: Pick<OffboardFlags, 'strip'>,
  { api }: Session,
): readonly PatchStep[] {
  const mayDemote = takes(api.dialect, 'updateUser', adminFlag);
  return userSteps({
    ...(record['enabled'] === false ? {} : { enabled: false }),
    ...(mayDemote && record[adminFlag] === true ? { [adminFlag]: false } : {}),
    ...(strip ? { properties: [] } : {}),
  });
}
