import { withRunFlags } from '../../change/flags.ts';
import { type Item, makesAdmin } from '../../change/item.ts';
import { wordProblems } from '../../change/resolve.ts';
import type { Entry, PlaceProblem } from '../../files/entry.ts';
import type { PeopleColumn, PersonRow } from '../../files/people-file.ts';
import type { Recalled } from '../../journal/history.ts';
import { type Detail, detailsFor, invalidInput } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { emailProblem } from '../../model/segment.ts';
import { textProblem } from '../../model/text.ts';
import { sameAddress } from '../../people/facts.ts';
import { sameCommand } from '../../print/text.ts';
import { serviceCommand } from '../../session/described-command.ts';
import { collectList } from '../../session/flags.ts';
import { type Session, withSession } from '../../session/session.ts';
import { type Asked, type NamedPerson, readNamed, runJob, withEvidenceFlags } from '../job.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import { referenceProblem } from '../users/reference.ts';
import { type Joiner, planJoiners, unknownIn, type Wanted } from './onboard-plan.ts';

/** `people onboard [email...]`: invite people who join, or give them access if they have a user. */
export function onboardPeople(context: Context) {
  const command = serviceCommand('onboard', 'writes', [
    'people onboard mia@example.com --role Housekeeping --properties BER,VIE',
    'people onboard mia@example.com --like anna@example.com --at BER',
    'people onboard --file joiners.csv --yes',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('give access to people who join')
    .description('Invite people who join, or enable their user and add properties to it.')
    .argument('[email...]', 'full e-mail address')
    .option('--role <names>', 'role, or in dialect apaleo roles: FrontDesk,Auditor', collectList)
    .option('--properties <ids>', 'properties: BER,VIE', collectList)
    .option('--property <ids>', 'same as --properties', collectList)
    .option('--like <email>', 'roles and properties of a colleague, not full access')
    .option('--at <ids>', 'of --like, only these properties: BER', collectList)
    .option('--file <path>', 'people from a file: email, role, properties or like');
  return withRunFlags(withEvidenceFlags(command)).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      await onboard(session, { references, file }, flags);
    }),
  );
}

/**
 * Gives people access: invites those who have no user, enables those who are disabled, and adds the properties that users lack.
 * Roles of users cannot be set, so those that they lack are named.
 *
 * @throws {CliError} exit 2 for a line or file that does not say what to give; exit 3, 6 or 12 for people on the command line
 *   who cannot get it; what `runJob` throws.
 */
async function onboard(session: Session, asked: Asked, flags: OnboardFlags): Promise<void> {
  const given = wantedBy(flags);
  const problems = [
    ...wordProblems(asked.references, (word) => detailsFor('email', emailProblem(word))),
    ...(await flagProblems(flags, session)),
  ];
  const job = { command: 'people onboard', asked, flags } as const;
  const naming = { ...job, kind: 'invitation', columns, problems, permits: 'createInvitation' } as const;
  const judge = (fields: PersonRow['fields']) => problemsOfRow(wantedIn(fields) ?? given);
  const unknownNames = (rows: readonly PersonRow[]) => unknownIn(rows, session);
  const { people } = await readNamed({ ...naming, judge, unknownNames }, session);
  const joiners =
    asked.file === undefined ? onLine(people, given, session.context.argv) : inFile(people, given);
  const plan = (memory: Recalled) => planJoiners(joiners, memory, session);
  await runJob({ ...job, plan, asks }, session);
}

/** A single invitation, or the properties of a user, need no question. */
function asks(items: readonly Item[]): boolean {
  return items.length > 1 || items.some((item) => item.steps.length > 0 || makesAdmin(item));
}

/** The flags of `people onboard`, as typed. */
type OnboardFlags = Omit<ReturnType<ReturnType<typeof onboardPeople>['opts']>, 'file'>;

const LONGEST_ROLE = 100;

const roleProblem = (role: string) => textProblem(role, LONGEST_ROLE);

/** Those of a file. */
const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: emailProblem },
  { name: 'role', problem: roleProblem },
  { name: 'roles', problem: roleProblem },
  { name: 'properties', problem: textProblem },
  { name: 'like', problem: referenceProblem },
  { name: 'at', problem: textProblem },
  { name: 'reason' },
  { name: 'ticket' },
];

/** What the flags give; `undefined` if they give nothing. */
function wantedBy({ role = [], properties, property, like, at = [] }: OnboardFlags): Wanted | undefined {
  const ids = idList(properties, property) ?? [];
  if (role.length + ids.length === 0 && like === undefined) return undefined;
  return { roles: [...new Set(role)], properties: ids, like, at };
}

/** The problems of the flags. */
async function flagProblems(
  { role, properties, property, like, at }: OnboardFlags,
  { api }: Session,
): Promise<readonly Detail[]> {
  const check = await openIdCheck(idList(properties, property, at) ?? [], api);
  const isBoth = like !== undefined && (role ?? properties ?? property) !== undefined;
  return [
    ...entryProblems('--role', role, roleProblem),
    ...entryProblems('--properties', idList(properties), check),
    ...entryProblems('--property', idList(property), check),
    ...entryProblems('--at', at, check),
    ...detailsFor('--like', like === undefined ? undefined : referenceProblem(like)),
    ...detailsFor('--like', isBoth ? BOTH : undefined),
    ...detailsFor('--at', at !== undefined && like === undefined ? 'is for --like' : undefined),
  ];
}

const BOTH = 'takes over roles and properties: give it without them';

/** What everybody of a file is to get: what the row says, or else the flags. */
function inFile(people: readonly NamedPerson[], given: Wanted | undefined): readonly Joiner[] {
  return people.flatMap((person) => {
    const wanted = (person.entry && wantedIn(person.entry.fields)) ?? given;
    return wanted === undefined ? [] : [{ ...person, wanted }];
  });
}

/** What those of the line are to get, each once. @throws {CliError} exit 2 if nothing says it. */
function onLine(people: readonly NamedPerson[], wanted: Wanted | undefined, argv: readonly string[]) {
  if (wanted !== undefined && (wanted.like ?? wanted.properties[0]) !== undefined) {
    const isFirst = ({ reference }: NamedPerson, index: number) =>
      people.findIndex((each) => sameAddress(each.reference, reference)) === index;
    return people.filter(isFirst).map((person) => ({ ...person, wanted }));
  }
  const missing = [...(wanted === undefined ? ['--role'] : []), '--properties'];
  throw invalidInput(
    missing.map((field) => ({ field, reason: 'is missing' })),
    sameCommand(argv, ...missing.flatMap((flag) => [flag, flag === '--role' ? 'ROLE' : 'IDS'])),
  );
}

/** What a row says; `undefined` if nothing. */
function wantedIn(fields: Entry['fields']): Wanted | undefined {
  const { role = [], roles = [], properties = [], like, at = '' } = fields as Partial<PersonRow['fields']>;
  return wantedBy({
    role: [role, roles].flat(),
    properties: [properties].flat(),
    ...(like && { like: String(like) }),
    at: [at].flat().flatMap((each) => (each === '' ? [] : collectList(each, undefined))),
  });
}

function problemsOfRow(wanted: Wanted | undefined): readonly PlaceProblem[] {
  if (wanted?.like !== undefined)
    return wanted.roles.length + wanted.properties.length > 0 ? [{ field: 'like', reason: BOTH }] : [];
  if (wanted === undefined || wanted.properties.length === 0)
    return [{ field: 'properties', reason: 'is missing: give role and properties, or like' }];
  return wanted.at.length > 0 ? [{ field: 'at', reason: 'is for like' }] : [];
}
