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
  others: ['subject', 'client_id', 'account', 'error.code'],
};

/** A moment as all dates are shown; `undefined` for what is no moment. */
export function momentText(ms: number | undefined): string | undefined {
  return ms !== undefined && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined;
}
