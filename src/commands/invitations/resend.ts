import { withRunFlags } from '../../change/flags.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';

/**
 * `invitations resend [email...]`: withdraw invitations, and invite again with the same content.
 *
 * DELETE and POST /api/v1/invitations: no operation sends a mail again.
 */
export function resendInvitations(context: Context) {
  const command = serviceCommand('resend', 'destroys', [
    'invitations resend paul@example.com',
    'invitations resend paul@example.com mia@example.com --yes',
    'invitations resend --file people.csv --dry-run',
  ])
    .exitsWith('partlyDone')
    .summary('send invitations again')
    .description(
      'Withdraw invitations and invite again with the same content: a new mail, with a new link. The content is kept in the ' +
        'journal until then: run the same command again to finish an interrupted run.',
    )
    .argument('[email...]', 'invited e-mail address')
    .option(
      '--file <path>',
      'people from a file with a column email (.csv, .xlsx, .yaml, .json, .ndjson); - for stdin',
    );
  return withRunFlags(command).action(
    withSession(context, async (session, references, { file, ...flags }) => {
      const { resend } = await import('./resend-run.ts');
      await resend(session, { references, file }, flags);
    }),
  );
}
