import { DescribedCommand } from '../../cli/described-command.ts';
import { type Detail, invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { isDone } from '../../model/access-change.ts';
import { emailOf } from '../../service/find-user.ts';
import { type Answered, optionsWith, review, sessionWith } from '../ask.ts';
import { withEquivalentLine } from '../lines.ts';
import { givesNoChange, type PatchFlags, withPatchFlags } from '../patch-flags.ts';
import {
  type AccessFlags,
  type AccessUpdate,
  accessProblems,
  checkRemoval,
  confirmAccess,
  readForUpdate,
  withAccessFlags,
} from './access.ts';
import { changesFrom, replacesByAdding } from './changes.ts';
import { explainFailure, reportUpdate } from './outcome.ts';
import { findPermitted, referenceProblems, suggestUser, userArgument } from './reference.ts';

const ADD_REPLACES =
  'The operation add at /properties replaces all properties of the user: --add-properties keeps the others.';

/**
 * `users update <subject-id|e-mail>`: enable or disable a user, or change their properties.
 *
 * PATCH /api/v1/identity/users/{subjectId}. The contract shows /enabled with replace and /properties with add; --set,
 * --add, --remove and --patch send any other path. The public service also replaces names and the admin flag. Without
 * changes on the command line, a terminal prompts for them.
 */
export function updateUser(context: Context) {
  const command = new DescribedCommand('update', {
    effect: 'destroys',
    on: 'service',
    exits: ['ambiguous'],
    examples: [
      'users update ana@example.com --enable --add-properties BER',
      'users update ana@example.com --set-properties BER,VIE --dry-run',
      'users update ben@example.com --remove-properties MUC --yes',
      'users update ben@example.com --disable --confirm ben@example.com',
      'users update ben@example.com --first-name Ben --is-account-admin false',
      'users update ben@example.com --set /firstName=\'"Ben"\'',
      'users update ana@example.com',
    ],
  })
    .summary('update a user')
    .description(
      'Enable or disable a user, or change their properties. Without flags, prompts for the changes on a terminal.',
    )
    .argument(userArgument, 'subject id or full e-mail address of the user')
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
  return withPatchFlags(withAccessFlags(command)).action(
    withSession(context, async (session, reference, flags, command) => {
      session.api.permit('updateUser', reference);
      const problems = [...referenceProblems(reference), ...accessProblems(flags)];
      const isAsking = session.mayAsk() && givesNoChange(flags);
      const asked = isAsking ? await askAbout(reference, problems, session) : undefined;
      if (asked?.answers.length === 0) {
        const { subjectId } = asked.user;
        return session.out.done('Nothing was changed.', { subject_id: subjectId, updated: false });
      }
      const options = asked === undefined ? flags : optionsWith(asked.answers, command);
      const changes = await changesFrom(options, problems, session);
      if (options.setProperties === undefined && replacesByAdding(changes))
        await session.out.warn(ADD_REPLACES);
      const update = asked
        ? { ...asked, changes }
        : await readForUpdate(reference, changes, options, session);
      await checkRemoval(update, session);
      const { record } = update;
      if (options.verify && session.globals.dryRun !== true && record && isDone(record, changes)) {
        return reportUpdate(update, { isWritten: false, verification: undefined, paths: [] }, session.out);
      }
      if (asked === undefined) return send(update, options, undefined, session);
      const typed = sessionWith(asked.answers, session);
      await withEquivalentLine(typed.context.argv, session, send(update, options, asked.answers, typed));
    }),
  );
}

/** The user, and the changes entered in prompts. */
async function askAbout(reference: string, problems: readonly Detail[], session: Session) {
  if (problems.length > 0) throw invalidInput(problems);
  const user = { reference, ...(await findPermitted(reference, session)) };
  const record = await session.api.users.read(user.subjectId).catch(suggestUser(user.subjectId, session));
  const { askUserChanges } = await import('./ask.ts');
  const answers = await askUserChanges(record, session);
  return { user: { ...user, email: user.email ?? emailOf(record) }, record, answers };
}

/** Sends an update after consent, and reports it. @param answers reviewed before. */
async function send(
  update: AccessUpdate,
  flags: PatchFlags & AccessFlags & { readonly verify: boolean },
  answers: readonly Answered[] | undefined,
  session: Session,
): Promise<void> {
  const { user, changes } = update;
  if (answers !== undefined) await review(answers, 'identity', session);
  await confirmAccess(update, flags, session, answers && 'Send it?');
  const done = await session.api.users
    .update(user.subjectId, changes, { verify: flags.verify })
    .catch(explainFailure(user.reference, changes, flags, session));
  await reportUpdate(update, done, session.out);
}
