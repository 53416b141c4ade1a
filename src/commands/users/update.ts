import { type Answerable, type Answered, review, withAnswers } from '../../change/ask.ts';
import { type AccessFlags, accessProblems, withAccessFlags } from '../../change/flags.ts';
import type { Result } from '../../change/item.ts';
import {
  noRoleText,
  rolelessError,
  settleBy,
  settlingOf,
  tellOne,
  withEquivalentLine,
} from '../../change/lines.ts';
import { givesNoChange, readsStdin, withPatchFlags } from '../../change/patch.ts';
import { refuseUnrepeatable, withReferences } from '../../change/resolve.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { misspeltProperties, suggest } from '../../change/suggest.ts';
import { hasFullAccess, shownProperties } from '../../model/access.ts';
import {
  propertyChange,
  reductionBy,
  rolelessAfter,
  touchesProperties,
  type UserChanges,
  writtenValue,
} from '../../model/access-change.ts';
import { CliError, type Detail, ExitCode, refuseInvalid } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { isSameSet, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import type { Output } from '../../print/output.ts';
import { WouldSend } from '../../service/send.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { type ChangeFlags, changesAccess, changesFrom, userItem } from './access.ts';
import {
  hintUserList,
  isEmail,
  misspeltUsers,
  type NamedUser,
  resolveUsers,
  userProblems,
  users,
  usersArgument,
} from './reference.ts';

/**
 * `users update <subject-id|e-mail>`: enable or disable a user, or change their properties.
 *
 * PATCH /api/v1/identity/users/{subjectId}. The contract shows /enabled with replace and /properties with add; --patch
 * sends any other path. The public service also replaces names and the admin flag. Without changes on the command line, a
 * terminal prompts for them.
 */
export function updateUser(context: Context) {
  const command = serviceCommand('update', 'destroys', [
    'users update ana@example.com --enable --add-properties BER',
    'users update ana@example.com ben@example.com --add-properties VIE',
    'users update ana@example.com --set-properties BER,VIE --dry-run',
    'users update ben@example.com --remove-properties MUC --yes',
    'users update ben@example.com --disable --confirm ben@example.com',
    'users update ben@example.com --first-name Ben --is-account-admin false',
  ])
    .exitsWith('ambiguous')
    .summary('update a user')
    .description(
      'Enable or disable a user, or change their properties. Without flags, prompts for the changes on a terminal.',
    )
    .argument(...usersArgument)
    .option('--enable', 'enable the user')
    .option('--disable', 'disable the user; requires --confirm')
    .option('--add-properties <ids>', 'add properties: BER,VIE', collectList)
    .option('--property <ids>', 'same as --add-properties', collectList)
    .option('--remove-properties <ids>', 'remove properties: MUC', collectList)
    .option('--set-properties <ids>', 'replace all properties; [] for none', collectList)
    .option('--first-name <name>', 'first name (dialect apaleo)')
    .option('--last-name <name>', 'last name (dialect apaleo)')
    .option(
      '--is-account-admin [true|false]',
      'grant full access to every property, or with false revoke it (dialect apaleo)',
    );
  return withPatchFlags(withAccessFlags(command)).action(updating(context));
}

interface UpdateFlags extends ChangeFlags, AccessFlags {
  readonly verify: boolean;
}

/** The action of every command that updates users. */
export function updating(context: Context) {
  return withReferences<UpdateFlags>(context, users, {
    operation: 'updateUser',
    all: updateUsers,
    choosesSeveral: (flags) => !givesNoChange(flags),
  });
}

/**
 * Updates users alike, several with a result for each.
 *
 * @param command prompts for changes at a terminal if its flags give none; default: they do.
 * @throws {CliError} exit 3 or 12 with the references that are not one user; exit 11 without consent.
 */
export async function updateUsers(
  words: readonly string[],
  flags: UpdateFlags,
  session: Session,
  command?: Answerable<UpdateFlags>,
): Promise<void> {
  const { api, out } = session;
  const problems = [...userProblems(words, session), ...accessProblems(flags)];
  const isOne = words.length === 1;
  if (isOne && command !== undefined && session.mayAsk() && givesNoChange(flags)) {
    refuseInvalid(problems);
    return updateAsked(words, problems, session, command);
  }
  const changes = await changesFrom(flags, problems, session);
  if (!isOne) refuseUnrepeatable(changes.steps, 'user');
  const isRead = !isOne || mustRead(changes, flags, session);
  const found = await resolveUsers(words, { isWrite: true, isRead }, session);
  if (isOne) {
    for (const user of found) await updateOne(user, changes, flags, undefined, session);
    return;
  }
  const { addProperties = [], removeProperties = [] } = changes;
  await checkProperties([...addProperties, ...removeProperties], api);
  for (const user of found) await warnOfFullAccess(nameOf(user), user.record, changes, out);
  const rows = found.map((user) => {
    const item = userItem(nameOf(user), user, changes);
    return { item, names: [user.word, user.id] };
  });
  await changeRows(rows, flags, session);
}

/** Prompts for the changes of one user. */
async function updateAsked(
  words: readonly string[],
  problems: readonly Detail[],
  session: Session,
  command: Answerable<UpdateFlags>,
): Promise<void> {
  const { askUserChanges } = await import('./ask.ts');
  for (const user of await resolveUsers(words, { isWrite: true, isRead: true }, session)) {
    const answers = await askUserChanges(user.record ?? {}, session);
    if (answers.length === 0)
      return session.out.done('Nothing was changed.', { subject_id: user.id, updated: false });
    const { options, typed } = withAnswers(answers, command, session);
    const changes = await changesFrom(options, problems, session);
    await withEquivalentLine(true, typed, updateOne(user, changes, options, answers, typed));
  }
}

/** Whether a user is read before an update: if access may change, or to see if anything changes. */
function mustRead(changes: UserChanges, { verify, needsRoles }: UpdateFlags, { globals }: Session): boolean {
  if (changesAccess(changes) || needsRoles) return true;
  const mayTell =
    changes.steps.length > 0 && changes.steps.every(({ op }) => op === 'add' || op === 'replace');
  return verify && mayTell && globals.dryRun !== true;
}

function nameOf({ word, email = word }: NamedUser): string {
  return email;
}

/** Updates one user after consent, and reports it. @param answers of prompts, to review before. */
async function updateOne(
  user: NamedUser,
  changes: UserChanges,
  flags: UpdateFlags,
  answers: readonly Answered[] | undefined,
  session: Session,
): Promise<void> {
  const { word, id, record } = user;
  const { removeProperties = [] } = changes;
  const now = record && shownProperties(record);
  const absent = removeProperties.filter((each) => now?.includes(each) === false);
  await checkProperties(absent, session.api);
  if (absent.length > 0) await session.out.warn(`User ${word} does not have ${absent.join(', ')}.`);
  await warnOfFullAccess(word, record, changes, session.out);
  const isAlways = !flags.verify || session.globals.dryRun === true;
  const planned = userItem(nameOf(user), user, changes, isAlways);
  const item = { ...planned, isReadBack: flags.verify };
  if (answers !== undefined) await review(answers, 'identity', session);
  const roleless = flags.needsRoles && record ? rolelessAfter(record, changes) : [];
  if (roleless.length > 0) await session.out.warn(noRoleText(nameOf(user), roleless, 'will have'));
  const question = answers && 'Send it?';
  const result = await changeOne({ item, names: [word, id], title: word, question }, flags, session)
    .catch(rehearsedWith(roleless))
    .catch(explainFailure(word, changes, flags, session));
  await reportUpdate(user, changes, result, flags, session);
}

/** Warns of an account admin who loses properties, and reaches every property all the same. */
async function warnOfFullAccess(
  name: string,
  record: ServiceRecord | undefined,
  changes: UserChanges,
  out: Output,
): Promise<void> {
  const { removed, isOpen } = propertyChange(undefined, changes);
  if ((removed.length === 0 && !isOpen) || reductionBy(changes.steps)?.demotes !== undefined) return;
  if (hasFullAccess(record ?? {}))
    await out.warn(`${name} is an account admin, and keeps full access to every property.`);
}

/** Checks that properties exist: a misspelt id must not look like a removed one. @throws {CliError} exit 3 with a suggestion. */
async function checkProperties(ids: readonly string[], api: Session['api']): Promise<void> {
  for (const id of ids)
    await api.properties
      .read(id)
      .catch(unlessRefused)
      .catch(suggest(misspeltProperties([id], api)));
}

/** For `catch`: a property that cannot be read may exist. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.notFound) throw error;
}

/** For `catch`: adds to what a dry run shows where the user will have no role. */
function rehearsedWith(roleless: readonly string[]) {
  return (error: unknown): never => {
    if (!(error instanceof WouldSend)) throw error;
    throw new WouldSend(error.request, roleless.length === 0 ? {} : { without_roles: roleless });
  };
}

/** Reports an accepted or unnecessary update. */
async function reportUpdate(
  user: NamedUser,
  changes: UserChanges,
  result: Result,
  { needsRoles }: ChangeFlags,
  session: Session,
): Promise<void> {
  const { out } = session;
  const { word, id, email } = user;
  const { access, readBack: done } = result;
  const isWritten = done?.isWritten === true;
  const edits = done?.properties;
  const sent = isWritten ? (edits?.sent ?? propertiesSetBy(changes)) : undefined;
  const { now, missing = [], isChangedMeanwhile = false } = edits ?? {};
  const isOther = isChangedMeanwhile && sent !== undefined && now !== undefined && !isSameSet(sent, now);
  const { added = [], removed = [], removedRoles = [], withoutRoles = [] } = access ?? {};
  const withoutRole = needsRoles || done?.record !== undefined ? withoutRoles : [];
  const facts = withoutHoles({
    subject_id: id,
    email,
    updated: isWritten,
    properties: isChangedMeanwhile ? (now ?? sent) : sent,
    ...(touchesProperties(changes) ? { added, removed } : {}),
    removed_roles: removedRoles.length === 0 ? undefined : removedRoles,
    without_roles: withoutRole.length === 0 ? undefined : withoutRole,
    sent_properties: isOther ? sent : undefined,
    changed_meanwhile: isChangedMeanwhile || undefined,
  });
  if (isChangedMeanwhile) {
    const there = now === undefined ? `${listed(sent)} were sent` : `${listed(now)} are there now`;
    await out.warn(`Somebody else changed the properties of user ${word} meanwhile: ${there}.`);
  }
  const without = isChangedMeanwhile && missing.length > 0 ? `, who is without ${listed(missing)} now` : '';
  await tellOne(
    result,
    { done: `Updated user ${word}${without}`, undone: 'Nothing was changed.', facts, fact: 'updated' },
    out,
  );
  if (withoutRole.length === 0) return;
  const line = noRoleText(nameOf(user), withoutRole);
  if (needsRoles) throw rolelessError([line], session);
  await out.warn(line);
}

/** For `catch`: adds to a failed update how to settle it, or a suggestion. */
function explainFailure(word: string, changes: UserChanges, flags: UpdateFlags, session: Session) {
  const { api, globals } = session;
  const ids = new Set([...(propertiesSetBy(changes) ?? []), ...(changes.addProperties ?? [])]);
  const user = isEmail(word) ? [] : [misspeltUsers([word], api)];
  const suggestNames = suggest(...user, misspeltProperties([...ids], api));
  const settling = settlingOf(changes.steps, readsStdin(flags), session, 'users get', word);
  return (error: unknown) => suggestNames(error).catch(hintUserList(globals)).catch(settleBy(settling));
}

function listed(ids: readonly string[] | undefined): string {
  return ids === undefined || ids.length === 0 ? 'none' : ids.join(', ');
}

/** The properties if an update replaces them all; `undefined` otherwise. */
function propertiesSetBy({ steps }: UserChanges): readonly string[] | undefined {
  const value = steps.map((step) => writtenValue(step, 'properties')).findLast((set) => set !== undefined);
  return Array.isArray(value) ? value : undefined;
}
