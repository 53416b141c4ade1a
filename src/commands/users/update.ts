import { Command } from '@commander-js/extra-typings';
import type { UserChanges } from '../../api/users.ts';
import type { Consent } from '../../consent.ts';
import type { Context } from '../../context.ts';
import { type Session, withSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { collectList } from '../options.ts';
import { withPatchFlags } from '../patch-flags.ts';
import { changesFrom } from './changes.ts';
import { explaining, type NamedUser, reportUpdate } from './outcome.ts';
import { findPermitted, referenceProblems, userArgument } from './reference.ts';
import { isDisabling, replacesByAdding } from './steps.ts';

const ADD_REPLACES =
  'The operation add at /properties replaces all properties of the user: --add-properties keeps those that are there.';

/**
 * `users update <subject-id|e-mail>`: let a user in or keep one out, and say which properties are theirs.
 *
 * PATCH /api/v1/identity/users/{subjectId}. The contract shows /enabled with replace and /properties with add;
 * which other paths can be changed is not shown: --set, --add, --remove and --patch send any.
 */
export function updateUser(context: Context) {
  const command = new Command('update')
    .summary('change a user')
    .description('Let a user in or keep one out, and say which properties are theirs.')
    .argument(userArgument, 'the user: a subject id, or the whole e-mail address')
    .option('--enable', 'let the user in')
    .option('--disable', 'keep the user out; needs consent by name')
    .option('--add-properties <ids>', 'properties to add; the user keeps the others: BER,VIE', collectList)
    .option('--property <ids>', 'the same as --add-properties', collectList)
    .option('--set-properties <ids>', 'exactly these properties, and no others', collectList)
    .option('--confirm <user>', 'consent to disabling: the subject id or the e-mail once more');
  return withPatchFlags(command)
    .addHelpText(
      'after',
      examples(
        'users update ana@example.com --enable --add-properties BER',
        'users update ana@example.com --set-properties BER,VIE --dry-run',
        'users update ben@example.com --disable --confirm ben@example.com',
        'users update ben@example.com --set /firstName=\'"Ben"\'',
      ),
    )
    .action(
      withSession(context, async (session, reference, options) => {
        session.api.permit('updateUser', reference);
        const changes = await changesFrom(options, referenceProblems(reference), context);
        if (replacesByAdding(changes)) await session.out.warn(ADD_REPLACES);
        const user = await findConsented(reference, changes, options.confirm, session);
        const done = await session.api.users
          .update(user.subjectId, changes, { verify: options.verify })
          .catch(explaining(reference, changes, options, session));
        await reportUpdate(user, changes, done, session.out);
      }),
    );
}

/**
 * The user that is meant; for what disables, consent is needed. What was typed again needs nobody to be looked up,
 * unless the user may be protected.
 */
async function findConsented(
  reference: string,
  changes: UserChanges,
  given: string | undefined,
  session: Session,
): Promise<NamedUser> {
  const isTypedAgain = given === undefined || given === reference;
  const asksFirst = isTypedAgain && session.settings().guards.protect.length === 0;
  if (asksFirst) await mindDisabling([reference], changes, given, session);
  const user = { reference, ...(await findPermitted(reference, session)) };
  const names = [reference, user.subjectId, user.email ?? reference] as const;
  if (!asksFirst) await mindDisabling(names, changes, given, session);
  return user;
}

/** Whoever is kept out may be the one who could let them in again. */
async function mindDisabling(
  names: Consent['names'],
  changes: UserChanges,
  given: string | undefined,
  { confirmByName }: Session,
): Promise<void> {
  if (!isDisabling(changes)) return;
  const isSaid =
    changes.enabled === false || changes.steps.some((step) => 'value' in step && step.value === false);
  const does = isSaid ? 'disables' : 'may disable';
  await confirmByName({ sentence: `This ${does} user ${names[0]}.`, names, given });
}
