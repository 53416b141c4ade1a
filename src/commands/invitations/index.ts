import { groupOf } from '../options.ts';

/** `invitations ...`: manage invitations. */
export const invitationsCommands = groupOf({
  names: 'invitations invitation invite',
  summary: 'manage invitations',
  description: 'Manage the invitations of the account.',
  examples: [
    'invitations list',
    'invitations create ana@example.com --role Housekeeping BER',
    'invitations resend ana@example.com',
  ],
  verbs: {
    'list ls': async () => (await import('./list.ts')).listInvitations,
    'create new': async () => (await import('./create.ts')).createInvitation,
    resend: async () => (await import('./resend-run.ts')).resendInvitations,
    'delete rm': async () => (await import('./delete.ts')).deleteInvitation,
  },
});
