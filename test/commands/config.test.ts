import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';

const token = 'token-of-ana-1234567890';
const urls = '--identity-url https://identity.chain.example --base-url https://api.chain.example';

const addChain = (folder: string) =>
  cli(`profiles add chain ${urls} --token-file - --insecure-storage`, { folder, stdin: token });
const stored = (folder: string) => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));

describe('config set', () => {
  test('creates and activates a profile if there is none', async ({ folder }) => {
    expect(await cli('config set timeout 30', { folder })).toEqual(
      ended(0, 'Set timeout to 30 in profile default, which was created and is now active.\n'),
    );
    expect(stored(folder)).toEqual({
      version: 1,
      active_profile: 'default',
      profiles: { default: { defaults: { timeout: 30 } } },
    });
    expect((await cli('config set timeout 31', { folder })).stderr).toBe(
      'Set timeout to 31 in profile default.\n',
    );
  });

  test.for([{ by: 'by a variable', flags: '', env: { INNCTL_PROFILE: 'inn' } }])(
    'stores in the profile named $by',
    async ({ flags, env }, { folder }) => {
      await addChain(folder);
      await cli(`profiles add inn ${urls} --token-file - --insecure-storage`, { folder, stdin: token });

      await cli(`config set ca_file roots.pem ${flags}`, { folder, env });

      expect(stored(folder).profiles.inn.ca_file).toBe(resolve('roots.pem'));
      expect(stored(folder).active_profile).toBe('chain');
    },
  );

  test('stores defaults for the sandbox, but no URL', async ({ folder }) => {
    const timeout = await cli('config set timeout 9 --sandbox', { folder });
    const url = await cli('config set base_url https://api.chain.example --sandbox', { folder });

    expect([timeout.exitCode, url.exitCode]).toEqual([0, 2]);
    expect(stored(folder)).toEqual({ version: 1, profiles: { sandbox: { defaults: { timeout: 9 } } } });
  });

  test.for([
    [
      'timeout',
      { defaults: { timeout: 'soon' } },
      'defaults.timeout: "soon" is not a number of seconds',
      '30',
    ],
  ] as const)(
    'replaces an invalid %s that makes every other command fail',
    async ([key, inn, sentence, value], { folder }) => {
      const broken = { active_profile: 'inn', profiles: { inn } };
      writeFileSync(join(folder, 'config.json'), JSON.stringify(broken));

      const before = await cli('config list', { folder });
      const repair = await cli(`config set ${key} ${value}`, { folder });
      const after = await cli(`config get ${key}`, { folder });

      expect(before.stderr).toContain(`config.json: profiles.inn.${sentence}`);
      expect([before.exitCode, repair.exitCode, after]).toEqual([
        2,
        0,
        { exitCode: 0, stdout: `${value}\n`, stderr: '' },
      ]);
    },
  );

  test.for([
    ['timeout soon', 'timeout: "soon" is not a number of seconds above 0 and up to 86400'],
    ['timeuot 5', 'There is no setting "timeuot". There are: profile, '],
    [`token ${token}`, 'hint: innctl login, or set INNCTL_TOKEN'],
    ['profile inn', 'hint: innctl profiles use <name>, or set INNCTL_PROFILE'],
    [
      'base_url http://api.chain.example',
      'base_url: http to api.chain.example would send credentials unencrypted',
    ],
  ])('rejects %s', async ([words, sentence = ''], { folder }) => {
    const { exitCode, stdout, stderr } = await cli(`config set ${words}`, { folder });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain(token);
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });
});

