import type { Shape } from '../../render/output.ts';

const tones = new Map([
  ['create', 'hint'],
  ['change', 'warning'],
  ['delete', 'error'],
  ['conflict', 'error'],
  ['cannot tell', 'error'],
  ['cannot change', 'warning'],
  ['cannot compare', 'warning'],
] as const);

/** How the rows of a plan are listed. */
export const planShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'action', header: 'Action', format: 'words', tones },
    { field: 'kind', header: 'Kind' },
    { field: 'name', header: 'Name' },
    { field: 'what', header: 'What', format: 'lines' },
    { field: 'place', header: 'Place' },
  ],
  id: 'name',
  others: [
    'id',
    'file',
    'line',
    'file_row',
    'changes',
    'patch',
    'body',
    'unread',
    'changed_in_file',
    'cannot_change',
    'reason',
    'error.message',
    'error.code',
    'error.request_id',
    'seen',
    'gives_full_access',
    'added',
    'removed',
    'removed_roles',
  ],
};
