import { groupOf } from '../options.ts';

/** `people ...`: leavers and joiners. */
export const peopleCommands = groupOf({
  names: 'people person',
  summary: 'manage leavers and joiners',
  description: 'Give access to people who join, and take it away from people who leave.',
  examples: [
    'people onboard mia@example.com --like anna@example.com',
    'people offboard hanna@example.com',
    'people offboard --file leavers.csv --dry-run',
  ],
  verbs: {
    onboard: async () => (await import('./onboard.ts')).onboardPeople,
    offboard: async () => (await import('./offboard.ts')).offboardPeople,
    sync: async () => (await import('./sync.ts')).syncPeople,
  },
});
