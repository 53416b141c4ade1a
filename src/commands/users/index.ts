import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  { names: ['list', 'ls'], build: async (context) => (await import('./list.ts')).listUsers(context) },
  { names: ['get', 'show'], build: async (context) => (await import('./get.ts')).getUser(context) },
  { names: ['me'], build: async (context) => (await import('./me.ts')).getCurrentUser(context) },
  { names: ['update'], build: async (context) => (await import('./update.ts')).updateUser(context) },
  { names: ['edit'], build: async (context) => (await import('./edit.ts')).editUser(context) },
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
