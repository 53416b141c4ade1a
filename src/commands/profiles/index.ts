import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type Verb, withVerbs } from '../options.ts';

/** In the order of help. */
const verbs: readonly Verb[] = [
  { names: ['list', 'ls'], build: async (context) => (await import('./list.ts')).listProfiles(context) },
  { names: ['add', 'new'], build: async (context) => (await import('./add.ts')).addProfile(context) },
  { names: ['use'], build: async (context) => (await import('./use.ts')).useProfile(context) },
  { names: ['show', 'get'], build: async (context) => (await import('./show.ts')).showProfile(context) },
  { names: ['remove', 'rm'], build: async (context) => (await import('./remove.ts')).removeProfile(context) },
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
