import { groupOf } from '../options.ts';

/** `access ...`: who can do what. */
export const accessCommands = groupOf({
  names: 'access',
  summary: 'report who can do what',
  description: 'Report who can do what in which property: users, account admins and open invitations.',
  examples: ['access report', 'access BER', 'access hanna@example.com'],
  verbs: {
    report: async () => (await import('./report.ts')).reportAccess,
  },
});