describe('guards', () => {
  test.for([
    ['protect "BER, LIVE-*"', 'protect', ['BER', 'LIVE-*'], 'BER,LIVE-*'],
    [
      'freeze 2026-12-24,2026-12-31/2027-01-06',
      'freeze',
      ['2026-12-24', '2026-12-31..2027-01-06'],
      '2026-12-24,2026-12-31..2027-01-06',
    ],
  ] as const)(
    'config set %s, in a profile and in the sandbox',
    async ([words, key, value, text], { folder }) => {
      const inProfile = await cli(`config set ${words}`, { folder });
      const inSandbox = await cli(`config set ${words} --sandbox --json`, { folder });
      const shown = await cli(`config get ${key}`, { folder });

      const limit = key === 'protect' ? ' People can still be given a protected property.' : '';
      expect(inProfile.stderr).toBe(
        `Set ${key} to ${text} in profile default, which was created and is now active.${limit}\n`,
      );
      expect(JSON.parse(inSandbox.stdout)).toEqual({ profile: 'sandbox', key, value });
      expect(shown).toEqual(printed(`${text}\n`));
      expect(stored(folder).profiles).toEqual({ default: { [key]: value }, sandbox: { [key]: value } });

      await cli(`config unset ${key}`, { folder });
      await cli(`config unset ${key} --sandbox`, { folder });
      expect(stored(folder).profiles).toEqual({ default: {}, sandbox: {} });
    },
  );
});

describe('config unset', () => {
  test('removes a value, and succeeds if it is not set', async ({ folder }) => {
    await cli('config set timeout 30', { folder });
    const removed = { exitCode: 0, stdout: '', stderr: 'timeout is no longer set in profile default.\n' };

    expect(await cli('config unset timeout', { folder })).toEqual(removed);
    expect(await cli('config unset timeout', { folder })).toEqual(removed);
    expect(stored(folder).profiles).toEqual({ default: { defaults: {} } });
  });
});

describe('config get', () => {
  test('prints the effective value', async ({ folder }) => {
    await addChain(folder);

    expect(await cli('config get base_url', { folder })).toEqual(printed('https://api.chain.example\n'));
    expect(await cli('config get max_attempts --max-attempts 2 --json', { folder })).toEqual(
      printed('{"key":"max_attempts","value":2}\n'),
    );
  });

  test('exits with 1 if there is no value', async ({ folder }) => {
    expect(await cli('config get scope', { folder })).toEqual(
      ended(
        1,
        'error: scope is not set, and it has no default.\nhint: To see what is set: innctl config list\n',
      ),
    );
  });

  test('does not print a secret', async ({ folder }) => {
    const { exitCode, stdout } = await cli('config get token', { folder, env: { INNCTL_TOKEN: token } });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});

test('config list shows effective values and their sources, with secrets hidden', async ({ folder }) => {
  await addChain(folder);

  const { stdout } = await cli('config list --timeout 5', {
    folder,
    env: { INNCTL_TOKEN: token, INNCTL_MAX_BODY: '2' },
  });

  expect(stdout).toBe(
    [
      'profile\tchain\tprofiles use',
      `config_dir\t${folder}\tINNCTL_CONFIG_DIR`,
      'identity_url\thttps://identity.chain.example\tprofile chain',
      'base_url\thttps://api.chain.example\tprofile chain',
      'dialect\tcontract\tprofile chain',
      'auth\ttoken\tprofile chain',
      'token\t(hidden)\tINNCTL_TOKEN',
      'idempotency_header\tIdempotency-Key\tdefault',
      'safety\tnone\tdefault',
      'timeout\t5\tflag --timeout',
      'max_attempts\t5\tdefault',
      'max_body\t2\tINNCTL_MAX_BODY',
      'insecure_http\tfalse\tdefault',
      'no_input\tfalse\tdefault',
      'complete_emails\tfalse\tdefault',
      '',
    ].join('\n'),
  );
});

test('config path prints the file, whether it exists or not', async ({ folder }) => {
  const expected = { exitCode: 0, stdout: `${join(folder, 'config.json')}\n`, stderr: '' };

  expect(await cli('config path', { folder })).toEqual(expected);
  await addChain(folder);
  expect(await cli('config path', { folder })).toEqual(expected);
});
