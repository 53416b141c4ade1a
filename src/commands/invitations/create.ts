import { askPropertyIds, askText, choicesFrom, review, reviewOf, sessionWith } from '../../change/ask.ts';
import { agree, type Row } from '../../change/consent.ts';
import {
  type Existing,
  type FileFlags,
  type FirstLook,
  type LookFlags,
  lookFirst,
  readGivenFile,
  reportExisting,
  sinceText,
} from '../../change/existing.ts';
import { permitEach } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import { keepAnswers, resendingOf, settleBy, withEquivalentLine } from '../../change/lines.ts';
import { openPeople } from '../../change/listing.ts';
import { createOne } from '../../change/rows.ts';
import { misspeltProperties, suggest } from '../../change/suggest.ts';
import type { IdsNamed } from '../../files/judge.ts';
import type { RecordFile } from '../../files/record.ts';
import { Overtaken } from '../../journal/journal.ts';
import { adminFlag, givesAccess, hasFullAccess, roleFields, rolesOf } from '../../model/access.ts';
import { CliError, type Detail, detailsFor, invalidInput, usageError } from '../../model/errors.ts';
import { roleProblem } from '../../model/kinds.ts';
import type { Choice, Context } from '../../model/ports.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { emailProblem, quote } from '../../model/text.ts';
import { sameCommand } from '../../print/text.ts';
import { takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { listedIdProblem } from '../../service/property-names.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { typedValue } from '../fields.ts';
import {
  entryProblems,
  idList,
  openNames,
  type TruthFlag,
  truthOf,
  truthProblem,
  unsupportedDetails,
} from '../options.ts';
import { invitationShapeFor } from '../shapes.ts';

/**
 * `invitations create [email]`: invite a person to the account.
 *
 * POST /api/v1/invitations. The contract requires only the e-mail. It shows the role Housekeeping and names no others:
 * the service validates roles.
 */
export function createInvitation(context: Context) {
  return serviceCommand('create new', 'writes', [
    'invitations create ana@example.com --role Housekeeping --properties BER,VIE',
    'invite ana@example.com --role Housekeeping BER VIE',
    'invite create --role Housekeeping',
    'invitations create --file ana.yaml --dry-run',
    'invitations create ben@example.com --is-account-admin --yes',
  ])
    .summary('invite a person')
    .description(
      'Invite a person to the account, from flags, a file, or both; flags override the file. Prompts for missing values on a terminal.',
    )
    .argument('[email]', 'e-mail address to invite')
    .argument('[properties...]', 'properties to grant access to: BER VIE', collectList)
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
    .option('--no-access', 'invite without a role, properties or full access')
    .option('--if-not-exists', 'succeed if the person is already invited')
    .option('--no-check', 'do not check first if the person is already invited')
    .option('--allow-unknown-fields', 'send unknown fields of the file')
    .action(
      withSession(context, async (session, argument, words, options) => {
        permitEach('createInvitation', [], session);
        const given = await givenInvitation(argument, { ...options, words }, session);
        refuseWithoutAccess(given, options, session);
        permitEach('createInvitation', [given], session);
        const { email } = given;
        const early = email === undefined ? undefined : await findInvited(email, options, session);
        if (email !== undefined && early?.found !== undefined)
          return invite({ ...given, email }, early, options, session);
        await askAndInvite(given, { ...options, early }, session);
      }),
    );
}

/** Off a terminal, an invitation from flags alone that gives access to nothing must be wanted. @throws {CliError} exit 2. */
function refuseWithoutAccess(given: Partial<NewInvitation>, { access, file }: InviteFlags, session: Session) {
  const isNothing = givesNothing(given);
  if (!access && !isNothing)
    throw usageError('--no-access contradicts the access that the invitation gives.');
  const isWanted = !access || !isNothing || file !== undefined;
  if (isWanted || given.email === undefined || session.mayAsk()) return;
  const line = sameCommand(session.context.argv, '--role', 'ROLE', '--properties', 'IDS');
  throw usageError(
    `Without a role, properties or --is-account-admin, ${TO_NOTHING}: add them, or --no-access.`,
    line,
  );
}

function givesNothing(given: Partial<NewInvitation>): boolean {
  return rolesOf(given).length + (given.properties ?? []).length === 0 && !hasFullAccess(given);
}

const TO_NOTHING = 'this invitation gives access to nothing';

interface InviteFlags extends LookFlags, FileFlags {
  readonly access: boolean;
  /** What was seen before the questions, if the address was given. */
  readonly early?: FirstLook | undefined;
}

/** Asks for what is missing, and sends the invitation. */
async function askAndInvite(given: Partial<NewInvitation>, flags: InviteFlags, session: Session) {
  const { invitation, answers } = await completeInvitation(given, session, flags.access);
  const look = flags.early ?? (await findInvited(invitation.email, flags, session));
  if (look.found !== undefined) return invite(invitation, look, flags, session);
  if (answers === undefined) {
    if (flags.access && !givesAccess(invitation) && !session.mayAsk())
      await session.out.warn(`Without --is-account-admin, or --role and --properties, ${TO_NOTHING}.`);
    return invite(invitation, look, flags, session);
  }
  const typed = sessionWith(answers, session);
  await review(reviewOf(invitation, invitationShapeFor(session.api.dialect)), 'identity', session);
  const { question = 'Send it?', ...row } = rowOf(invitation, flags, session);
  await agree([{ ...row, question }], {}, session, true).catch(keepAnswers(typed));
  const agreed = { ...typed, globals: { ...typed.globals, yes: true as const } };
  await withEquivalentLine(true, typed, invite(invitation, look, flags, agreed));
}

/** An invitation with full access needs consent; at a terminal also one that gives no access. */
function rowOf(invitation: NewInvitation, { access }: InviteFlags, session: Session): Row {
  const { email, properties = [] } = invitation;
  const item = itemFor({ kind: 'invitation', name: email }, 'create', { body: invitation });
  if (!access || givesAccess(invitation) || !session.mayAsk()) return { item, names: [] };
  const missing = properties.length > 0 ? 'role' : 'property';
  return {
    item,
    names: [],
    question: `Without a ${missing} ${TO_NOTHING}. Invite anyway?`,
  };
}

/** Sends an invitation, unless an earlier one may have been sent: a person must not get two mails. */
async function invite(invitation: NewInvitation, look: FirstLook, flags: InviteFlags, session: Session) {
  const { api, out } = session;
  const { email } = invitation;
  const created = await createOne(rowOf(invitation, flags, session), look, session);
  if (created === undefined) return reportExisting(existingWith(email, look.found ?? {}), flags, session);
  const { result, error } = created;
  const isSentByOther = result.isForeign === true || error instanceof Overtaken;
  const other = isSentByOther
    ? existing(`${email} is already invited.`, { email })
    : await existingByRefusal(email, error, flags, session);
  if (other !== undefined) return reportExisting(other, flags, session);
  if (error !== undefined) {
    const misspeltRoles = { words: rolesOf(invitation), resource: api.roles, fields: ['name'] };
    const misspelt = [misspeltRoles, misspeltProperties(invitation.properties ?? [], api)];
    return suggest(...misspelt)(error).catch(settleBy(resendingOf([email], session)));
  }
  const { found } = look;
  const shown = found && existingWith(email, found).shown;
  await out.done(`Invited ${email}.`, { ...invitation, ...shown, ...result.record, invited: true });
}

/** What is there already when an invitation was refused, or another process sent one meanwhile. */
async function existingByRefusal(
  email: string,
  error: unknown,
  flags: LookFlags,
  session: Session,
): Promise<Existing | undefined> {
  if (error instanceof CliError && error.cause instanceof Overtaken) {
    const { found } = await findInvited(email, flags, session);
    return found && existingWith(email, found);
  }
  const isConflict = error instanceof CliError && error.status === 409 && flags.ifNotExists === true;
  return isConflict ? existing(`Nothing was sent to ${email}. ${error.message}`, { email }) : undefined;
}

/** Checks if an address is already invited; one that was invited before may have a user now. */
function findInvited(email: string, flags: LookFlags, session: Session): Promise<FirstLook> {
  const look = async (wasInvited: boolean) => {
    const { invitations, users } = openPeople(session.api);
    const [found] = await invitations(email);
    if (found !== undefined || !wasInvited) return found;
    const [user] = await users(email).catch(orNone);
    return user && { is_user: true };
  };
  const whether = `whether ${email} is already invited`;
  return lookFirst({ kind: 'invitation', name: email }, look, whether, flags, session);
}

/** @param found the invitation, or a user who was invited before. */
function existingWith(given: string, found: ServiceRecord): Existing {
  const { email = given, created: since } = found;
  if (found['is_user'] === true) return existing(`${email} already has a user.`, { email });
  return existing(`${email} is already invited${sinceText(since)}.`, { email, since });
}

function existing(sentence: string, shown: ServiceRecord): Existing {
  return { sentence, shown, facts: { ...shown, invited: false, created: false } };
}

/** For `catch`: a list that cannot be read shows no user. */
function orNone(cause: unknown): readonly ServiceRecord[] {
  if (cause instanceof CliError) return [];
  throw cause;
}

const ADMIN = 'is-account-admin';

interface Flags extends FileFlags {
  /** Arguments behind the address: properties. */
  readonly words: readonly string[];
  readonly email?: string;
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly properties?: readonly string[];
  readonly property?: readonly string[];
}

/**
 * Reads an invitation from flags and file. Flags override the file, and overridden values are not checked; only the
 * e-mail address must be the same everywhere.
 *
 * @throws {CliError} exit 2 for an unreadable file, for different addresses, and with all invalid values.
 */
async function givenInvitation(argument: string | undefined, flags: Flags, session: Session) {
  const { api } = session;
  const { role, roles, properties, property, words } = flags;
  const admin = typedValue(flags, ADMIN) as TruthFlag;
  const file = await readGivenFile('invitation', flags, session);
  const inArgv = { email: argument, '--email': flags.email };
  const further = words.find((word) => word.includes('@'));
  const inFiles = file === undefined ? {} : { [`${file.name}: email`]: file.fields['email'] };
  refuseSeveral({ ...inArgv, ...inFiles, argument: further });
  const typed: Partial<NewInvitation> = withoutHoles({
    email: argument ?? flags.email,
    properties: idList(words.length === 0 ? undefined : words, properties, property),
    [adminFlag]: truthOf(admin),
    role,
    roles,
  });
  const { extra: under, ...inFile } = file?.fields ?? {};
  const extra = isRecord(under) ? under : {};
  const left = Object.fromEntries(Object.entries(inFile).filter(([field]) => !Object.hasOwn(typed, field)));
  const named = await openNames([words, properties, property, left['properties']].flat(), api);
  const idProblem = (id: string) => listedIdProblem(id, named(id));
  const details: readonly Detail[] = [
    ...(file?.problems ?? []),
    ...(file === undefined ? [] : await problemsIn(file, left, named)),
    ...Object.entries(inArgv).flatMap(([place, email]) => entryProblems(place, email, emailProblem)),
    ...entryProblems('properties', words, idProblem),
    ...entryProblems('--properties', idList(properties), idProblem),
    ...entryProblems('--property', idList(property), idProblem),
    ...detailsFor(`--${ADMIN}`, truthProblem(admin)),
    ...entryProblems('--role', role, oneRoleProblem),
    ...entryProblems('--roles', roles, roleProblem),
    ...unsupportedDetails(api.dialect, 'createInvitation', { '--roles': roles }),
  ];
  if (details.length > 0) throw invalidInput(details, file?.hint);
  const given = { ...extra, ...left, ...typed };
  // All known fields are checked above.
  return {
    ...given,
    ...uniqueIn(given, 'properties'),
    ...uniqueIn(given, 'roles'),
  } as Partial<NewInvitation>;
}

/** The problems of a file. Missing values are not one, because prompts may supply them. */
async function problemsIn({ name }: RecordFile, fields: ServiceRecord, named: IdsNamed) {
  const { judgeFields } = await import('../../files/judge.ts');
  const problems = judgeFields('invitation', fields, named);
  return problems.flatMap(({ field = '', reason }) =>
    Object.hasOwn(fields, field) ? [{ field: `${name}: ${field}`, reason }] : [],
  );
}

function oneRoleProblem(role: string): string | undefined {
  const isList = role.includes(',');
  return isList ? 'takes one role; give several as --roles (dialect apaleo)' : roleProblem(role);
}

/** @param places the address from each source; `undefined` if not given. */
function refuseSeveral(places: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(places).filter(([, value]) => value !== undefined);
  if (new Set(given.map(([, value]) => value)).size <= 1) return;
  const named = given.map(([place, value]) =>
    typeof value === 'string' ? `${place} ${quote(value)}` : place,
  );
  throw usageError(`The e-mail addresses differ (${named.join(', ')}); one person is invited at a time.`);
}

function uniqueIn(given: ServiceRecord, field: 'properties' | 'roles'): ServiceRecord {
  const { [field]: list } = given;
  return Array.isArray(list) ? { [field]: [...new Set(list)] } : {};
}

/**
 * Prompts for missing values: unless an account admin is invited the role (several if the service supports it), the e-mail and
 * the properties, chosen from lists of the service. Without a terminal only the e-mail is required.
 *
 * @returns the invitation, and the answers as flags; `undefined` if there were no prompts.
 * @throws {CliError} exit 2 if the e-mail is missing and prompting is not possible.
 */
async function completeInvitation(given: Partial<NewInvitation>, session: Session, access: boolean) {
  const { api, context } = session;
  const isAsking = session.mayAsk();
  if (!isAsking && given.email === undefined) {
    const again = sameCommand(context.argv, '--email', 'EMAIL');
    throw invalidInput([{ field: 'email', reason: 'is missing' }], again);
  }
  const several = takes(api.dialect, 'createInvitation', 'roles');
  const mayGrant = isAsking && access && !hasFullAccess(given);
  const hasRoles = given.role !== undefined || (several && given.roles !== undefined);
  const roles = mayGrant && !hasRoles ? await askRoles(several, session) : undefined;
  const email = given.email ?? (await askText('E-mail address to invite', emailProblem, context.prompter));
  const properties =
    mayGrant && given.properties === undefined ? await askPropertyIds([], session) : undefined;
  const isAsked = given.email === undefined || (roles ?? properties) !== undefined;
  if (!isAsked) return { invitation: { ...given, email }, answers: undefined };
  const asked = { ...roleFields(roles ?? []), ...(properties?.length ? { properties } : {}) };
  const flags = given.email === undefined ? { email, ...asked } : asked;
  const answers = Object.entries(flags).flatMap(([field, value]) => [`--${field}`, String(value)]);
  const invitation = { email, ...asked, ...given };
  return { invitation, answers: givesNothing(invitation) ? [...answers, '--no-access'] : answers };
}

async function askRoles(several: boolean, { api, context: { prompter } }: Session) {
  const problem = (role: string) =>
    several && role.includes(',') ? 'must not contain a comma' : roleProblem(role);
  const listed = (await choicesFrom(api.roles.list({}, {}), 'name', problem)) ?? [];
  if (listed.length === 0) return [await askText('Role, for example Housekeeping', roleProblem, prompter)];
  // Enter alone must not choose an administrator.
  const offered = listed.toSorted((a, b) => Number(isAdminRole(a)) - Number(isAdminRole(b)));
  return several ? prompter.chooseSeveral('Roles', offered) : [await prompter.choose('Role', offered)];
}

function isAdminRole({ value }: Choice): boolean {
  return /admin/i.test(value);
}
