import type { Command } from '@commander-js/extra-typings';
import { CliError, type Detail, detailsFor } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import {
  givesFullAccess,
  isDone,
  type PropertyChange,
  propertyChange,
  type Reduction,
  reductionBy,
  type UserChanges,
} from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { emailProblem } from '../../model/segment.ts';
import { sameCommand } from '../../out/text.ts';
import { isAllowed, type Judgement, judgeLockout, lockoutError, readAdmins } from '../../service/lockout.ts';
import { idProblem } from '../../service/path.ts';
import { misspeltProperties, withSuggestion } from '../suggest.ts';
import { readBefore } from '../write.ts';
import type { NamedUser } from './outcome.ts';
import { readUserToChange } from './reference.ts';

/** The flags that confirm a change of access, as typed. */
export interface AccessFlags {
  readonly confirm?: string | undefined;
  readonly allowLockout?: string | undefined;
}

/** An update of one user before it is sent. */
export interface AccessUpdate {
  readonly user: NamedUser;
  readonly changes: UserChanges;
  /** The current user; `undefined` if it was not read. */
  readonly record: ServiceRecord | undefined;
}

type Asking = Pick<Session, 'api' | 'out' | 'context' | 'globals' | 'mayAsk' | 'confirm' | 'confirmByName'>;

type Flags = Record<string, unknown>;

/** Adds --confirm and --allow-lockout. */
export function withAccessFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  confirms = 'confirm disabling: repeat the subject id or e-mail',
) {
  return command
    .option('--confirm <id>', confirms)
    .option('--allow-lockout <e-mail>', 'allow locking out the user with this full e-mail address');
}

/** The problems of the flags. --allow-lockout accepts a subject id if the service shows no address. */
export function accessProblems({ allowLockout: named }: AccessFlags): readonly Detail[] {
  if (named === undefined) return [];
  return detailsFor('--allow-lockout', named.includes('@') ? emailProblem(named) : idProblem(named));
}

/** Whether an update may change access, so that the user must be read first. */
export function needsRecord(changes: UserChanges): boolean {
  const { removed, isOpen } = propertyChange(undefined, changes);
  const { steps } = changes;
  return reductionBy(steps) !== undefined || givesFullAccess(steps) || removed.length > 0 || isOpen;
}

/** Reads the user before an update, if access may change, or to see if anything changes. */
export async function readForUpdate(
  user: NamedUser,
  changes: UserChanges,
  options: { readonly verify: boolean },
  session: Pick<Session, 'api' | 'globals'>,
): Promise<AccessUpdate> {
  const read = () => readUserToChange(user.subjectId, session);
  const record = needsRecord(changes)
    ? await read().catch(unlessForbidden)
    : await readBefore(changes.steps, read, options, session.globals);
  if (record === undefined) return { user, changes, record };
  const { email } = record;
  const shown = user.email ?? (typeof email === 'string' ? email : undefined);
  return { user: { ...user, email: shown }, changes, record };
}

/** Whether nothing would change; with --no-verify and --dry-run the update is sent anyway. */
export function isUpToDate(
  { record, changes }: AccessUpdate,
  { verify }: { readonly verify: boolean },
  { globals }: Pick<Session, 'globals'>,
): boolean {
  return verify && globals.dryRun !== true && record !== undefined && isDone(record, changes);
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
  { api, out }: Pick<Session, 'api' | 'out'>,
): Promise<void> {
  const now = record && shownProperties(record);
  const absent = now === undefined ? [] : removeProperties.filter((id) => !now.includes(id));
  for (const id of absent) {
    try {
      await api.properties.read(id);
    } catch (error) {
      // A property that cannot be read may exist.
      if (!(error instanceof CliError) || error.exitCode === ExitCode.notFound)
        throw await withSuggestion(error, misspeltProperties([id], api));
    }
  }
  if (absent.length > 0) await out.warn(`User ${user.reference} does not have ${absent.join(', ')}.`);
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
  session: Asking,
  question?: string,
): Promise<void> {
  const verdict = await checkLockout(update, flags, session);
  if (verdict === 'unknown') {
    await session.out.warn('The service does not show whether an enabled account admin would be left.');
  }
  const reduction = reductionBy(update.changes.steps);
  const isSevere = reduction?.disables !== undefined || verdict === 'unknown';
  await consent(update, isSevere, flags.confirm, question, session);
  // The account may have changed while the question was open.
  if (session.mayAsk() && session.globals.dryRun !== true) await checkLockout(update, flags, session);
}

