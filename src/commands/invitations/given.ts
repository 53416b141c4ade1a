import { askPropertyIds, askText, choicesFrom } from '../../change/ask.ts';
import { type FileFlags, readGivenFile } from '../../change/existing.ts';
import { replaceFlags } from '../../change/lines.ts';
import { type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Choice } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { isMissing, shownEntry } from '../../files/entry.ts';
import type { IdsNamed } from '../../files/judge.ts';
import type { RecordFile } from '../../files/record.ts';
import { roleFields, rolesOf } from '../../model/access.ts';
import { nearest } from '../../model/names.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote, textProblem } from '../../model/text.ts';
import { sameCommand } from '../../print/text.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { listedIdProblem } from '../../service/property-names.ts';
import {
  entryProblems,
  idList,
  openNames,
  type TruthFlag,
  truthOf,
  truthProblem,
  unsupportedDetails,
} from '../options.ts';

interface Flags extends FileFlags {
  /** Arguments behind the address: properties. */
  readonly words: readonly string[];
  readonly email?: string;
  readonly role?: string;
  readonly roles?: readonly string[];
  readonly properties?: readonly string[];
  readonly property?: readonly string[];
  readonly isAccountAdmin?: TruthFlag;
}

/**
 * Reads an invitation from flags and file. Flags override the file, and overridden values are not checked; only the
 * e-mail address must be the same everywhere.
 *
 * @throws {CliError} exit 2 for an unreadable file, for different addresses, and with all invalid values.
 */
