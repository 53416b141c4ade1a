import { groupOf } from '../options.ts';

/** `access ...`: who can do what. */
export const accessCommands = groupOf({
  names: 'access',
  summary: 'report who can do what',
  description:
    'Report who can do what in which property: users, account admins and open invitations. `innctl access BER` and `innctl access hanna@example.com` are short for a report of one property or person.',
  examples: ['access report', 'access report --property BER', 'access report --user hanna@example.com'],
  verbs: {
    report: async () => (await import('./report.ts')).reportAccess,
    check: async () => (await import('./check.ts')).checkAccess,
    diff: async () => (await import('./diff.ts')).diffAccess,
    apply: async () => (await import('./apply.ts')).applyReview,
    review: async () => (await import('./review.ts')).reviewCommands,
  },
});
