import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import { withEvidenceFlags } from '../evidence/flags.ts';
import { withRunFlags } from '../plan/flags.ts';

/** `people onboard [email...]`: invite people who join, or give them access if they have a user. */
export function onboardPeople(context: Context) {
  const command = serviceCommand('onboard', 'writes', [
    'people onboard mia@example.com --role Housekeeping --properties BER,VIE',
    'people onboard mia@example.com --like anna@example.com --at BER',
    'people onboard --file joiners.csv --yes',
  ])
    .exitsWith('ambiguous', 'partlyDone')
    .summary('give access to people who join')
    .description('Invite people who join, or enable their user and add properties to it.')
    .argument('[email...]', 'full e-mail address')
    .option('--role <names>', 'role, or in dialect apaleo roles: FrontDesk,Auditor', collectList)
    .option('--properties <ids>', 'properties: BER,VIE', collectList)
    .option('--property <ids>', 'same as --properties', collectList)
    .option('--like <email>', 'roles and properties of a colleague, not full access')
    .option('--at <ids>', 'of --like, only these properties: BER', collectList)
    .option('--file <path>', 'people from a file: email, role, properties or like');
  return withRunFlags(withEvidenceFlags(command)).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      const { onboard } = await import('./onboard-run.ts');
      await onboard(session, { references, file }, flags);
    }),
  );
}
