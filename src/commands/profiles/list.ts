import { Command } from '@commander-js/extra-typings';
import type { ConfigDocument } from '../../config/document.ts';
import { profileNames } from '../../config/select-profile.ts';
import type { Context } from '../../context.ts';
import type { Page } from '../../records.ts';
import { withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { profileRecord, profileShape } from './shape.ts';

/** `profiles list`: all profiles; the sandbox is always among them. */
export function listProfiles(context: Context) {
  return new Command('list')
    .alias('ls')
    .summary('list profiles')
    .description('List all profiles. The sandbox is always there.')
    .addHelpText('after', examples('profiles list', 'profiles list --json'))
    .action(withLocalSession(context, async ({ config, out }) => out.records(profileShape, pageOf(config))));
}

async function* pageOf(config: ConfigDocument): AsyncIterable<Page> {
  const items = profileNames(config).map((name) => profileRecord(config, name));
  yield { items, total: items.length, truncated: false };
}
