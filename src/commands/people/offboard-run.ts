import { resolve } from 'node:path';
import { CliError, invalidInput } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { isDone, reductionBy } from '../../model/access-change.ts';
import { stepOf, userSpec } from '../../model/diff.ts';
import type { PatchStep } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { heldEmailProblem } from '../../model/segment.ts';
import { checkEvidenceFolder } from '../../people/evidence-folder.ts';
import { type Entry, listed, placeText } from '../../seed/entry.ts';
import { type Item, itemFor } from '../../seed/item.ts';
import type { Recalled } from '../../seed/journal.ts';
import { isInDoubt } from '../../seed/journal-line.ts';
import type { PeopleColumn, PersonRow } from '../../seed/people-file.ts';
import { eachOf } from '../../seed/workers.ts';
import { takes } from '../../service/dialect.ts';
import { emailOf } from '../../service/find-user.ts';
import { idProblem } from '../../service/path.ts';
import { unsent } from '../apply/run.ts';
import { keepAround, type PersonRows } from '../evidence/around.ts';
import { type EvidenceFlags, evidenceProblems } from '../evidence/flags.ts';
import { serviceLine } from '../lines.ts';
import { findNamed, nameTest } from '../references.ts';
import { type Asked, type JobFlags, refuseUnclear, runJob } from '../several/journalled.ts';
import { resolveAll, wordProblems } from '../several/resolve.ts';
import { changesShown, permitEach, type Row } from '../several/run.ts';
import { isEmail, misspeltUsers, referenceProblems, users } from '../users/reference.ts';
import { openPeople, type Person } from './records.ts';

/** The flags of `people offboard`, as typed. */
export interface OffboardFlags extends JobFlags, EvidenceFlags {
  readonly strip?: true | undefined;
}

const COMMAND = 'people offboard';

/** Reads of single users at the same time. */
const WORKERS = 4;

