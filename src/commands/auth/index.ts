import { groupOf } from '../options.ts';

/** `auth ...`: show and test credentials. */
export const authCommands = groupOf({
  names: 'auth',
  summary: 'show login status and tokens',
  description: 'Show login status, and print tokens for other programs. To log in, use innctl login.',
  examples: ['auth status', 'auth status chain --json', 'auth token'],
  verbs: {
    status: async () => (await import('./status.ts')).authStatus,
    token: async () => (await import('./token.ts')).authToken,
  },
});
