import { extname } from 'node:path';
import type { Row } from '../../change/consent.ts';
import { settleCreations } from '../../change/creation-rules.ts';
import { allowLockoutFlag, pathProblem, runFlags, withReadingFlags } from '../../change/flags.ts';
import { permitEach } from '../../change/guards.ts';
import { type Item, isPending, itemFor } from '../../change/item.ts';
import { withoutFlag } from '../../change/lines.ts';
import { lineOf } from '../../change/outline.ts';
import { unsent } from '../../change/rows.ts';
import { readStaff } from '../../files/people-file.ts';
import { hinting, readText, writeReasonOf } from '../../fs/read.ts';
import { replaceFile } from '../../fs/replace.ts';
import type { Recalled } from '../../journal/history.ts';
import { adminFlag, shownProperties } from '../../model/access.ts';
import { parseDuration } from '../../model/dates.ts';
import { userSteps } from '../../model/diff.ts';
import { CliError, type Detail, detailsFor, ExitCode, refuseInvalid } from '../../model/errors.ts';
import { hashOf } from '../../model/json-text.ts';
import type { Context } from '../../model/ports.ts';
import { groupBy, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, firstOf, heldEmailProblem, quote, sameName, textProblem } from '../../model/text.ts';
import { wholeProblem } from '../../model/values.ts';
import { factsFrom, propertyFinder, propertyIn } from '../../people/facts.ts';
import { readJobs } from '../../people/policy.ts';
import {
  type Change,
  changesFor,
  groups,
  type Pattern,
  sentenceOf,
  staffIn,
  type Todo,
  todoColumns,
  todoText,
} from '../../people/sync.ts';
import { csvText } from '../../print/cells.ts';
import type { OutlineLine } from '../../print/outline.ts';
import { neutralise, sameCommand } from '../../print/text.ts';
import { takes } from '../../service/dialect.ts';
import { emailOf, subjectIdOf } from '../../service/users.ts';
import { collect, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { readRecords } from '../access/gather.ts';
import { checkLine, type JobPlan, runJob, withEvidenceFlags } from '../job.ts';
import { entryProblems } from '../options.ts';
import { userItem } from '../users/access.ts';
import { cannotTellOf, rowsFor } from './offboard.ts';
import { namesIn } from './onboard.ts';
import { type Person, personRows } from './records.ts';

/** `people sync <file>`: give access to the people of a table and take it from others of their domains. */
export function syncPeople(context: Context) {
  const command = serviceCommand('sync', 'destroys', [
    'people sync hr.xlsx --jobs jobs.yaml --dry-run',
    'people sync hr.csv --jobs jobs.yaml --where Status=active --grace 7d',
    'people sync hr.csv --jobs jobs.yaml --yes --evidence evidence/ --todo todo.csv',
  ])
    .exitsWith('partlyDone')
    .summary('make access what a table of staff says')
    .description(
      'Invite people of a table of staff, change the properties of those who moved, and offboard people of its domains who ' +
        'are not in it. Roles of users cannot be set: --todo lists them. Run it again to finish an interrupted run.',
    )
    .argument('<file>', 'table with a person per row (.csv, .xlsx)')
    .option('--jobs <path>', 'rules: domains, columns, roles of jobs (YAML)')
    .option('--where <header=pattern>', 'only rows like Status=active (repeatable)', collect)
    .option('--max-leavers <n>', `maximum people who leave (default: ${DEFAULT_LEAVERS})`)
    .option('--grace <duration>', 'time after the last day until people leave: 7d')
    .option('--todo <path>', 'write what is to be done by hand (.csv)');
  const flagged = withReadingFlags(withEvidenceFlags(command))
    .option(...runFlags.maxChanges)
    .option(...runFlags.failFast)
    .option(...runFlags.progress)
    .option(...runFlags.verbose)
    .option('--confirm <email>', 'also change this account admin (repeatable)', collect)
    .option(...allowLockoutFlag);
  return flagged.action(
    withSession(context, async (session, file, flags) => {
      await sync(session, file, flags);
    }),
  );
}

const DEFAULT_LEAVERS = 5;

/** The flags of `people sync`, as typed. */
type SyncFlags = ReturnType<ReturnType<typeof syncPeople>['opts']>;

/**
 * Makes the access of the people of a table what it says.
 *
 * @throws {CliError} exit 2 with all that is wrong in the line, the rules or the table; what `runJob` throws.
 */
async function sync(session: Session, file: string, flags: SyncFlags): Promise<void> {
  const job = { command: 'people sync', asked: { references: [], file }, flags } as const;
  const line = { ...job, flags: { ...flags, confirm: undefined } };
  const { headerRow } = checkLine({ ...line, problems: flagProblems(flags), permits: 'updateUser' }, session);
  const read = await unsent(readFiles(file, flags, headerRow, session));
  const plan = async (memory: Recalled) =>
    planSync(await changesBy(read, flags, session), memory, flags, session);
  await runJob({ ...job, plan, isLimited: true, isOnlyInJournal: true }, session);
}

function flagProblems({ jobs, where, maxLeavers, grace, todo, confirm }: SyncFlags): readonly Detail[] {
  const isTime = grace === undefined || parseDuration(grace) !== undefined;
  const isCsv = todo === undefined || extname(todo).toLowerCase() === '.csv';
  return [
    ...detailsFor('--jobs', jobs === undefined ? 'is missing: name a file of rules' : pathProblem(jobs)),
    ...entryProblems('--where', where, (word) =>
      /\S[^=]*=.*\S/.test(word) ? textProblem(word) : `${quote(word)} is not COLUMN=PATTERN`,
    ),
    ...detailsFor('--max-leavers', wholeProblem(maxLeavers, 0)),
    ...detailsFor('--grace', isTime ? undefined : `${quote(grace)} is not a time such as 12h, 7d or 2w`),
    ...detailsFor('--todo', pathProblem(todo) ?? (isCsv ? undefined : `${quote(todo)} does not end in .csv`)),
    ...entryProblems('--confirm', confirm, heldEmailProblem),
  ];
}

/** The rules, and who works here by the table. */
async function readFiles(
  file: string,
  { jobs: path = '', where: words = [], grace = '', map = [], hidden }: SyncFlags,
  headerRow: number | undefined,
  { context: { stdin, clock }, out: { warn } }: Session,
) {
  const open = async () => readJobs((await readText(path, stdin)).text, path);
  const jobs = await open().catch(hinting('innctl schema jobs prints what rules may have.'));
  const where = words.map(
    (word): Pattern => [word.split('=', 1).join().trim(), word.slice(word.indexOf('=') + 1)],
  );
  const patterns = [...where, ...jobs.jobs.flatMap(({ when }) => Object.entries(when))];
  const { email, until = '', property } = jobs;
  const all = [email, property, until, ...patterns.map(([header]) => header)];
  const headers = [...new Set(all.filter((header) => header !== ''))];
  const fields = { [until]: 'until', [email]: 'email' } as const;
  const columns = headers.map((header) => ({ header, field: fields[header] }));
  const reading = { stdin, hidden, headerRow, map, warn, isWhole: true } as const;
  const rows = await readStaff(file, file, columns, reading);
  const rules = { jobs, headers, where, now: clock.now(), graceMs: parseDuration(grace) ?? 0 };
  const { staff, left } = staffIn(rows, file, rules);
  if (left > 0)
    await warn(`Left out of ${file}: ${counted(left, 'row')} without an address of domains, or in except.`);
  return { jobs, staff };
}

/** The changes of people, with what the account has of them. @throws {CliError} exit 2 for unknown roles and properties. */
async function changesBy(
  { jobs, staff }: Awaited<ReturnType<typeof readFiles>>,
  { confirm: confirmed = [] }: SyncFlags,
  session: Session,
) {
  const records = await readRecords(session);
  // A single role may have an older name, which no list shows.
  const rows = staff.map(({ email, place, role, properties }) => ({
    place,
    fields: { email, roles: role === undefined ? [] : [role], properties },
  }));
  const { ids, problems } = await namesIn(rows, session);
  refuseInvalid(problems);
  const resolved = staff.map((employee, at) => ({ ...employee, properties: ids[at] ?? [] }));
  const canDemote = takes(session.api.dialect, 'updateUser', adminFlag);
  const changes = changesFor(resolved, factsFrom(records), { jobs, confirmed, canDemote });
  const find = propertyFinder(records.properties.map(propertyIn));
  const byAddress = (some: readonly ServiceRecord[]) =>
    groupBy(some, (each) => sameName(emailOf(each) ?? ''));
  const [users, invited] = [byAddress(records.users), byAddress(records.invitations)];
  return changes.map((change) => {
    const { email: name } = change;
    const [record] = users.get(sameName(name)) ?? [];
    const user = record && { id: subjectIdOf(record), record };
    const held = record === undefined ? [] : shownProperties(record);
    const removes = held.filter((each) => change.removes.includes(find(each).id));
    const invitations = invited.get(sameName(name)) ?? [];
    return { change: { ...change, removes }, person: { name, user, invitations } };
  });
}

interface Planned {
  readonly change: Change;
  readonly person: Person;
  readonly rows: readonly Row[];
}

async function planSync(
  changes: Awaited<ReturnType<typeof changesBy>>,
  memory: Recalled,
  flags: SyncFlags,
  session: Session,
): Promise<JobPlan> {
  const { api, context } = session;
  const options = { memory, honoursKeys: api.trustsKeys, now: context.clock.now };
  const planned = await Promise.all(
    changes.map(async ({ change, person }) => {
      const items = await settleCreations(itemsOf(change, person, session), api, options);
      return { change, person, rows: items.map((item) => ({ item, names: [] })) };
    }),
  );
  const pending = planned.filter(({ rows }) => rows.some(({ item }) => isPending(item)));
  const leavers = pending.flatMap(({ change }) => (change.change === 'leaver' ? change.email : []));
  refuseLeavers(leavers, flags, session);
  const withdrawn = pending.flatMap(({ change }) => (change.withdraws ? change.email : []));
  if (withdrawn.length > 0) permitEach('deleteInvitation', withdrawn, session);
  const todo = changes.flatMap(({ change }) => change.todo);
  const shown = shownPlan(planned, todo);
  const people = changes.map(({ change: { email, change, employee: { role, properties } = {}, reason } }) =>
    withoutHoles({ email, change, role, properties, reason }),
  );
  const isShown = session.globals.yes !== true && pending.length > 0;
  const notes = isShown ? [] : [shown.sentence, ...firstOf(todo.map(todoText), MOST_NAMED)];
  return {
    rows: planned.flatMap((each) => each.rows),
    people: pending.map(({ change, person, rows }) => personRows({ reference: change.email, person }, rows)),
    ...(leavers.length > 0 && { cannotTell: cannotTellOf(session) }),
    conclusion: { facts: { people, todo }, notes },
    shown,
    agreed: () => writeTodo(flags.todo, todo),
  };
}

/** The plan in groups. */
function shownPlan(planned: readonly Planned[], todo: readonly Todo[]) {
  const byHand = todo.map((each) => ({ sign: '!', tone: 'warning', text: todoText(each) }) as const);
  const lines = groups.flatMap(([group, title]): readonly OutlineLine[] => {
    const items = planned.flatMap(({ change, rows }) => (change.change === group ? rows : []));
    // Of people who stay as they are only a reason is worth a line.
    const told = items.filter(({ item }) => item.action !== 'same' || item.reason !== undefined);
    const own = group === 'todo' ? byHand : told.map(({ item }) => lineOf(item));
    return own.length === 0 ? [] : [{ sign: '#', text: title }, ...own];
  });
  return { lines, sentence: sentenceOf(planned.map(({ change }) => change)) };
}

/** The rows about one person. */
function itemsOf(
  { email: name, change, employee, reason, sets, adds, removes, withdraws, invites }: Change,
  person: Person,
  session: Session,
): readonly Item[] {
  const { user, invitations } = person;
  const [listed] = invitations;
  if (change === 'leaver') return rowsFor({ reference: name, person }, {}, session).map(({ item }) => item);
  const kind = user === undefined ? 'invitation' : 'user';
  if (change === 'todo' || change === 'unchanged')
    return [itemFor({ kind, name }, change === 'todo' ? 'cannot_change' : 'same', { id: user?.id, reason })];
  if (invites && employee !== undefined) {
    const { role, properties, place } = employee;
    const body = { email: name, role, properties };
    const entry = { kind: 'invitation', name, place, fields: body } as const;
    const why = 'the invitation that gives other access is withdrawn first';
    const again =
      listed && ({ resends: 'listed', record: listed, seen: hashOf(listed), reason: why } as const);
    return [itemFor(entry, 'create', { entry, body, ...again })];
  }
  const isMoved = adds.length + removes.length > 0;
  const properties = isMoved && { addProperties: adds, removeProperties: removes };
  const moved = user && userItem(name, user, { steps: userSteps(sets), ...properties });
  const invited = { kind: 'invitation', name: emailOf(listed ?? {}) ?? name } as const;
  const leftover = itemFor(invited, 'delete', { isReadBack: true });
  return [...(moved === undefined ? [] : [{ ...moved, isReadBack: true }]), ...(withdraws ? [leftover] : [])];
}

const MOST_NAMED = 20;

/** @throws {CliError} exit 11 if more people would leave than --max-leavers allows; a dry run without it shows all. */
function refuseLeavers(names: readonly string[], { maxLeavers }: SyncFlags, session: Session): void {
  const { globals, context } = session;
  const usual = globals.dryRun === true ? names.length : DEFAULT_LEAVERS;
  const most = maxLeavers === undefined ? usual : Number(maxLeavers);
  if (names.length <= most) return;
  const whom = counted(names.length, 'person', 'people');
  const sentence = `${whom} would leave, and --max-leavers allows ${most}; nothing was sent: ${firstOf(names, MOST_NAMED).join(', ')}.`;
  const others = withoutFlag(context.argv, '--max-leavers');
  const hint = `To allow it: ${sameCommand(others, '--max-leavers', String(names.length))}`;
  throw new CliError('too_many_leavers', sentence, { exitCode: ExitCode.blocked, hint });
}

/** @throws {CliError} `todo_not_written`; nothing was sent. */
function writeTodo(path: string | undefined, todo: readonly Todo[]): void {
  if (path === undefined) return;
  const cells = todo.map((each) => todoColumns.map((column) => neutralise(each[column])));
  try {
    replaceFile(path, csvText([todoColumns, ...cells]), { lasting: true });
  } catch (cause) {
    const sentence = `Could not write ${path}: ${writeReasonOf(cause)}. Nothing was sent.`;
    throw new CliError('todo_not_written', sentence, { cause });
  }
}
