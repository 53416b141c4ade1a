import { DescribedCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { givesNoChange, withPatchFlags } from '../patch-flags.ts';
import {
  accessProblems,
  checkRemoval,
  confirmAccess,
  isUpToDate,
  readForUpdate,
  withAccessFlags,
} from './access.ts';
import { changesFrom } from './changes.ts';
import { replacesByAdding, reportUpdate, sendChanges } from './outcome.ts';
import { findPermitted, referenceProblems, userArgument } from './reference.ts';

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
    withSession(context, async (session, reference, options) => {
      session.api.permit('updateUser', reference);
      if (session.mayAsk() && givesNoChange(options)) {
        const { updateByAsking } = await import('./update-by-asking.ts');
        return updateByAsking(reference, options, session);
      }
      const problems = [...referenceProblems(reference), ...accessProblems(options)];
      const changes = await changesFrom(options, problems, session);
      if (options.setProperties === undefined && replacesByAdding(changes))
        await session.out.warn(ADD_REPLACES);
      const user = { reference, ...(await findPermitted(reference, session)) };
      const update = await readForUpdate(user, changes, options, session);
      await checkRemoval(update, session);
      if (isUpToDate(update, options, session)) {
        return reportUpdate(update, { isWritten: false, verification: undefined, paths: [] }, session.out);
      }
      await confirmAccess(update, options, session);
      await sendChanges(update, options, session);
    }),
  );
}
