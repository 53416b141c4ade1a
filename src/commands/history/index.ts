import { DescribedCommand, localCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { onePage } from '../../model/records.ts';

/** `history ...`: every write, from the journals on this machine. */
export function historyCommands(context: Context) {
  return new DescribedCommand('history', {
    examples: ['history', 'history --since 7d --property BER', 'history show 5f70a1b2c3d4'],
  })
    .summary('list and show what was written')
    .description(
      'List and show every write that innctl sent, from the journals on this machine. `innctl history` is short for `innctl history list`.',
    )
    .addCommand(listHistory(context))
    .addCommand(showRequest(context));
}

/** `history list`: the writes in the journals on this machine, newest first. */
function listHistory(context: Context) {
  return localCommand('list ls', 'reads', [
    'history list --since 7d',
    'history list --user ben@example.com --json',
    'history list --property BER --kind unit --since 2026-11-01',
  ])
    .exitsWith('notFound', 'ambiguous')
    .summary('list writes, newest first')
    .description(
      'List the writes in the journals on this machine, newest first: when, by which command, of which record, and how each ended.',
    )
    .option('--since <time>', 'only the last 7d, 12h or 30m, or from a date on: 2026-11-01 (UTC)')
    .option('--user <id|e-mail>', 'only of this user, and of invitations to this address')
    .option('--property <id>', 'only of this property, of what is in it, and of people who gained or lost it')
    .option('--kind <kind>', 'only property, invitation, user, unit_attribute, unit_group or unit')
    .option('--run <run-id>', 'only of this run')
    .action(
      withLocalSession(context, async (session, { run, ...flags }) => {
        const { allRuns, entriesOf, entryShape, filterOf, requestsOf, theRun } = await import('./entries.ts');
        const isWanted = filterOf(flags, session.context.clock.now());
        const runs = run === undefined ? await allRuns(session) : [await theRun(session, run)];
        const entries = requestsOf(runs).flatMap(entriesOf).filter(isWanted);
        await session.out.records(entryShape, onePage(entries));
      }),
    );
}

/** `history show <request-id>`: the records of one request, before and after. */
function showRequest(context: Context) {
  return localCommand('show get', 'reads', ['history show 5f70a1b2c3d4', 'history show 5f70a1 --json'])
    .exitsWith('notFound', 'ambiguous')
    .summary('show what a request did')
    .description('Show the records that a request wrote, before and after.')
    .argument('<request-id>', 'id of the request in the list, or at least its first 6 characters')
    .action(
      withLocalSession(context, async (session, reference) => {
        const { entriesOf, entryShape, outlineOf, theRequest, titleOf } = await import('./entries.ts');
        const sent = await theRequest(session, reference);
        await session.out.note(titleOf(sent));
        const entries = entriesOf(sent);
        await session.out.records(entryShape, onePage(entries), {}, outlineOf(entries));
      }),
    );
}
