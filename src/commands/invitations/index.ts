import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { importInvitations } from '../apply/import-invitations.ts';
import { createInvitation } from './create.ts';
import { deleteInvitation } from './delete.ts';
import { listInvitations } from './list.ts';

/** `invitations ...`: who has been invited to the account. */
export function invitationsCommands(context: Context) {
  return new DescribedCommand('invitations', {
    examples: [
      'invitations list',
      'invitations create ana@example.com --role Housekeeping --properties BER',
      'invitations import people.csv',
    ],
  })
    .aliases(['invitation', 'invite'])
    .summary('people who have been invited')
    .description('People who have been invited to the account.')
    .addCommand(listInvitations(context))
    .addCommand(createInvitation(context))
    .addCommand(importInvitations(context))
    .addCommand(deleteInvitation(context));
}
