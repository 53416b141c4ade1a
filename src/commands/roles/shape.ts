import type { Shape } from '../../render/output.ts';

/** How roles are listed. The contract does not show their fields; the public service gives bare names. */
export const roleShape: Shape = {
  noun: ['role', 'roles'],
  columns: [{ field: 'name', header: 'Name' }],
};
