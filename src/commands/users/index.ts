import { groupOf } from '../options.ts';

/** `users ...`: manage users. */
export const usersCommands = groupOf({
  names: 'users user',
  summary: 'manage users',
  description: 'Manage the users of the account.',
  examples: ['users list', 'users get ana@example.com', 'users update ana@example.com --add-properties BER'],
  verbs: {
    'list ls': async () => (await import('./list.ts')).listUsers,
    'get show': async () => (await import('./get.ts')).getUser,
    me: async () => (await import('./get.ts')).getCurrentUser,
    update: async () => (await import('./update.ts')).updateUser,
    grant: async () => (await import('./grant.ts')).grantProperties,
    revoke: async () => (await import('./grant.ts')).revokeProperties,
    disable: async () => (await import('./grant.ts')).disableUser,
    enable: async () => (await import('./grant.ts')).enableUser,
  },
});
