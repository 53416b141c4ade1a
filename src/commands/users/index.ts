import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { editUser } from './edit.ts';
import { getUser } from './get.ts';
import { listUsers } from './list.ts';
import { getCurrentUser } from './me.ts';
import { updateUser } from './update.ts';

/** `users ...`: who works with the account. */
export function usersCommands(context: Context) {
  return new DescribedCommand('users', {
    examples: [
      'users list',
      'users get ana@example.com',
      'users update ana@example.com --add-properties BER',
    ],
  })
    .alias('user')
    .summary('people who work with the account')
    .description('People who work with the account.')
    .addCommand(listUsers(context))
    .addCommand(getUser(context))
    .addCommand(getCurrentUser(context))
    .addCommand(updateUser(context))
    .addCommand(editUser(context));
}
