import { groupOf } from '../options.ts';

/** `runs ...`: what runs did, from their journals. */
export const runsCommands = groupOf({
  names: 'runs run',
  summary: 'list and show runs',
  description:
    'List and show runs: what each command line sent, from the journals on this machine. The command of an incomplete run, ' +
    'typed again, continues it.',
  examples: ['runs list', 'runs show 1cdd022e'],
  verbs: {
    'list ls': async () => (await import('./runs.ts')).listRuns,
    'show get': async () => (await import('./runs.ts')).showRun,
  },
});
