import { type Detail, invalidInput, usageError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { SeveralRecords } from '../../fs/document.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote, textProblem } from '../../model/text.ts';
import { type Dialect, takes } from '../../service/dialect.ts';
import type { NewInvitation } from '../../service/invitations.ts';
import type { Api } from '../../service/service.ts';
import { beyondDetails } from '../beyond.ts';
import { EXTRA_HINT, type FileFields, type Known, readFields } from '../file-fields.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';

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
  const properties = firstGiven(
    [...typed('--properties', idList(flags.properties)), ...typed('--property', idList(flags.property))],
    inFile(file, 'properties'),
  );
  const checked = {
    email: checkedText(emails[0], emailProblem),
    properties: checkedList(properties, {
      plural: 'property ids',
      example: '[BER, VIE]',
      problem: await openIdCheck(textsIn(properties), session.api),
    }),
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
  const beyond = beyondDetails(session.api.dialect, 'createInvitation', { '--roles': flags.roles });
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

function textsIn(lists: readonly Given[]): readonly string[] {
  const entries = lists.flatMap(({ value }): readonly unknown[] => (Array.isArray(value) ? value : []));
  return entries.filter((entry) => typeof entry === 'string');
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

/** Where the dialect takes `roles` it is a field, also under `extra`. */
function rolesInFile(file: FileFields | undefined, { dialect }: Pick<Api, 'dialect'>): readonly Given[] {
  const beside = inFile(file, 'roles');
  if (file === undefined || beside.length > 0 || !takes(dialect, 'createInvitation', 'roles')) return beside;
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

/** A value as it was given, and how messages name it. */
interface Given {
  readonly place: string;
  readonly value: unknown;
}

/** A value as it can be sent, where there is one, and what is wrong with the given ones. */
interface Checked<Value> {
  readonly value?: Value;
  readonly problems: readonly Detail[];
}

/** One text. @param problem says what is wrong with a text, or `undefined`. */
function checkedText(
  given: Given | undefined,
  problem: (text: string) => string | undefined,
): Checked<string> {
  if (given === undefined) return { problems: [] };
  const { place, value } = given;
  if (typeof value !== 'string') return wrong(place, 'must be a text, in quotes');
  const reason = problem(value);
  return reason === undefined ? { value, problems: [] } : wrong(place, reason);
}

/** True or false; YAML files give the words as texts. */
function checkedTruth(given: Given | undefined): Checked<boolean> {
  if (given === undefined) return { problems: [] };
  const { place, value } = given;
  if (value === true || value === 'true') return { value: true, problems: [] };
  if (value === false || value === 'false') return { value: false, problems: [] };
  const quoted = typeof value === 'string' ? `${quote(value)} is neither true nor false: ` : '';
  return wrong(place, `${quoted}write true or false`);
}

/** What a list holds, and how messages say so. */
export interface Entries {
  readonly plural: string;
  readonly example: string;
  /** Says what is wrong with an entry, or `undefined`. */
  readonly problem: (entry: string) => string | undefined;
}

/** The texts out of one or more lists, each once, in the order given. */
function checkedList(lists: readonly Given[], entries: Entries): Checked<readonly string[]> {
  if (lists.length === 0) return { problems: [] };
  const problems = lists.flatMap((list) => problemsOfList(list, entries));
  if (problems.length > 0) return { problems };
  const texts = lists.flatMap(({ value }) => (Array.isArray(value) ? value : []));
  return { value: [...new Set(texts.map(String))], problems: [] };
}

function problemsOfList({ place, value }: Given, { plural, example, problem }: Entries): readonly Detail[] {
  if (!Array.isArray(value)) return [{ field: place, reason: `must be a list of ${plural}: ${example}` }];
  if (value.every((entry) => typeof entry === 'string')) return entryProblems(place, value, problem);
  return [{ field: place, reason: `must hold ${plural} as texts, in quotes` }];
}

function wrong(field: string, reason: string): Checked<never> {
  return { problems: [{ field, reason }] };
}

type InvitationField = 'email' | 'properties' | 'is_account_admin' | 'role' | 'roles';

const ofContract: readonly InvitationField[] = ['email', 'properties', 'is_account_admin', 'role'];

/** What was written under `extra` before innctl knew of it. */
const further: ReadonlySet<string> = new Set(['roles'] satisfies InvitationField[]);

const fieldsFor = ({ further: ofDialect }: Pick<Dialect, 'further'>): readonly string[] => [
  ...ofContract,
  ...(ofDialect.createInvitation ?? []),
];

/** Files that are made for several records, whatever they hold. */
const forSeveral = /\.(csv|tsv|ndjson|jsonl)$/i;

/**
 * Reads the file of one invitation: YAML, or JSON by its ending.
 *
 * @param path `-` is stdin.
 * @param allowUnknown sends fields that the contract does not name, also where they do not stand under `extra`.
 * @throws {CliError} exit 2 when it cannot be read, is not valid, or is for several people.
 */
async function readInvitationFile(
  path: string,
  allowUnknown: boolean,
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<FileFields> {
  if (forSeveral.test(path)) throw new SeveralRecords(`${path} is a file for several people.`);
  const invitation: Known = {
    kind: 'invitation',
    noun: 'an invitation',
    fields: fieldsFor(api.dialect),
    further,
    fieldName: api.dialect.fieldName,
  };
  const file = await readFields(path, invitation, allowUnknown, context);
  const email = file.fields['email'];
  if (!Array.isArray(email) || email.length < 2) return file;
  throw new SeveralRecords(
    `${file.name}: email holds ${email.length} addresses; one is wanted, and several people are several entries.`,
  );
}
