import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  ['list ls', async () => (await import('./list.ts')).listProfiles],
  ['add new', async () => (await import('./add.ts')).addProfile],
  ['use', async () => (await import('./use.ts')).useProfile],
  ['show get', async () => (await import('./show.ts')).showProfile],
  ['remove rm', async () => (await import('./remove.ts')).removeProfile],
];

/** `profiles ...`: manage services, credentials and settings. */
export function profilesCommands(context: Context, verb: string | undefined) {
  const group = new DescribedCommand('profiles', {
    examples: ['profiles add chain', 'profiles use chain', 'profiles list'],
  })
    .alias('profile')
    .summary('manage profiles')
    .description('Manage profiles: named services with their credentials and settings.');
  return withVerbs(group, verbs, context, verb);
}
