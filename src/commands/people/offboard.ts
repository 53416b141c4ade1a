import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { withEvidenceFlags } from '../evidence/flags.ts';
import { collect } from '../options.ts';
import { allowLockoutFlag, withRunFlags } from '../plan/flags.ts';

/** `people offboard [email...]`: disable people, and withdraw their invitations. */
export function offboardPeople(context: Context) {
  const command = serviceCommand('offboard', 'destroys', [
    'people offboard hanna@example.com',
    'people offboard hanna@example.com --evidence evidence/',
    'people offboard --file leavers.csv --yes --max-deletes 20',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('take all access away from people who leave')
    .description(
      'Disable people, take the account admin flag away from them, and withdraw their pending invitations. Run the same ' +
        'command again to finish an interrupted run.',
    )
    .argument('[email...]', 'full e-mail address, or subject id')
    .option('--file <path>', 'people from a file with a column email')
    .option('--strip', 'also take all properties away, and their roles');
  const flagged = withEvidenceFlags(command)
    .option('--confirm <email>', 'confirm disabling: repeat the e-mail address', collect)
    .option(...allowLockoutFlag);
  return withRunFlags(flagged).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      const { offboard } = await import('./offboard-run.ts');
      await offboard(session, { references, file }, flags);
    }),
  );
}
