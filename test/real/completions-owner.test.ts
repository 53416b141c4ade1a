import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/ports.ts';
import { keepList } from '../../src/commands/remember.ts';
import { readConfig } from '../../src/config/file.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import type { Home } from '../bin/home.ts';
import { openHomeWith, type ShellName, typed, valuesAt } from './shells.ts';

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];
const owners = ['chain', 'inn', 'sandbox', '_environment'];

/** The existing values of each. */
const cachedValues = Object.fromEntries(owners.map((owner) => [`by-profile/${owner}/properties`, 'BEL\t\n']));

const base = { INNCTL_BASE_URL: 'https://api.example.com' };
const empty = { INNCTL_BASE_URL: '', INNCTL_IDENTITY_URL: '' };
const identity = { INNCTL_IDENTITY_URL: 'https://identity.example.com' };

/** Settings that select a service, and the owner of its completion values. */
interface Row {
  readonly flag?: '-p inn' | '-p sandbox' | '-p _environment' | '--sandbox';
  /** INNCTL_PROFILE. */
  readonly named?: string;
  /** The argument of `profiles use`. */
  readonly active?: string;
  readonly urls?: Readonly<Record<string, string>>;
  readonly owner: string | undefined;
}

const table: readonly Row[] = [
  { owner: undefined },
  { urls: base, owner: '_environment' },
  { active: 'chain', owner: 'chain' },
  { active: 'chain', urls: empty, owner: 'chain' },
  { active: 'chain', urls: base, owner: '_environment' },
  { active: 'chain', urls: identity, owner: '_environment' },
  { active: 'sandbox', owner: 'sandbox' },
  { active: 'sandbox', urls: base, owner: 'sandbox' },
  { named: '', active: 'sandbox', urls: base, owner: 'sandbox' },
  { active: '_environment', owner: undefined },
  { active: '_environment', urls: base, owner: '_environment' },
  { named: 'inn', active: 'chain', owner: 'inn' },
  { named: 'inn', active: 'chain', urls: base, owner: '_environment' },
  { named: 'inn', active: 'sandbox', urls: base, owner: '_environment' },
  { named: 'sandbox', active: 'chain', owner: 'sandbox' },
  { named: 'sandbox', active: 'chain', urls: identity, owner: 'sandbox' },
  { named: '!', active: 'chain', owner: undefined },
  { named: '!', active: 'chain', urls: base, owner: '_environment' },
  { named: '_environment', active: 'chain', owner: undefined },
  { flag: '-p inn', named: 'chain', active: 'sandbox', urls: base, owner: 'inn' },
  { flag: '-p inn', named: 'sandbox', active: 'chain', owner: 'inn' },
  { flag: '-p sandbox', named: 'inn', active: 'chain', urls: identity, owner: 'sandbox' },
  { flag: '-p _environment', active: 'chain', urls: base, owner: undefined },
  { flag: '--sandbox', named: 'inn', active: 'chain', urls: base, owner: 'sandbox' },
];

/** Lists BER. @returns the owners that then have it. */
async function keepFor(home: Home, { flag, active }: Row, env: Readonly<Record<string, string>>) {
  const folders = {
    config: join(home.folder, '.config/innctl'),
    state: join(home.folder, '.local/state/innctl'),
  };
  // config.json may have profiles with invalid names.
  const profiles = { chain: {}, inn: {}, _environment: {}, '!': {} };
  await mkdir(folders.config, { recursive: true });
  await writeFile(join(folders.config, 'config.json'), JSON.stringify({ profiles, active_profile: active }));
  const profile = flag?.replace(/^-p |^--/, '');
  const settings = () => resolveSettings({ flags: { profile }, env, document: readConfig(folders.config) });
  // keepList uses only the redactor of the context.
  const context = { redactor: { text: (text: string) => text } } as Context;
  keepList('properties', [{ value: 'BER', description: '' }], true, { context, folders, settings });
  return owners.filter(
    (owner) => readFileSync(valuesAt(home, `by-profile/${owner}/properties`), 'utf8') === 'BER\t\n',
  );
}

test.each(table)('a list stores and completion offers the values of the same owner: %j', async (row) => {
  await using home = await openHomeWith(cachedValues);
  const env = { ...row.urls, ...(row.named === undefined ? {} : { INNCTL_PROFILE: row.named }) };
  const line = `innctl ${row.flag === undefined ? '' : `${row.flag} `}properties get B`;

  const kept = await keepFor(home, row, env);
  const shown: string[] = [];
  for (const shell of shells) {
    const [offered] = await typed(shell, home, [`${line}\t`], { env });
    shown.push(offered?.line ?? '');
  }

  const isKept = row.owner !== undefined;
  expect(kept).toEqual(isKept ? [row.owner] : []);
  expect(shown).toEqual(shells.map(() => (isKept ? `${line}ER ` : line)));
});
