import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  ['list ls', async () => (await import('./list.ts')).listInvitations],
  ['create new', async () => (await import('./create.ts')).createInvitation],
  ['import', async () => (await import('../apply/apply.ts')).importInvitations],
  ['delete rm', async () => (await import('./delete.ts')).deleteInvitation],
];

/** `invitations ...`: manage invitations. */
export function invitationsCommands(context: Context, verb: string | undefined) {
  const group = new DescribedCommand('invitations', {
    examples: [
      'invitations list',
      'invitations create ana@example.com --role Housekeeping --properties BER',
      'invitations import people.csv',
    ],
  })
    .aliases(['invitation', 'invite'])
    .summary('manage invitations')
    .description('Manage the invitations of the account.');
  return withVerbs(group, verbs, context, verb);
}
