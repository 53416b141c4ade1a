import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  ['list ls', async () => (await import('./list.ts')).listUsers],
  ['get show', async () => (await import('./get.ts')).getUser],
  ['me', async () => (await import('./get.ts')).getCurrentUser],
  ['update', async () => (await import('./update.ts')).updateUser],
  ['edit', async () => (await import('./edit.ts')).editUser],
];

/** `users ...`: manage users. */
export function usersCommands(context: Context, verb: string | undefined) {
  const group = new DescribedCommand('users', {
    examples: [
      'users list',
      'users get ana@example.com',
      'users update ana@example.com --add-properties BER',
    ],
  })
    .alias('user')
    .summary('manage users')
    .description('Manage the users of the account.');
  return withVerbs(group, verbs, context, verb);
}
