import { serviceCommand } from '../../cli/described-command.ts';
import { type Detail, invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import {
  isDone,
  type PropertyChange,
  propertyChange,
  rolelessAfter,
  touchesProperties,
  type UserChanges,
  withoutRoles,
  writtenValue,
} from '../../model/access-change.ts';
import { isSameSet, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import type { Facts } from '../../print/output.ts';
import { aboutWrite } from '../../seed/item.ts';
import { emailOf } from '../../service/find-user.ts';
import { WouldSend } from '../../service/send.ts';
import type { UserUpdate } from '../../service/users.ts';
import { type Answerable, type Answered, review, withAnswers } from '../ask.ts';
import { settleBy, withEquivalentLine } from '../lines.ts';
import { givesNoChange, type PatchFlags, settlingOf, withPatchFlags } from '../patch-flags.ts';
import { withReferences } from '../references.ts';
import { misspeltProperties, suggest } from '../suggest.ts';
import { noRoleText, reportWrite, rolelessError } from '../write.ts';
import {
  type AccessFlags,
  type AccessUpdate,
  accessProblems,
  checkRemoval,
  confirmAccess,
  propertiesShown,
  readForUpdate,
  warnOfFullAccess,
  withAccessFlags,
} from './access.ts';
import { type ChangeFlags, changesFrom, replacesByAdding } from './changes.ts';
import {
  findPermitted,
  hintUserList,
  isEmail,
  misspeltUsers,
  referenceProblems,
  suggestUser,
  users,
  usersArgument,
} from './reference.ts';

const ADD_REPLACES =
  'The operation add at /properties replaces all properties of the user: --add-properties keeps the others.';

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
  return withReferences(context, users, {
    named: 'writes',
    one: updateOne,
    several: async (...given) => (await import('./update-several.ts')).updateUsers(...given),
    choosesSeveral: (flags) => !givesNoChange(flags),
  });
}

/**
 * Updates one user.
 *
 * @param command prompts for changes at a terminal if its flags give none; default: they do.
 */
export async function updateOne(
  reference: string,
  flags: UpdateFlags,
  session: Session,
  command?: Answerable<UpdateFlags>,
): Promise<void> {
  session.api.permit('updateUser', reference);
  const problems = [...referenceProblems(reference), ...accessProblems(flags)];
  const isAsking = session.mayAsk() && givesNoChange(flags);
  const asked = command && isAsking ? await askAbout(reference, problems, session) : undefined;
  if (asked?.answers.length === 0) {
    const { subjectId } = asked.user;
    return session.out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
  }
  const { options, typed } =
    command && asked ? withAnswers(asked.answers, command, session) : { options: flags, typed: session };
  const changes = await changesFrom(options, problems, session);
  if (options.setProperties === undefined && replacesByAdding(changes)) await session.out.warn(ADD_REPLACES);
  const update = asked ? { ...asked, changes } : await readForUpdate(reference, changes, options, session);
  await checkRemoval(update, session);
  await warnOfFullAccess([{ name: reference, record: update.record }], changes, session.out);
  const { record } = update;
  if (options.verify && session.globals.dryRun !== true && record && isDone(record, changes)) {
    return reportUpdate(update, { isWritten: false, verification: undefined, paths: [] }, session);
  }
  const sending = send(update, options, asked?.answers, typed);
  await withEquivalentLine(asked !== undefined, typed, sending);
}

/** The user, and the changes entered in prompts. */
async function askAbout(reference: string, problems: readonly Detail[], session: Session) {
  if (problems.length > 0) throw invalidInput(problems);
  const user = await findPermitted(reference, session);
  const record = await session.api.users.read(user.subjectId).catch(suggestUser(user.subjectId, session));
  const { askUserChanges } = await import('./ask.ts');
  const answers = await askUserChanges(record, session);
  return { user: { ...user, email: user.email ?? emailOf(record) }, record, answers };
}

/** Sends an update after consent, and reports it. @param answers reviewed before. */
async function send(
  update: AccessUpdate,
  flags: UpdateFlags,
  answers: readonly Answered[] | undefined,
  session: Session,
): Promise<void> {
  const { user, changes, record } = update;
  if (answers !== undefined) await review(answers, 'identity', session);
  const roleless = flags.needsRoles && record ? rolelessAfter(record, changes) : [];
  const { reference, subjectId, email = reference } = user;
  if (roleless.length > 0) await session.out.warn(noRoleText(email, roleless, 'will have'));
  await confirmAccess(update, flags, session, answers && 'Send it?');
  const { api } = session;
  const properties = propertiesShown(record, changes);
  const about = aboutWrite('user', subjectId, { email, ...record }, changes.steps, properties);
  const done = await api.kept
    .one(() => api.users.update(subjectId, changes, { verify: flags.verify }), about)
    .catch(rehearsedWith(roleless.length === 0 ? {} : { without_roles: roleless }))
    .catch(explainFailure(reference, changes, flags, session));
  await reportUpdate(update, done, session, flags);
}

/** For `catch`: adds facts to what a dry run shows. */
function rehearsedWith(facts: Facts) {
  return (error: unknown): never => {
    throw error instanceof WouldSend ? new WouldSend(error.request, facts) : error;
  };
}

/** Reports an accepted or unnecessary update. */
async function reportUpdate(
  { user, changes, record }: AccessUpdate,
  done: UserUpdate,
  session: Pick<Session, 'globals' | 'out'>,
  { needsRoles }: ChangeFlags = {},
) {
  const { out } = session;
  const { reference, subjectId, email } = user;
  const sent = done.isWritten ? (done.properties?.sent ?? propertiesSetBy(changes)) : undefined;
  const { now, missing = [], isChangedMeanwhile = false } = done.properties ?? {};
  const isOther = isChangedMeanwhile && sent !== undefined && now !== undefined && !isSameSet(sent, now);
  const properties = isChangedMeanwhile ? (now ?? sent) : sent;
  const { added, removed, removedRoles } = gainAndLoss(record, changes, done, properties);
  const foreseen = needsRoles && record ? rolelessAfter(record, changes) : [];
  const withoutRole = done.record === undefined ? foreseen : withoutRoles(done.record, added);
  const facts = withoutHoles({
    subject_id: subjectId,
    email,
    updated: done.isWritten,
    properties,
    ...(touchesProperties(changes) ? { added, removed } : {}),
    removed_roles: removedRoles.length === 0 ? undefined : removedRoles,
    without_roles: withoutRole.length === 0 ? undefined : withoutRole,
    sent_properties: isOther ? sent : undefined,
    changed_meanwhile: isChangedMeanwhile || undefined,
  });
  if (isChangedMeanwhile) {
    const lists = [
      ...(isOther || now === undefined ? [`${listed(sent)} were sent`] : []),
      ...(now === undefined ? [] : [`${listed(now)} are there now`]),
    ].join(', ');
    await out.warn(`Somebody else changed the properties of user ${reference} meanwhile: ${lists}.`);
  }
  if (!done.isWritten) {
    const has = [
      ...(changes.addProperties === undefined ? [] : ['all of the properties to be added already']),
      ...(changes.removeProperties === undefined ? [] : ['none of the properties to be removed']),
    ].join(' and ');
    return out.done(
      has === '' ? 'Nothing was changed.' : `User ${reference} has ${has}; nothing was changed.`,
      facts,
    );
  }
  const without = isChangedMeanwhile && missing.length > 0 ? `, who is without ${listed(missing)} now` : '';
  await reportWrite(out, `Updated user ${reference}${without}`, facts, done);
  if (withoutRole.length === 0) return;
  const line = noRoleText(email ?? reference, withoutRole);
  if (needsRoles) throw rolelessError([line], session);
  await out.warn(line);
}

/** Properties added and removed by this update, and the roles removed with them, as far as known. */
function gainAndLoss(
  before: ServiceRecord | undefined,
  changes: UserChanges,
  { isWritten, properties: edited }: UserUpdate,
  after: readonly string[] | undefined,
): Omit<PropertyChange, 'isOpen'> {
  if (!isWritten) return { added: [], removed: [], removedRoles: [] };
  const foreseen = propertyChange(before, changes);
  if (edited === undefined || after === undefined) return foreseen;
  const { addProperties = [], removeProperties = [] } = changes;
  const was = new Set(edited.before);
  const removed = removeProperties.filter((id) => was.has(id) && !after.includes(id));
  return {
    added: addProperties.filter((id) => !was.has(id) && after.includes(id)),
    removed,
    removedRoles: foreseen.removedRoles.filter(({ id }) => removed.includes(id)),
  };
}

/** For `catch`: adds to a failed update how to settle it, or a suggestion. */
function explainFailure(reference: string, changes: UserChanges, flags: PatchFlags, session: Session) {
  const { api, globals } = session;
  const ids = new Set([...(propertiesSetBy(changes) ?? []), ...(changes.addProperties ?? [])]);
  const user = isEmail(reference) ? [] : [misspeltUsers([reference], api)];
  const suggestNames = suggest(...user, misspeltProperties([...ids], api));
  const settling = settlingOf(changes.steps, flags, session, 'users', reference);
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
