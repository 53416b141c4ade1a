import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withSession } from '../../cli/session.ts';
import type { ManifestCommand } from '../../seed/journal-line.ts';
import { type ApplyFlags, allowLockoutFlag, withApplyFlags } from './flags.ts';

/**
 * `apply <files...>`: create and update records from manifests.
 *
 * Reads the service, shows the plan, asks for consent and carries it out: properties first, then people. The same
 * command continues an interrupted run.
 */
export function applyCommand(context: Context) {
  const command = new DescribedCommand('apply', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: [
      'apply hotels.yaml',
      'apply hotels/ people.csv --dry-run',
      'apply hotels.csv --yes --max-changes 50 --failed-out failed.csv',
      'apply leavers.csv --yes --max-deletes 20',
      'apply hotels/ --plan plan.json --yes --run-id "$GITHUB_RUN_ID"',
    ],
  })
    .summary('apply manifests to the service')
    .description(
      'Create and update properties, invitations and user access from manifests. Run the same command again to ' +
        'continue an interrupted run; nothing is created twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'manifests, or folders; - for stdin')
    .option(
      '--plan <path>',
      'apply only this saved plan (innctl plan --json), and fail if anything has changed',
    )
    .option(...allowLockoutFlag);
  return withApplyFlags(command).action(running(context, 'apply'));
}

/** `properties import <files...>`: `apply` for properties alone, whose entries need no kind. */
export function importProperties(context: Context) {
  const command = new DescribedCommand('import', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: ['properties import hotels.csv', 'properties import hotels/ --yes --failed-out failed.csv'],
  })
    .summary('create and update properties from files')
    .description(
      'Create and update properties from YAML, JSON, NDJSON, CSV or Excel files. Run the same command again to continue an ' +
        'interrupted run; nothing is created twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'files of properties, or folders; - for stdin');
  return withApplyFlags(command).action(running(context, 'properties import'));
}

/** `invitations import <files...>`: `apply` for invitations alone, whose entries need no kind. */
export function importInvitations(context: Context) {
  const command = new DescribedCommand('import', {
    effect: 'destroys',
    on: 'service',
    exits: ['partlyDone'],
    examples: ['invitations import people.csv', 'invite import people.yaml --yes --failed-out failed.csv'],
  })
    .summary('create invitations from files')
    .description(
      'Create invitations from YAML, JSON, NDJSON, CSV or Excel files. Run the same command again to continue an ' +
        'interrupted run; no invitation is sent twice. With --dry-run, prints the plan and sends nothing.',
    )
    .argument('<files...>', 'files of invitations, or folders; - for stdin');
  return withApplyFlags(command).action(running(context, 'invitations import'));
}

function running(context: Context, command: ManifestCommand) {
  return withSession(context, async (session, files: readonly string[], flags: ApplyFlags) => {
    const { runApply } = await import('./run.ts');
    await runApply(session, files, command, flags);
  });
}
