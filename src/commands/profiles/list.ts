import { localCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { type ConfigDocument, storedProfile, storedValue } from '../../config/file.ts';
import { isBuiltIn, profileNames } from '../../config/resolve.ts';
import { settings } from '../../config/settings.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';

/** `profiles list`: all profiles, including the sandbox. */
export function listProfiles(context: Context) {
  return localCommand('list ls', 'reads', ['profiles list', 'profiles list --json'])
    .summary('list profiles')
    .description('List all profiles, including the built-in sandbox.')
    .action(
      withLocalSession(context, async ({ config, out }) => {
        const items = profileNames(config).map((name) => profileRecord(config, name));
        await out.records(profileShape, onePage(items));
      }),
    );
}

const guards = [
  { field: 'protect', header: 'Protected' },
  { field: 'freeze', header: 'Frozen' },
];

/** How profiles are listed. */
export const profileShape: Shape = {
  noun: ['profile', 'profiles'],
  columns: columnsOf('name active identity_url base_url dialect auth safety protect freeze', guards),
  table: columnsOf('name active base_url auth dialect safety protect freeze identity_url', [
    ...guards,
    { field: 'active', header: 'Active', tones: { yes: 'good' } },
    { field: 'base_url', header: 'Base URL', isCutLast: true },
  ]),
  essential: 3,
};

/** A profile from the settings file; only known settings, so that nothing else is shown. */
export function profileRecord(document: ConfigDocument, name: string): ServiceRecord {
  const profile = storedProfile(document, name) ?? {};
  const known = settings
    .filter((setting) => !isBuiltIn(setting, name))
    .map((setting) => [setting.key, storedValue(profile, setting)] as const);
  return {
    name,
    active: document.active_profile === name,
    dialect: 'contract',
    ...Object.fromEntries(known.filter(([, value]) => value !== undefined)),
  };
}
