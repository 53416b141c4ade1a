import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { askPropertyIds, sessionWith } from '../../change/ask.ts';
import { withAccessFlags } from '../../change/flags.ts';
import { withEquivalentLine } from '../../change/lines.ts';
import { withReferences } from '../../change/resolve.ts';
import { invalidInput, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { sameCommand } from '../../print/text.ts';
import { collectList, serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { propertyIds } from '../options.ts';
import type { ChangeFlags } from './access.ts';
import { isEmail, users, usersArgument } from './reference.ts';
import { updateUsers, updating } from './update.ts';

interface Flags {
  readonly property?: readonly string[];
  readonly properties?: readonly string[];
  readonly all?: true;
  readonly verify: boolean;
}

/** `users grant [subject-id|e-mail...] VIE`: the same as `users update --add-properties VIE`. */
export function grantProperties(context: Context): CommandUnknownOpts {
  return serviceCommand('grant', 'writes', [
    'users grant ben@example.com VIE',
    'users grant ben@example.com eva@example.com --property BER,VIE',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('give a user more properties')
    .description(
      'Add properties to those of a user. Set roles there in the service\'s web app: exits with 9 if the user has none. The same as "users update --add-properties".',
    )
    .argument(usersArgument[0], `${usersArgument[1]}. The words after it are properties to add: BER VIE`)
    .option('--property <ids>', 'properties to add: BER,VIE', collectList)
    .option('--properties <ids>', 'same as --property', collectList)
    .option('--no-verify', 'do not verify by reading the record back')
    .action(editing(context, (ids) => ({ addProperties: ids, needsRoles: true })));
}

/** `users revoke [subject-id|e-mail...] MUC`: the same as `users update --remove-properties MUC`. */
export function revokeProperties(context: Context): CommandUnknownOpts {
  return serviceCommand('revoke', 'writes', [
    'users revoke ben@example.com MUC',
    'users revoke ben@example.com eva@example.com --property MUC --yes',
    'users revoke ben@example.com --all --dry-run',
  ])
    .exitsWith('ambiguous')
    .summary('take properties away from a user')
    .description(
      'Remove properties from those of a user, and the roles there. The user stays enabled, and an account admin keeps full access. The same as "users update --remove-properties".',
    )
    .argument(usersArgument[0], `${usersArgument[1]}. The words after it are properties to remove: BER VIE`)
    .option('--property <ids>', 'properties to remove: BER,VIE', collectList)
    .option('--properties <ids>', 'same as --property', collectList)
    .option('--all', 'remove all properties of the user')
    .option('--no-verify', 'do not verify by reading the record back')
    .action(editing(context, (ids) => ({ removeProperties: ids })));
}

/** The action of commands that change which properties users have; without properties, a terminal prompts for them. */
function editing(context: Context, changeOf: (ids: readonly string[]) => ChangeFlags) {
  const edit = async (words: readonly string[], flags: Flags, session: Session) => {
    const { references, named } = propertiesAmong(words, flags);
    const { ids, asked } = await givenIds(named, flags, session);
    const typed = asked ? sessionWith(['--property', ids.join(',')], session) : session;
    const change = ids === ALL ? { setProperties: ids } : changeOf(ids);
    const updating = updateUsers(references, { ...change, verify: flags.verify }, typed);
    await withEquivalentLine(asked, typed, updating);
  };
  return withReferences<Flags>(context, users, { operation: 'updateUser', all: edit });
}

/** Without a flag, the words beside addresses are properties; without an address, those after the first word. */
function propertiesAmong(words: readonly string[], { property, properties, all }: Flags) {
  const isFlagged = (property ?? properties ?? all) !== undefined;
  const isUser = (word: string, index: number) => isEmail(word) || (index === 0 && !words.some(isEmail));
  const others = isFlagged ? [] : words.filter((word, index) => !isUser(word, index));
  if (others.length === 0) return { references: words, named: undefined };
  return { references: words.filter(isUser), named: others.flatMap((word) => collectList(word, undefined)) };
}

/** As --set-properties takes it: no property is left. */
const ALL: readonly string[] = ['[]'];

/** @throws {CliError} exit 2 without properties if prompting is not possible, and for --all with properties. */
async function givenIds(
  named: readonly string[] | undefined,
  { property, properties, all }: Flags,
  session: Session,
): Promise<{ readonly ids: readonly string[]; readonly asked: boolean }> {
  const given = await propertyIds(
    { '--property': property, '--properties': properties, properties: named },
    session.api,
  );
  if (all && given !== undefined) {
    throw invalidInput([{ field: '--all', reason: 'removes all properties: give it alone, or name some' }]);
  }
  const ids = all ? ALL : given;
  if (ids !== undefined) return { ids, asked: false };
  if (!session.mayAsk()) {
    const hint = sameCommand(session.context.argv, '--property', 'ID');
    throw invalidInput([{ field: '--property', reason: 'is missing' }], hint);
  }
  const asked = await askPropertyIds([], session);
  if (asked.length === 0) throw usageError('No property was chosen; nothing was sent.');
  return { ids: asked, asked: true };
}

/** `users disable [subject-id|e-mail...]`: the same as `users update --disable`. */
export function disableUser(context: Context): CommandUnknownOpts {
  const command = serviceCommand('disable', 'destroys', [
    'users disable ben@example.com',
    'users disable ben@example.com --confirm ben@example.com',
  ])
    .exitsWith('ambiguous')
    .summary('disable a user')
    .description('Keep a user out, and keep their properties. The same as "users update --disable".')
    .argument(...usersArgument)
    .option('--no-verify', 'do not verify by reading the record back');
  const disabling = withAccessFlags(command).action(updating(context));
  return disabling.setOptionValue('disable', true);
}

/** `users enable [subject-id|e-mail...]`: the same as `users update --enable`. */
export function enableUser(context: Context): CommandUnknownOpts {
  const enabling = serviceCommand('enable', 'writes', ['users enable ben@example.com'])
    .exitsWith('ambiguous')
    .summary('enable a user')
    .description('Let a disabled user in again. The same as "users update --enable".')
    .argument(...usersArgument)
    .option('--no-verify', 'do not verify by reading the record back')
    .action(updating(context));
  return enabling.setOptionValue('enable', true);
}
