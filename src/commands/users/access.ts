import type { Command } from '@commander-js/extra-typings';
import { CliError, type Detail } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import { givesFullAccess, propertyChange, reductionBy, type UserChanges } from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import type { Output } from '../../print/output.ts';
import { sameCommand } from '../../print/text.ts';
import type { FieldChange } from '../../seed/item.ts';
import { emailOf } from '../../service/find-user.ts';
import { isAllowed, type Judgement, judgeLockout, lockoutError, readAdmins } from '../../service/lockout.ts';
import { idProblem } from '../../service/path.ts';
import { collect, entryProblems } from '../options.ts';
import { misspeltProperties, suggest } from '../suggest.ts';
import { readBefore } from '../write.ts';
import type { ChangeFlags } from './changes.ts';
import { findPermitted, type NamedUser, suggestUser } from './reference.ts';

/** The flags that confirm a change of access, as typed. */
export interface AccessFlags {
  readonly confirm?: readonly string[] | undefined;
  readonly allowLockout?: readonly string[] | undefined;
}

/** An update of one user before it is sent. */
export interface AccessUpdate {
  readonly user: NamedUser;
  readonly changes: UserChanges;
  /** The current user; `undefined` if it was not read. */
  readonly record: ServiceRecord | undefined;
}

type Flags = Record<string, unknown>;

/** Adds --confirm and --allow-lockout. */
export function withAccessFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  confirms = 'confirm disabling: repeat the id or e-mail',
) {
  return command
    .option('--confirm <id>', confirms, collect)
    .option('--allow-lockout <e-mails>', 'allow locking out these users (full e-mails)', collectList);
}

/** The problems of the flags. --allow-lockout accepts a subject id if the service shows no address. */
export function accessProblems({ allowLockout: named }: AccessFlags): readonly Detail[] {
  return entryProblems('--allow-lockout', named, (each) =>
    each.includes('@') ? emailProblem(each) : idProblem(each),
  );
}

/** Whether an update may change access, so that the user must be read first. */
export function needsRecord(changes: UserChanges): boolean {
  const { removed, isOpen } = propertyChange(undefined, changes);
  const { steps } = changes;
  return reductionBy(steps) !== undefined || givesFullAccess(steps) || removed.length > 0 || isOpen;
}

/** Reads the user before an update, if access may change, or to see if anything changes. */
export async function readForUpdate(
  reference: string,
  changes: UserChanges,
  options: { readonly verify: boolean } & Pick<ChangeFlags, 'needsRoles'>,
  session: Session,
): Promise<AccessUpdate> {
  const user = await findPermitted(reference, session);
  const read = () => session.api.users.read(user.subjectId).catch(suggestUser(user.subjectId, session));
  const record =
    needsRecord(changes) || options.needsRoles
      ? await read().catch(unlessForbidden)
      : await readBefore(changes.steps, read, options, session.globals);
  return { user: { ...user, email: user.email ?? (record && emailOf(record)) }, changes, record };
}

/** For `catch`: a user that cannot be read is unknown, so that everything needs consent. */
function unlessForbidden(error: unknown): ServiceRecord {
  if (error instanceof CliError && error.code === 'forbidden') return {};
  throw error;
}

/**
 * Warns of properties to remove that the user does not have.
 *
 * @throws {CliError} exit 3 if there is no such property: a misspelt id must not look like a removed one.
 */
export async function checkRemoval(
  { user, changes: { removeProperties = [] }, record }: AccessUpdate,
  { api, out }: Session,
): Promise<void> {
  const now = record && shownProperties(record);
  const absent = now === undefined ? [] : removeProperties.filter((id) => !now.includes(id));
  for (const id of absent) await checkProperty(id, api);
  if (absent.length > 0) await out.warn(`User ${user.reference} does not have ${absent.join(', ')}.`);
}

/** Warns of account admins who lose properties: they reach every property all the same. */
export async function warnOfFullAccess(
  people: readonly { readonly name: string; readonly record: ServiceRecord | undefined }[],
  changes: UserChanges,
  out: Output,
): Promise<void> {
  const { removed, isOpen } = propertyChange(undefined, changes);
  if ((removed.length === 0 && !isOpen) || reductionBy(changes.steps)?.demotes !== undefined) return;
  for (const { name, record } of people)
    if (record?.['is_account_admin'] === true)
      await out.warn(`${name} is an account admin, and keeps full access to every property.`);
}

/** Checks that a property exists. @throws {CliError} exit 3 with a suggestion. */
export async function checkProperty(id: string, api: Session['api']): Promise<void> {
  await api.properties
    .read(id)
    .catch(unlessRefused)
    .catch(suggest(misspeltProperties([id], api)));
}

