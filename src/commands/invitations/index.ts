import { Command } from '@commander-js/extra-typings';
import type { Context } from '../../context.ts';
import { importInvitations } from '../apply/import-invitations.ts';
import { createInvitation } from './create.ts';
import { deleteInvitation } from './delete.ts';
import { listInvitations } from './list.ts';

/** `invitations ...`: who has been invited to the account. */
export function invitationsCommands(context: Context) {
  return new Command('invitations')
    .aliases(['invitation', 'invite'])
    .description('People who have been invited to the account.')
    .addCommand(listInvitations(context))
    .addCommand(createInvitation(context))
    .addCommand(importInvitations(context))
    .addCommand(deleteInvitation(context));
}
