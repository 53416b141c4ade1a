import type { Row } from '../../change/consent.ts';
import { allowLockoutFlag, withRunFlags } from '../../change/flags.ts';
import { permitLoss } from '../../change/guards.ts';
import { type Item, itemFor } from '../../change/item.ts';
import type { Recalled } from '../../change/journal/history.ts';
import { resolveAll, wordProblems } from '../../change/resolve.ts';
import { mapEach } from '../../change/workers.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collect } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { listed, placeText } from '../../files/entry.ts';
import type { PeopleColumn } from '../../files/people-file.ts';
import { reductionBy } from '../../model/access-change.ts';
import { lastDayProblem } from '../../model/dates.ts';
import { userSteps } from '../../model/diff.ts';
import type { PatchStep } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { takes } from '../../service/dialect.ts';
import { emailOf } from '../../service/find-user.ts';
import {
  type Asked,
  isOfFile,
  type JobPlan,
  type NamedPerson,
  readNamed,
  runJob,
  withEvidenceFlags,
} from '../job.ts';
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
    .summary('take all access away from people who leave')
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

/** Reads of single users at the same time. */
const WORKERS = 4;

const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: referenceProblem },
  { name: 'until', problem: lastDayProblem },
  { name: 'reason' },
  { name: 'ticket' },
];

/** What no operation shows or ends. */
const CANNOT_TELL = [
  'Access tokens that were issued already stay valid until they run out, up to an hour.',
  'Connections of apps are not shown by the API: check them in the pages of the service.',
];

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
  const leavers = await (isOfFile(people)
    ? inFile(people, find, memory)
    : named(people, find, memory, session));
  const planned = once(leavers).map((leaver) => ({ leaver, rows: rowsFor(leaver, flags, session) }));
  const rows = planned.flatMap((each) => each.rows);
  return {
    rows,
    people: planned.flatMap(({ leaver, rows: own }) =>
      leaver.problem === undefined ? [personRows(leaver, own)] : [],
    ),
    cannotTell: [...CANNOT_TELL, ...adminsLeft(rows)],
  };
}

/** The account admins whose flag no operation of the service changes. */
function adminsLeft(rows: readonly Row[]): readonly string[] {
  const left = rows.filter(
    ({ item: { kind, record, steps } }) =>
      kind === 'user' && record?.['is_account_admin'] === true && reductionBy(steps)?.demotes === undefined,
  );
  const names = left.map(({ item }) => item.name);
  return names.length === 0
    ? []
    : [`The account admin flag stays, because no operation of the service changes it: ${listed(names)}.`];
}

/** Somebody to offboard. */
interface Leaver extends NamedPerson {
  /** `undefined` if an earlier run withdrew the invitation, and there is nothing else. */
  readonly person?: Person | undefined;
  readonly problem?: string | undefined;
}

type Find = (reference: string) => Promise<Person>;

/** People that the command line names. @throws {CliError} with all that are not one person. */
function named(people: readonly NamedPerson[], find: Find, memory: Recalled, session: Session) {
  const words = people.map(({ reference }) => reference);
  const findLeaver = async (reference: string): Promise<Leaver> => ({
    reference,
    person: await find(reference).catch(unlessWithdrawn(reference, memory)),
  });
  const referred = { ...users, noun: ['person', 'people'] } as const;
  return resolveAll(words, referred, { find: findLeaver, idOf, isWrite: true, isJob: true }, session);
}

/** People of a file, in its order; those who are not one person have the problem. */
function inFile(people: readonly NamedPerson[], find: Find, memory: Recalled): Promise<readonly Leaver[]> {
  return mapEach(people, WORKERS, async (row) => {
    try {
      return { ...row, person: await find(row.reference).catch(unlessWithdrawn(row.reference, memory)) };
    } catch (error) {
      return { ...row, problem: rowProblem(error) };
    }
  });
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

/** Each person once: a file may name one by address and by subject id. */
function once(leavers: readonly Leaver[]): readonly Leaver[] {
  const first = new Map<string, Leaver>();
  return leavers.map((leaver) => {
    const before = first.get(idOf(leaver));
    first.set(idOf(leaver), before ?? leaver);
    if (before === undefined || leaver.problem !== undefined) return leaver;
    const where = before.entry === undefined ? before.reference : placeText(before.entry.place);
    return { ...leaver, problem: `is the same person as ${where}` };
  });
}

function rowsFor(
  { reference, entry, person, problem }: Leaver,
  flags: OffboardFlags,
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
  const withdrawn = invitations.length === 0 ? [] : [emailOf(invitations[0] ?? {}) ?? name];
  const ifAccepted = stepsFor({ is_account_admin: true }, flags, session);
  return [
    ...(user === undefined ? [] : [row({ ...disabling(name, user, flags, session), entry }, user.id)]),
    ...withdrawn.map((email) =>
      row(itemFor({ kind: 'invitation', name: email }, 'delete', { entry, isReadBack: true, ifAccepted })),
    ),
  ];
}

/** Disables a user, and takes the account admin flag away if some operation does. */
function disabling(name: string, user: User, flags: OffboardFlags, session: Session): Item {
  const item = userItem(name, user, { steps: stepsFor(user.record, flags, session) });
  return item.action === 'same' ? { ...item, reason: 'is disabled already' } : { ...item, isReadBack: true };
}

/** One patch: disabled, no account admin, and with --strip without properties. */
function stepsFor(record: ServiceRecord, { strip }: OffboardFlags, { api }: Session): readonly PatchStep[] {
  const mayDemote = takes(api.dialect, 'updateUser', 'is_account_admin');
  return userSteps({
    ...(record['enabled'] === false ? {} : { enabled: false }),
    ...(mayDemote && record['is_account_admin'] === true ? { is_account_admin: false } : {}),
    ...(strip ? { properties: [] } : {}),
  });
}
