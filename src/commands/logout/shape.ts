import type { Shape } from '../../render/output.ts';

/** How the profiles that were logged out are listed. */
export const logoutShape: Shape = {
  noun: ['login', 'logins'],
  columns: [
    { field: 'profile', header: 'Profile' },
    { field: 'logged_out', header: 'Logged out' },
    { field: 'revoked', header: 'Revoked' },
    { field: 'problem', header: 'Problem' },
  ],
  others: ['request_id'],
  ofWrites: true,
};
