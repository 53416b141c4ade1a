import { type Detail, detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote, textProblem } from '../../model/text.ts';
import { isMissing } from '../../seed/entry.ts';
import type { IdsNamed } from '../../seed/judge.ts';
import type { RecordFile } from '../../seed/record.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import { hasBlank, listedIdProblem } from '../../service/property-names.ts';
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
export function roleProblem(role: string): string | undefined {
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
