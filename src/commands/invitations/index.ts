import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  { names: ['list', 'ls'], build: async (context) => (await import('./list.ts')).listInvitations(context) },
  {
    names: ['create', 'new'],
    build: async (context) => (await import('./create.ts')).createInvitation(context),
  },
  {
    names: ['import'],
    build: async (context) => (await import('../apply/apply.ts')).importInvitations(context),
  },
  {
    names: ['delete', 'rm'],
    build: async (context) => (await import('./delete.ts')).deleteInvitation(context),
  },
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
