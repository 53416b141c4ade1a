import { groupOf } from '../options.ts';

/** `people ...`: leavers and joiners. */
export const peopleCommands = groupOf({
  names: 'people person',
  summary: 'manage leavers and joiners',
  description: 'Take all access away from people who leave.',
  examples: ['people offboard hanna@example.com', 'people offboard --file leavers.csv --dry-run'],
  verbs: {
    offboard: async () => (await import('./offboard.ts')).offboardPeople,
  },
});
