import { type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { roleFields } from '../../model/access.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote, textProblem } from '../../model/text.ts';
import { isMissing } from '../../seed/entry.ts';
import type { IdsNamed } from '../../seed/judge.ts';
import type { RecordFile } from '../../seed/record.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { hasBlank, listedIdProblem } from '../../service/property-names.ts';
import { askText, choicesFrom, idsProblem, propertyChoice } from '../ask.ts';
import { entryProblems, idList, truthOf, truthProblem, untakenDetails } from '../options.ts';

interface Flags {
  readonly file?: string;
  readonly email?: string;
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly properties?: readonly string[];
  readonly property?: readonly string[];
  readonly isAccountAdmin?: string | true;
  readonly allowUnknownFields?: true;
}

/**
 * Reads an invitation from flags and file. Flags override the file, and overridden values are not checked; only the
 * e-mail address must be the same everywhere.
 *
 * @throws {CliError} exit 2 for an unreadable file, for different addresses, and with all invalid values.
 */
export async function givenInvitation(
  argument: string | undefined,
  flags: Flags,
  session: Pick<Session, 'api' | 'context'>,
): Promise<Partial<NewInvitation>> {
  const { dialect } = session.api;
  const { address, isAccountAdmin } = takenApart(argument, flags);
  const file = await readFile(flags, session);
  const inArgv = { email: address, '--email': flags.email };
  refuseSeveral(file === undefined ? inArgv : { ...inArgv, [`${file.name}: email`]: file.fields['email'] });
  const typed: Partial<NewInvitation> = withoutHoles({
    email: address ?? flags.email,
    properties: idList(flags.properties, flags.property),
    is_account_admin: truthOf(isAccountAdmin),
    role: flags.role,
    roles: flags.roles,
  });
  const { inFile, extra } = partsOf(file, dialect);
  const left = Object.fromEntries(Object.entries(inFile).filter(([field]) => !Object.hasOwn(typed, field)));
  const named = await openNames([flags.properties, flags.property, left['properties']], session);
  const idProblem = (id: string) => listedIdProblem(id, named(id));
  const details: readonly Detail[] = [
    ...(file?.problems ?? []),
    ...(file === undefined ? [] : await problemsIn(file, left, named)),
    ...Object.entries(inArgv).flatMap(([place, email]) =>
      detailsFor(place, email === undefined ? undefined : emailProblem(email)),
    ),
    ...entryProblems('--properties', idList(flags.properties) ?? [], idProblem),
    ...entryProblems('--property', idList(flags.property) ?? [], idProblem),
    ...detailsFor('--is-account-admin', truthProblem(isAccountAdmin)),
    ...detailsFor('--role', flags.role === undefined ? undefined : roleProblem(flags.role)),
    ...entryProblems('--roles', flags.roles ?? [], roleProblem),
    ...untakenDetails(dialect, 'createInvitation', { '--roles': flags.roles }),
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

async function readFile(
  { file, allowUnknownFields }: Flags,
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<RecordFile | undefined> {
  if (file === undefined) return undefined;
  const { readRecord } = await import('../../seed/record.ts');
  const { stdin, signal } = context;
  return readRecord(file, 'invitation', {
    stdin,
    signal,
    dialect: api.dialect,
    allowUnknown: allowUnknownFields === true,
  });
}

/** The fields of a file. `roles` is one if the dialect supports it, also under `extra`. */
function partsOf(file: RecordFile | undefined, dialect: Pick<Dialect, 'further'>) {
  const { extra: under, ...inFile } = file?.fields ?? {};
  const extra = isRecord(under) ? under : {};
  const { roles, ...others } = extra;
  if (!takes(dialect, 'createInvitation', 'roles') || isMissing(roles)) return { inFile, extra };
  return { inFile: { roles, ...inFile }, extra: others };
}

/** The problems of a file. Missing values are not one, because prompts may supply them. */
async function problemsIn(
  { name, fields: whole }: RecordFile,
  fields: ServiceRecord,
  named: IdsNamed,
): Promise<readonly Detail[]> {
  const { judgeFields } = await import('../../seed/judge.ts');
  const problems = judgeFields('invitation', fields, named);
  return problems.flatMap(({ field = '', reason }) =>
    Object.hasOwn(fields, field)
      ? [{ field: `${name}: ${Object.hasOwn(whole, field) ? '' : 'extra.'}${field}`, reason }]
      : [],
  );
}

/** Resolves names of properties to ids; requests the list only if a value is not an id. */
async function openNames(lists: readonly unknown[], { api }: Pick<Session, 'api'>): Promise<IdsNamed> {
  const hasName = lists.flat().some((each) => typeof each === 'string' && hasBlank(each));
  if (!hasName) return () => [];
  const { propertyNames } = await import('../suggest.ts');
  return (await propertyNames(api)).idsOf;
}

/** The word after the flag may be its value or the argument. */
function takenApart(argument: string | undefined, { isAccountAdmin }: Flags) {
  const isAddress =
    argument === undefined && typeof isAccountAdmin === 'string' && isAccountAdmin.includes('@');
  return isAddress
    ? { address: isAccountAdmin, isAccountAdmin: true as const }
    : { address: argument, isAccountAdmin };
}

/** The problem with a role name, or `undefined`. The service decides which roles exist. */
function roleProblem(role: string): string | undefined {
  return textProblem(role, 100);
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

/** A complete invitation. */
export interface CompleteInvitation {
  readonly invitation: NewInvitation;
  /** The command line with the answers; `undefined` if there were no prompts. */
  readonly answers: readonly string[] | undefined;
}

/**
 * Prompts for missing values: the e-mail, and unless an account admin is invited the role (several if the service
 * supports it) and the properties, chosen from lists of the service.
 */
export async function askForMissing(
  given: Partial<NewInvitation>,
  session: Session,
): Promise<CompleteInvitation> {
  const several = takes(session.api.dialect, 'createInvitation', 'roles');
  const isAdmin = given.is_account_admin === true;
  const hasRoles = given.role !== undefined || (several && given.roles !== undefined);
  const email =
    given.email ?? (await askText('E-mail address to invite', emailProblem, session.context.prompter));
  const roles = isAdmin || hasRoles ? undefined : await askRoles(several, session);
  const properties = isAdmin || given.properties !== undefined ? undefined : await askProperties(session);
  if (given.email !== undefined && roles === undefined && properties === undefined)
    return { invitation: { ...given, email }, answers: undefined };
  const named = roleFields(roles ?? []);
  const chosen = properties === undefined || properties.length === 0 ? {} : { properties };
  const answers = [
    ...(given.email === undefined ? ['--email', email] : []),
    ...Object.entries({ ...named, ...chosen }).flatMap(([field, value]) => [`--${field}`, String(value)]),
  ];
  return { invitation: { email, ...named, ...chosen, ...given }, answers };
}

async function askRoles(
  several: boolean,
  { api, context: { prompter } }: Session,
): Promise<readonly string[]> {
  const problem = (role: string) =>
    several && role.includes(',') ? 'must not contain a comma' : roleProblem(role);
  const listed = await choicesFrom(api.roles.list({}, {}), { field: 'name', problem });
  // Enter alone must not choose an administrator.
  const offered = (listed ?? []).toSorted((a, b) => Number(isAdminRole(a)) - Number(isAdminRole(b)));
  if (several && offered.length > 0) return prompter.chooseSeveral('Roles', offered);
  if (offered.length > 0) return [await prompter.choose('Role', offered)];
  if (!several) return [await askText('Role, for example Housekeeping', roleProblem, prompter)];
  const answer = await askText(
    'Roles, for example Housekeeping,Auditor',
    (text) => entryProblems('roles', collectList(text, undefined), roleProblem)[0]?.reason,
    prompter,
  );
  return [...new Set(collectList(answer, undefined))];
}

function isAdminRole({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context: { prompter } }: Session): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, {}), propertyChoice);
  if (choices !== undefined) return choices.length === 0 ? [] : prompter.chooseSeveral('Properties', choices);
  const answer = await askText(
    'Property ids, for example BER,VIE; empty for none',
    (text) => (text === '' ? undefined : idsProblem(text)),
    prompter,
  );
  return answer === '' ? [] : [...new Set(collectList(answer, undefined))];
}
