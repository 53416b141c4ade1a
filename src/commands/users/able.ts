import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { withAccessFlags } from '../../change/flags.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { usersArgument } from './reference.ts';
import { updating } from './update.ts';

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
