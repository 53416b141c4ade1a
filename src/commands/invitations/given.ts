import type { Api } from '../../api/api.ts';
import type { NewInvitation } from '../../api/invitations.ts';
import { idProblem } from '../../api/path.ts';
import { emailProblem } from '../../checks/email.ts';
import { quote, textProblem } from '../../checks/text.ts';
import { invalidInput, usageError } from '../../errors.ts';
import type { Session } from '../../session.ts';
import { beyondDetails } from '../beyond.ts';
import { EXTRA_HINT, type FileFields } from '../file-fields.ts';
import { type Checked, checkedList, checkedText, checkedTruth, type Given } from './checked.ts';
import { type InvitationField, readInvitationFile } from './file.ts';

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
 * What command line and file say of an invitation, checked. Flags win over the file; only the e-mail address must be
 * the same wherever it is given.
 *
 * @throws {CliError} exit 2 for a file that cannot be read, for two addresses, and naming all that is wrong at once.
 */
export async function givenInvitation(
  argument: string | undefined,
  flags: Flags,
  session: Pick<Session, 'api' | 'context'>,
): Promise<Partial<NewInvitation>> {
  const isOpen = flags.allowUnknownFields === true;
  const file = flags.file === undefined ? undefined : await readInvitationFile(flags.file, isOpen, session);
  const { address, isAccountAdmin } = takenApart(argument, flags);
  const emails = [...typed('email', address), ...typed('--email', flags.email), ...inFile(file, 'email')];
  refuseSeveral(emails);
  const checked = {
    email: checkedText(emails[0], emailProblem),
    properties: checkedList(
      firstGiven(
        [...typed('--properties', flags.properties), ...typed('--property', flags.property)],
        inFile(file, 'properties'),
      ),
      { plural: 'property ids', example: '[BER, VIE]', problem: idProblem },
    ),
    is_account_admin: checkedTruth(
      firstGiven(typed('--is-account-admin', isAccountAdmin), inFile(file, 'is_account_admin'))[0],
    ),
    role: checkedText(firstGiven(typed('--role', flags.role), inFile(file, 'role'))[0], roleProblem),
    roles: checkedList(firstGiven(typed('--roles', flags.roles), rolesInFile(file, session.api)), {
      plural: 'roles',
      example: '[Housekeeping, Auditor]',
      problem: roleProblem,
    }),
  };
  const beyond = beyondDetails(session.api.dialect, { '--roles': flags.roles });
  refuseWrong([...Object.values(checked), { problems: beyond }], file);
  return {
    ...sent('email', checked.email),
    ...sent('properties', checked.properties),
    ...sent('is_account_admin', checked.is_account_admin),
    ...sent('role', checked.role),
    ...file?.extra,
    ...sent('roles', checked.roles),
  };
}

/** The flag may stand alone, and the address behind it is the argument. */
function takenApart(argument: string | undefined, { isAccountAdmin }: Flags) {
  const isAddress =
    argument === undefined && typeof isAccountAdmin === 'string' && isAccountAdmin.includes('@');
  return isAddress
    ? { address: isAccountAdmin, isAccountAdmin: true }
    : { address: argument, isAccountAdmin };
}

function typed(place: string, value: unknown): readonly Given[] {
  return value === undefined ? [] : [{ place, value }];
}

/** A field that a file leaves empty is not given. */
function inFile(file: FileFields | undefined, field: InvitationField): readonly Given[] {
  const value = file?.fields[field] ?? undefined;
  return file === undefined ? [] : typed(`${file.name}: ${field}`, value);
}

/** Where the service goes beyond the contract `roles` is a field, also under `extra`. */
function rolesInFile(file: FileFields | undefined, { dialect }: Pick<Api, 'dialect'>): readonly Given[] {
  const beside = inFile(file, 'roles');
  if (file === undefined || beside.length > 0 || !dialect.goesBeyond) return beside;
  return typed(`${file.name}: extra.roles`, file.extra['roles'] ?? undefined);
}

function firstGiven(flags: readonly Given[], file: readonly Given[]): readonly Given[] {
  return flags.length > 0 ? flags : file;
}

/** What is wrong with the name of a role, or `undefined`; which roles there are is the service's to say. */
export function roleProblem(role: string): string | undefined {
  return textProblem(role, 100);
}

function refuseSeveral(emails: readonly Given[]): void {
  if (new Set(emails.map(({ value }) => value)).size <= 1) return;
  const named = emails.map(({ place, value }) =>
    typeof value === 'string' ? `${place} ${quote(value)}` : place,
  );
  throw usageError(`The e-mail addresses differ (${named.join(', ')}); one person is invited at a time.`);
}

function refuseWrong(checked: readonly Checked<unknown>[], file: FileFields | undefined): void {
  const ofNames = file?.problems ?? [];
  const problems = [...ofNames, ...checked.flatMap((each) => each.problems)];
  if (problems.length === 0) return;
  throw invalidInput(problems, ofNames.length > 0 ? EXTRA_HINT : undefined);
}

function sent<Field extends InvitationField, Value>(
  field: Field,
  { value }: Checked<Value>,
): { readonly [Name in Field]?: Value } {
  // The one name that this object may have is the field's.
  return (value === undefined ? {} : { [field]: value }) as { readonly [Name in Field]?: Value };
}
