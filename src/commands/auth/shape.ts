import type { Shape } from '../../render/output.ts';

/** How credentials are listed. */
export const credentialShape: Shape = {
  noun: ['credential', 'credentials'],
  columns: [
    { field: 'profile', header: 'Profile' },
    {
      field: 'valid',
      header: 'Valid',
      tones: new Map([
        ['no', 'error'],
        ['unknown', 'warning'],
      ]),
    },
    { field: 'who', header: 'Who' },
    { field: 'method', header: 'Method' },
    { field: 'stored', header: 'Stored' },
    { field: 'expires_at', header: 'Expires', format: 'date' },
    { field: 'scopes', header: 'Scopes' },
    { field: 'identity_url', header: 'Identity URL' },
    { field: 'base_url', header: 'Base URL' },
    { field: 'error.message', header: 'Problem' },
    { field: 'error.hint', header: 'Hint' },
  ],
  others: ['subject', 'client_id', 'account', 'error.code', 'error.status', 'error.request_id'],
};