export async function givenInvitation(argument: string | undefined, flags: Flags, session: Session) {
  const { api } = session;
  const { role, roles, properties, property } = flags;
  const { address, words, isAccountAdmin } = takenApart(argument, flags);
  const file = await readGivenFile('invitation', flags, session);
  const inArgv = { email: address, '--email': flags.email };
  const further = words.find((word) => word.includes('@'));
  const inFiles = file === undefined ? {} : { [`${file.name}: email`]: file.fields['email'] };
  refuseSeveral({ ...inArgv, ...inFiles, argument: further });
  const typed: Partial<NewInvitation> = withoutHoles({
    email: address ?? flags.email,
    properties: idList(words.length === 0 ? undefined : words, properties, property),
    is_account_admin: truthOf(isAccountAdmin),
    role,
    roles,
  });
  const { inFile, extra } = partsOf(file, api.dialect);
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
    ...detailsFor('--is-account-admin', truthProblem(isAccountAdmin)),
    ...entryProblems('--role', role, roleProblem),
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

/** The fields of a file. `roles` is one if the dialect supports it, also under `extra`. */
function partsOf(file: RecordFile | undefined, dialect: Dialect) {
  const { extra: under, ...inFile } = file?.fields ?? {};
  const extra = isRecord(under) ? under : {};
  const { roles, ...others } = extra;
  if (!takes(dialect, 'createInvitation', 'roles') || isMissing(roles)) return { inFile, extra };
  return { inFile: { roles, ...inFile }, extra: others };
}

/** The problems of a file. Missing values are not one, because prompts may supply them. */
async function problemsIn({ name, fields: whole }: RecordFile, fields: ServiceRecord, named: IdsNamed) {
  const { judgeFields } = await import('../../files/judge.ts');
  const problems = judgeFields('invitation', fields, named);
  return problems.flatMap(({ field = '', reason }) =>
    Object.hasOwn(fields, field)
      ? [{ field: `${name}: ${Object.hasOwn(whole, field) ? '' : 'extra.'}${field}`, reason }]
      : [],
  );
}

/** The word after the flag may be its value or the address. */
function takenApart(argument: string | undefined, { isAccountAdmin, words }: Flags) {
  if (typeof isAccountAdmin !== 'string' || !isAccountAdmin.includes('@') || argument?.includes('@') === true)
    return { address: argument, words, isAccountAdmin };
  const first = argument === undefined ? [] : collectList(argument, undefined);
  return { address: isAccountAdmin, words: [...first, ...words], isAccountAdmin: true as const };
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

/**
 * Prompts for missing values: unless an account admin is invited the role (several if the service supports it), the e-mail and
 * the properties, chosen from lists of the service. Without a terminal only the e-mail is required.
 *
 * @param before earlier answers, which are the defaults.
 * @returns the invitation, and the answers as flags; `undefined` if there were no prompts.
 * @throws {CliError} exit 2 if the e-mail is missing and prompting is not possible.
 */
export async function completeInvitation(
  given: Partial<NewInvitation>,
  before: Partial<NewInvitation>,
  session: Session,
) {
  const { api, context } = session;
  const isAsking = session.mayAsk();
  if (!isAsking && given.email === undefined) {
    const again = sameCommand(context.argv, '--email', 'EMAIL');
    throw invalidInput([{ field: 'email', reason: 'is missing' }], again);
  }
  const several = takes(api.dialect, 'createInvitation', 'roles');
  const mayGrant = isAsking && given.is_account_admin !== true;
  const hasRoles = given.role !== undefined || (several && given.roles !== undefined);
  const isOpen = isAsking && (given.email === undefined || (mayGrant && given.properties === undefined));
  if (isOpen && hasRoles && before.email === undefined) await judgeRoles(given, session);
  const roles = mayGrant && !hasRoles ? await askRoles(several, rolesOf(before), session) : undefined;
  const email =
    given.email ?? (await askText('E-mail address to invite', emailProblem, context.prompter, before.email));
  const properties =
    mayGrant && given.properties === undefined
      ? await askPropertyIds(before.properties ?? [], session)
      : undefined;
  const isAsked = given.email === undefined || (roles ?? properties) !== undefined;
  if (!isAsked) return { invitation: { ...given, email }, answers: undefined };
  const asked = { ...roleFields(roles ?? []), ...(properties?.length ? { properties } : {}) };
  const flags = given.email === undefined ? { email, ...asked } : asked;
  const answers = Object.entries(flags).flatMap(([field, value]) => [`--${field}`, String(value)]);
  return { invitation: { email, ...asked, ...given }, answers };
}

/**
 * Judges the given roles by the service's list before anything else is asked, as in files. Without questions, and if the list
 * cannot be read, the service judges them.
 *
 * @throws {CliError} exit 2 with suggestions.
 */
async function judgeRoles({ role, roles }: Partial<NewInvitation>, { api, context }: Session): Promise<void> {
  const { readRoles, roleProblems } = await import('../../change/named.ts');
  const entry = shownEntry('invitation', '', { role, roles });
  const listed = await readRoles([entry], api, async () => {});
  const problems = roleProblems(entry, [], listed);
  if (problems.length === 0) return;
  const meant = role === undefined ? undefined : nearest(role, listed?.names ?? []);
  const line =
    meant && replaceFlags(context.argv, { '--role': { takes: 'value', as: () => ['--role', meant] } });
  throw invalidInput(
    problems.map((reason) => ({ field: 'role', reason })),
    line && sameCommand(line),
  );
}

async function askRoles(
  several: boolean,
  before: readonly string[],
  { api, context: { prompter } }: Session,
) {
  const problem = (role: string) =>
    several && role.includes(',') ? 'must not contain a comma' : roleProblem(role);
  const listed = await choicesFrom(api.roles.list({}, {}), 'name', problem);
  // Enter alone must not choose an administrator.
  const offered = (listed ?? []).toSorted((a, b) => Number(isAdminRole(a)) - Number(isAdminRole(b)));
  if (several && offered.length > 0) return prompter.chooseSeveral('Roles', offered, { chosen: before });
  if (offered.length > 0) return [await prompter.choose('Role', offered, { initial: before[0] })];
  if (!several) return [await askText('Role, for example Housekeeping', roleProblem, prompter, before[0])];
  const answer = await askText(
    'Roles, for example Housekeeping,Auditor',
    (text) => entryProblems('roles', collectList(text, undefined), roleProblem)[0]?.reason,
    prompter,
    before.join(',') || undefined,
  );
  return [...new Set(collectList(answer, undefined))];
}

function isAdminRole({ value }: Choice): boolean {
  return /admin/i.test(value);
}