/** For `catch`: a property that cannot be read may exist. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.notFound) throw error;
}

/**
 * Asks for consent to a change of access: by name if it disables the user, or if it is unknown whether an account admin
 * is left; with a yes for granting or revoking full access, and for lost properties.
 *
 * @param question asked in any case.
 * @throws {CliError} `lockout`, exit 11; exit 11 without consent.
 */
export async function confirmAccess(
  update: AccessUpdate,
  flags: AccessFlags,
  session: Session,
  question?: string,
): Promise<void> {
  const { globals, context, out } = session;
  const given = flags.confirm?.slice(-1) ?? [];
  const isGiven = given.length > 0;
  const { reference, subjectId, email } = update.user;
  const verdict = await checkLockout(update, flags, session);
  if (verdict === 'unknown') {
    await out.warn('The service does not show whether an enabled account admin would be left.');
  }
  const isByName =
    verdict === 'unknown' || reductionBy(update.changes.steps)?.disables !== undefined || isGiven;
  const losses = lossesBy(update);
  const sentences = [...rightsChangedBy(update), ...losses];
  const sentence = sentences.join(' ');
  // A flag gave the consent before the change was shown.
  const isConsented = isGiven || (!isByName && globals.yes === true);
  const noted = globals.dryRun === true ? sentences : isConsented ? losses : [];
  if (noted.length > 0 && !context.presentation.json) await out.note(noted.join(' '));
  if (sentence !== '' && isByName) {
    const names = [reference, subjectId, email ?? reference] as const;
    await session.confirmByName({ sentence, names: [names], given });
    // A name typed in the prompt answers the question too.
    if (question !== undefined && isGiven && session.mayAsk()) await session.confirm(question);
  } else if (sentence !== '') {
    await session.confirm(`${sentence} ${question ?? 'Continue?'}`);
  } else if (question !== undefined) await session.confirm(question);
  // The account may have changed while the question was open.
  if (session.mayAsk() && globals.dryRun !== true) await checkLockout(update, flags, session);
}

/**
 * Checks that an update which reduces access leaves an enabled account admin, unless --allow-lockout allows it.
 *
 * @throws {CliError} `lockout`, exit 11.
 */
export async function checkLockout(
  { user, changes }: Pick<AccessUpdate, 'user' | 'changes'>,
  { allowLockout: allowed = [] }: AccessFlags,
  { api, context }: Session,
): Promise<Judgement['verdict']> {
  if (reductionBy(changes.steps) === undefined || isAllowed(user, allowed)) return 'safe';
  const judgement = judgeLockout([user], await readAdmins([user], api.users), allowed);
  const error = lockoutError(judgement, (address) => sameCommand(context.argv, '--allow-lockout', address));
  if (error !== undefined) throw error;
  return judgement.verdict;
}

/** What adding and removing changes of the properties; of a user who was not read, what is added and removed. */
export function propertiesShown(
  record: ServiceRecord | undefined,
  { addProperties, removeProperties }: UserChanges,
): readonly FieldChange[] {
  if (record === undefined) {
    const edits = Object.entries({ add_properties: addProperties, remove_properties: removeProperties });
    return edits.flatMap(([field, to]) => (to === undefined ? [] : [{ field, from: undefined, to }]));
  }
  const from = shownProperties(record);
  const { added, removed } = propertyChange(record, { addProperties, removeProperties, steps: [] });
  if (added.length + removed.length === 0) return [];
  const to = [...(from ?? []).filter((id) => !removed.includes(id)), ...added];
  return [{ field: 'properties', from, to }];
}

function rightsChangedBy({ user, changes: { steps } }: AccessUpdate): readonly string[] {
  const { disables, demotes } = reductionBy(steps) ?? {};
  const who = `user ${user.reference}`;
  return [
    ...(disables ? [`This ${disables === 'surely' ? 'disables' : 'may disable'} ${who}.`] : []),
    ...(demotes ? [`This ${demotes === 'surely' ? 'takes' : 'may take'} full access away from ${who}.`] : []),
    ...(givesFullAccess(steps) ? [`This gives ${who} full access to every property.`] : []),
  ];
}

function lossesBy({ user, changes, record }: AccessUpdate): readonly string[] {
  const { removed, removedRoles, isOpen } = propertyChange(record, changes);
  const roles = removedRoles.map(({ id, roles: names }) => `${names.join(', ')} at ${id}`).join('; ');
  const lost = `This takes away ${removed.join(', ')} from user ${user.reference}.`;
  return [
    ...(removed.length > 0 ? [lost] : []),
    ...(roles === ''
      ? []
      : [`The roles there are removed too, and cannot be restored through the API: ${roles}.`]),
    ...(isOpen ? [`This may take properties away from user ${user.reference}.`] : []),
  ];
}
