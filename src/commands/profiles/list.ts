import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { profileNames } from '../../config/resolve.ts';
import { onePage } from '../../model/records.ts';
import { rememberProfiles } from '../remember.ts';
import { profileRecord, profileShape } from './shape.ts';

/** `profiles list`: all profiles; the sandbox is always among them. */
export function listProfiles(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['profiles list', 'profiles list --json'],
  })
    .alias('ls')
    .summary('list profiles')
    .description('List all profiles, including the built-in sandbox.')
    .action(
      withLocalSession(context, async ({ config, folders, out }) => {
        const items = profileNames(config).map((name) => profileRecord(config, name));
        await out.records(profileShape, onePage(items));
        rememberProfiles(folders);
      }),
    );
}
