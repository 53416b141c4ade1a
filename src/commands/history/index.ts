import { groupOf } from '../options.ts';

/** `history ...`: every write, from the journals on this machine. */
export const historyCommands = groupOf({
  names: 'history',
  summary: 'list and show what was written',
  description:
    'List and show every write that innctl sent, from the journals on this machine. `innctl history` is short for `innctl history list`.',
  examples: ['history', 'history --since 7d --property BER', 'history show 5f70a1b2c3d4'],
  verbs: {
    'list ls': async () => (await import('./writes.ts')).listHistory,
    'show get': async () => (await import('./writes.ts')).showRequest,
  },
});
