import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { getUser } from './get.ts';
import { listUsers } from './list.ts';
import { getCurrentUser } from './me.ts';
import { updateUser } from './update.ts';

/** `users ...`: who works with the account. */
export function usersCommands(context: Context) {
  return new Command('users')
    .alias('user')
    .description('People who work with the account.')
    .addCommand(listUsers(context))
    .addCommand(getUser(context))
    .addCommand(getCurrentUser(context))
    .addCommand(updateUser(context));
}
