import { InvalidArgumentError } from '@commander-js/extra-typings';
import { localCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalChange } from '../../cli/session.ts';
import { sandboxFolder } from '../../config/file.ts';
import { SANDBOX } from '../../config/urls.ts';
import { parseDuration } from '../../model/dates.ts';
import { didYouMean, nearestAddress } from '../../model/names.ts';
import { isRecord } from '../../model/records.ts';
import { counted, quote } from '../../model/text.ts';
import { shellLine } from '../../print/text.ts';
import type { Records } from '../../sandbox/records.ts';
import type { Store } from '../../sandbox/store.ts';
import { forgetProfile } from '../remember.ts';

/** `sandbox accept <email>`: what the link in an invitation's mail does, even while the sandbox is being served. */
export function acceptInvitation(context: Context) {
  return localCommand('accept', 'writes', ['sandbox accept jonas.keller@aurora.example'])
    .exitsWith('notFound', 'refused', 'unavailable')
    .summary('accept an invitation, as the link in its mail does')
    .description(
      'Accept an invitation in the sandbox, as the link in its mail does: the person becomes an enabled user.',
    )
    .argument('<email>', 'invited e-mail address')
    .action(
      withLocalChange(context, async (session, email) => {
        const { acceptInvitation: accept } = await import('../../sandbox/rehearsal.ts');
        const now = context.clock.now();
        await withState(session, async (store) => {
          const { status, body } = await store.write((records) => accept(email, now, records));
          const facts = isRecord(body) ? body : {};
          if (status === 410) throw expired(email, String(facts['created']));
          if (status === 404) throw notInvited(email, store.read().records);
          await session.out.done(`${email} accepted the invitation, and is a user now.`, {
            ...facts,
            accepted: true,
          });
        });
      }),
    );
}

/** `sandbox advance <duration>`: lets time pass, even while the sandbox is being served. */
export function advanceTime(context: Context) {
  return localCommand('advance', 'writes', ['sandbox advance 31d', 'sandbox advance 12h'])
    .exitsWith('unavailable')
    .summary('let time pass, so that invitations expire')
    .description(
      'Let time pass in the sandbox: all of its records become older. Invitations expire after 30 days, and stay listed.',
    )
    .argument('<duration>', 'hours, days or weeks: 12h, 30d, 2w', durationArgument)
    .action(
      withLocalChange(context, async (session, { typed, ms }) => {
        const { expiredInvitations, passTime } = await import('../../sandbox/rehearsal.ts');
        await withState(session, async (store) => {
          await store.write((records) => passTime(ms, records));
          const { records } = store.read();
          const expired = expiredInvitations(records, context.clock.now());
          const all = counted(records.invitations.size, 'invitation');
          const sentence = `Advanced the sandbox by ${typed}: ${expired} of ${all} have expired.`;
          await session.out.done(sentence, {
            advanced: typed,
            invitations: records.invitations.size,
            expired,
          });
        });
      }),
    );
}

function durationArgument(typed: string) {
  const ms = parseDuration(typed);
  if (ms === undefined) throw new InvalidArgumentError('It must be like 12h, 30d or 2w.');
  return { typed, ms };
}

/** Works on the state of the sandbox, which other processes may be serving. */
async function withState(session: LocalSession, work: (store: Store) => Promise<void>): Promise<void> {
  const { openStore } = await import('../../sandbox/store.ts');
  const { clock } = session.context;
  const store = await openStore({ folder: sandboxFolder(session.folders), seed: 'small', now: clock.now });
  try {
    await work(store);
  } finally {
    await store.close();
  }
  forgetProfile(session.folders, SANDBOX);
}

function notInvited(email: string, { invitations }: Records): CliError {
  const listed = [...invitations.values()].map((invitation) => invitation.email);
  const near = nearestAddress(email, listed);
  return new CliError('not_found', `There is no invitation to ${quote(email)} in the sandbox.`, {
    exitCode: ExitCode.notFound,
    hint: didYouMean(near) ?? 'innctl --sandbox invitations list',
  });
}

function expired(email: string, created: string): CliError {
  return new CliError(
    'expired',
    `The invitation to ${quote(email)} of ${created.slice(0, 10)} has expired: its link was valid for 30 days.`,
    { exitCode: ExitCode.refused, hint: shellLine(['innctl', '--sandbox', 'invitations', 'resend', email]) },
  );
}