const columns: readonly PeopleColumn[] = [
  {
    name: 'email',
    isNeeded: true,
    isUnique: true,
    problem: (text) => (isEmail(text) ? heldEmailProblem(text) : idProblem(text)),
  },
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
export async function offboard(session: Session, asked: Asked, typed: OffboardFlags): Promise<void> {
  refuseUnclear(asked, typed, COMMAND);
  const problems = [
    ...wordProblems(asked.references, referenceProblems, nameTest(session)),
    ...evidenceProblems(typed),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  // A run may be resumed in another folder.
  const flags = { ...typed, evidence: typed.evidence && resolve(typed.evidence) };
  const { evidence, reason, ticket } = typed;
  if (evidence !== undefined) checkEvidenceFolder(evidence, session.context.uid);
  permitEach('updateUser', asked.references, session);
  const rowsInFile = asked.file === undefined ? [] : await unsent(readLeavers(asked.file, flags, session));
  let planned: readonly Planned[] = [];
  const plan = async (memory: Recalled) => {
    const people = await openPeople(session);
    const leavers =
      asked.file === undefined
        ? await named(asked.references, people.find, memory, session)
        : await inFile(rowsInFile, people.find, memory);
    planned = once(leavers).map((leaver) => ({ leaver, rows: rowsFor(leaver, flags, session) }));
    return planned.flatMap(({ rows }) => rows);
  };
  const begin = (_: unknown, runId: string) =>
    keepAround(
      planned.flatMap(personIn),
      {
        job: COMMAND,
        runId,
        folder: evidence,
        reason,
        ticket,
        cannotTell: [...CANNOT_TELL, ...adminsLeft(planned)],
      },
      session,
    );
  await runJob({ command: COMMAND, asked, flags, plan, begin }, session);
}

/** The account admins whose flag no operation of the service changes. */
function adminsLeft(planned: readonly Planned[]): readonly string[] {
  const left = planned
    .flatMap(({ rows }) => rows)
    .filter(
      ({ item: { kind, record, steps } }) =>
        kind === 'user' && record?.['is_account_admin'] === true && reductionBy(steps)?.demotes === undefined,
    );
  const names = left.map(({ item }) => item.name);
  return names.length === 0
    ? []
    : [`The account admin flag stays, because no operation of the service changes it: ${listed(names)}.`];
}

/** A leaver with the rows about them, for the evidence; nobody has none. */
function personIn({ leaver: { reference, person, problem, entry }, rows }: Planned): readonly PersonRows[] {
  if (problem !== undefined) return [];
  const { reason, ticket } = (entry?.fields ?? {}) as Partial<Record<string, string>>;
  const { user, invitations = [], name = reference } = person ?? {};
  const email = (user && emailOf(user.record)) ?? (isEmail(name) ? name : '');
  const items = rows.map(({ item }) => item);
  return [{ email, subjectId: user?.id, user: user?.record, invitations, items, reason, ticket }];
}

interface Planned {
  readonly leaver: Leaver;
  readonly rows: readonly Row[];
}

/** Somebody to offboard. */
interface Leaver {
  readonly reference: string;
  readonly entry?: Entry | undefined;
  /** `undefined` if an earlier run withdrew the invitation, and there is nothing else. */
  readonly person?: Person | undefined;
  readonly problem?: string | undefined;
}

async function readLeavers(file: string, { map }: OffboardFlags, { context, out }: Session) {
  const { readPeople } = await import('../../seed/people-file.ts');
  return readPeople(file, columns, { context, map, warn: out.warn });
}

type Find = (reference: string) => Promise<Person>;

/** People that the command line names. @throws {CliError} with all that are not one person. */
function named(references: readonly string[], find: Find, memory: Recalled, session: Session) {
  const { api, globals } = session;
  return resolveAll<Leaver>(references, {
    noun: ['person', 'people'],
    find: async (reference) => ({
      reference,
      person: await find(reference).catch(unlessWithdrawn(reference, memory)),
    }),
    findNamed: (name) => findNamed(name, users, 'writes', session),
    idOf,
    misspelt: misspeltUsers([], api),
    list: serviceLine(globals, 'users', 'list', '--all'),
  });
}

/** People of a file, in its order; those who are not one person have the problem. */
async function inFile(rows: readonly PersonRow[], find: Find, memory: Recalled): Promise<readonly Leaver[]> {
  const leavers = new Map<PersonRow, Leaver>();
  await eachOf(rows, WORKERS, async (row) => {
    const reference = String(row.fields['email']);
    const entry: Entry = { kind: 'user', name: reference, ...row };
    const problem = (error: unknown) => {
      const isNobody =
        error instanceof CliError &&
        [ExitCode.notFound, ExitCode.ambiguous].some((code) => code === error.exitCode);
      if (!isNobody) throw error;
      return [error.message, ...error.details.map(({ reason }) => reason)].join(' ');
    };
    const found = await find(reference).catch(unlessWithdrawn(reference, memory)).catch(problem);
    leavers.set(
      row,
      typeof found === 'string' ? { reference, entry, problem: found } : { reference, entry, person: found },
    );
  });
  return rows.flatMap((row) => leavers.get(row) ?? []);
}

/** For `catch`: an earlier run may have left nothing of a person who was only invited. */
function unlessWithdrawn(reference: string, { recall, wasDeleted }: Recalled) {
  return (error: unknown): undefined => {
    const row = recall('invitation', reference);
    const isWithdrawn = wasDeleted('invitation', reference) || (row?.action === 'delete' && isInDoubt(row));
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
  return [
    ...(user === undefined ? [] : [row(userItem(name, user, entry, flags, session), user.id)]),
    ...withdrawn.map((email) =>
      row(itemFor({ kind: 'invitation', name: email }, 'delete', { entry, isReadBack: true })),
    ),
  ];
}

function userItem(
  name: string,
  { id, record }: NonNullable<Person['user']>,
  entry: Entry | undefined,
  flags: OffboardFlags,
  { api }: Session,
): Item {
  const mayDemote = takes(api.dialect, 'updateUser', 'is_account_admin');
  const steps = stepsFor(record, flags).filter(({ path }) => mayDemote || path !== '/isAccountAdmin');
  if (steps.length === 0 || isDone(record, { steps }))
    return itemFor({ kind: 'user', name }, 'same', { entry, id, record, reason: 'is disabled already' });
  const changes = changesShown(record, steps);
  return itemFor({ kind: 'user', name }, 'change', { entry, id, record, steps, changes, isReadBack: true });
}

/** One patch: disabled, no account admin, and with --strip without properties. */
function stepsFor(record: ServiceRecord, { strip }: OffboardFlags): readonly PatchStep[] {
  const wanted = {
    ...(record['enabled'] === false ? {} : { enabled: false }),
    ...(record['is_account_admin'] === true ? { is_account_admin: false } : {}),
    ...(strip ? { properties: [] } : {}),
  };
  return Object.entries(wanted).map(([field, to]) =>
    stepOf({ path: [field], from: record[field], to, state: 'different' }, userSpec),
  );
}
