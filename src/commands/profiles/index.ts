import { groupOf } from '../options.ts';

/** `profiles ...`: manage services, credentials and settings. */
export const profilesCommands = groupOf({
  names: 'profiles profile',
  summary: 'manage profiles',
  description: 'Manage profiles: named services with their credentials and settings.',
  examples: ['profiles add chain', 'profiles use chain', 'profiles list'],
  verbs: {
    'list ls': async () => (await import('./list.ts')).listProfiles,
    'add new': async () => (await import('./add.ts')).addProfile,
    use: async () => (await import('./use.ts')).useProfile,
    'show get': async () => (await import('./show.ts')).showProfile,
    'remove rm': async () => (await import('./remove.ts')).removeProfile,
  },
});
