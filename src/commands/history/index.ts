import { withAccessFlags } from '../../change/flags.ts';
import type { Context } from '../../model/ports.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { withSession } from '../../session/session.ts';
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

/** `undo <id>`: turn round what a run or a request did, as far as the journal of this machine knows it. */
export function undoCommand(context: Context) {
  const examples = [
    'undo 1cdd022e --dry-run',
    'undo 5f70a1b2c3d4 --yes --json',
    'undo 1cdd022e --confirm HAM',
  ];
  const command = serviceCommand('undo', 'destroys', examples)
    .exitsWith('ambiguous', 'partlyDone')
    .summary('undo a run or a request')
    .description(
      'Undo what a run or a request of this machine did: delete what it created, create again what it deleted, and change back what it changed. What was changed since is a conflict, and stays. What does not come back is said before anything is sent.',
    )
    .argument('<id>', 'id of a run or a request, or at least its first 6 characters');
  return withAccessFlags(command, 'confirm deleting or disabling: repeat the id, name or e-mail').action(
    withSession(context, async (session, reference, flags) => {
      const { undo } = await import('./undo.ts');
      await undo(session, reference, flags);
    }),
  );
}