/**
 * Checks that an update which reduces access leaves an enabled account admin, unless --allow-lockout allows it.
 *
 * @throws {CliError} `lockout`, exit 11.
 */
export async function checkLockout(
  { user, changes }: Pick<AccessUpdate, 'user' | 'changes'>,
  { allowLockout }: AccessFlags,
  { api, context }: Asking,
): Promise<Judgement['verdict']> {
  const allowed = allowLockout === undefined ? [] : [allowLockout];
  if (reductionBy(changes.steps) === undefined || isAllowed(user, allowed)) return 'safe';
  const judgement = judgeLockout([user], await readAdmins([user], api.users), allowed);
  const error = lockoutError(judgement, (address) => sameCommand(context.argv, '--allow-lockout', address));
  if (error !== undefined) throw error;
  return judgement.verdict;
}

async function consent(
  update: AccessUpdate,
  isSevere: boolean,
  given: string | undefined,
  question: string | undefined,
  session: Asking,
): Promise<void> {
  const { reference, subjectId, email } = update.user;
  const names = [reference, subjectId, email ?? reference] as const;
  const sentence = sentencesOf(update).join(' ');
  const isByName = isSevere || given !== undefined;
  await noteLosses(update, given !== undefined || (!isSevere && session.globals.yes === true), session);
  if (sentence !== '' && isByName) await session.confirmByName({ sentence, names, given });
  if (sentence !== '' && !isByName) return session.confirm(`${sentence} ${question ?? 'Continue?'}`);
  // A name typed in the prompt answers the question too; --confirm was given before the change was shown.
  const isAnswered = sentence !== '' && isByName && (given === undefined || !session.mayAsk());
  if (question !== undefined && !isAnswered) await session.confirm(question);
}

/** Reports losses if a flag confirmed them, and always in a dry run. */
async function noteLosses(
  update: AccessUpdate,
  isConsented: boolean,
  { globals, context, out }: Asking,
): Promise<void> {
  if (context.presentation.json) return;
  const lost = lossSentences(propertyChange(update.record, update.changes), `user ${update.user.reference}`);
  const sentences = globals.dryRun === true ? sentencesOf(update) : isConsented ? lost : [];
  if (sentences.length > 0) await out.note(sentences.join(' '));
}

/** The changes of access as sentences. */
function sentencesOf({ user, changes, record }: AccessUpdate): readonly string[] {
  const { steps } = changes;
  const who = `user ${user.reference}`;
  const gives = givesFullAccess(steps) ? [`This gives ${who} full access to every property.`] : [];
  const lost = propertyChange(record, changes);
  return [...reductionSentences(reductionBy(steps), who), ...gives, ...lossSentences(lost, who)];
}

function reductionSentences({ disables, demotes }: Reduction = {}, who: string): readonly string[] {
  return [
    ...(disables === undefined ? [] : [`This ${disables === 'surely' ? 'disables' : 'may disable'} ${who}.`]),
    ...(demotes === undefined
      ? []
      : [`This ${demotes === 'surely' ? 'takes' : 'may take'} full access away from ${who}.`]),
  ];
}

function lossSentences({ removed, removedRoles, isOpen }: PropertyChange, who: string): readonly string[] {
  const roles = removedRoles.map(({ id, roles: names }) => `${names.join(', ')} at ${id}`);
  return [
    ...(removed.length === 0 ? [] : [`This takes away ${removed.join(', ')} from ${who}.`]),
    ...(roles.length === 0
      ? []
      : [`The roles there are removed too, and cannot be restored through the API: ${roles.join('; ')}.`]),
    ...(isOpen ? [`This may take properties away from ${who}.`] : []),
  ];
}
