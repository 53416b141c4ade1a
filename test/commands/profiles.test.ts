import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';

const urls = '--identity-url https://identity.chain.example --base-url https://api.chain.example/v2/';
const token = 'token-of-ana-1234567890';

const kept = 'The token is kept unencrypted in credentials.json.';

const addChain = (folder: string) =>
  cli(`profiles add chain ${urls} --token-file - --insecure-storage`, { folder, stdin: `${token}\n` });
const stored = (folder: string, name = 'config.json') => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const chain = {
  identity_url: 'https://identity.chain.example',
  base_url: 'https://api.chain.example/v2',
  dialect: 'contract',
  auth: 'token',
};

describe('profiles add', () => {
  test('stores settings and secret in separate files, and activates the first profile', async ({
    folder,
  }) => {
    expect(await addChain(folder)).toEqual(ended(0, `Added profile chain, which is active now. ${kept}\n`));
    expect(stored(folder)).toEqual({ version: 1, profiles: { chain }, active_profile: 'chain' });
    expect(stored(folder, 'credentials.json')).toEqual({
      version: 1,
      profiles: {
        chain: { origins: ['https://identity.chain.example', 'https://api.chain.example'], token },
      },
    });
  });

  test('does not change an active profile that has only guards, and other commands report its missing URLs', async ({
    folder,
  }) => {
    await cli('config set safety no-delete', { folder });

    expect((await addChain(folder)).stderr).toBe(
      `Added profile chain. ${kept} Not active: innctl profiles use chain\n`,
    );
    expect(stored(folder)).toMatchObject({
      active_profile: 'default',
      profiles: { default: { safety: 'no-delete' } },
    });
    expect(await cli('properties list', { folder })).toEqual(
      ended(
        2,
        [
          'error: 2 values are not valid:',
          '  identity_url: is missing in profile default: both areas of the service need their URL',
          '  base_url: is missing in profile default: both areas of the service need their URL',
          'hint: innctl login, or use another profile: innctl profiles list',
          '',
        ].join('\n'),
      ),
    );
  });

  test('adds a service to a profile without one, and keeps its settings', async ({ folder }) => {
    await cli('config set safety no-delete', { folder });
    await cli('config set timeout 30', { folder });
    await cli('config set ca_file /etc/roots.pem', { folder });
    const file = JSON.stringify({
      profile: { ...chain, safety: 'none', defaults: { output: 'json' } },
      token,
    });

    expect(await cli('profiles add default --file - --insecure-storage', { folder, stdin: file })).toEqual(
      ended(
        0,
        `Added profile default, which is active now. ${kept} It keeps its guards: safety no-delete.\n`,
      ),
    );
    expect(stored(folder).profiles.default).toEqual({
      ...chain,
      safety: 'no-delete',
      ca_file: '/etc/roots.pem',
      defaults: { timeout: 30, output: 'json' },
    });
  });

  test('accepts client credentials, and derives the token URL from the identity URL', async ({ folder }) => {
    await cli(`profiles add chain ${urls} --client-id chain-cli --client-secret-file - --insecure-storage`, {
      folder,
      stdin: 'of-chain\n',
    });

    expect(stored(folder).profiles.chain).toEqual({
      ...chain,
      auth: 'client-credentials',
      client_id: 'chain-cli',
      token_url: 'https://identity.chain.example/connect/token',
    });
    expect(stored(folder, 'credentials.json').profiles.chain.client_secret).toBe('of-chain');
    const { stdout } = await cli('profiles get chain --json', { folder });
    expect(JSON.parse(stdout)).toMatchObject({ credential: 'client secret', credential_in: 'file' });
  });

  test('stores --ca-file and --insecure-http', async ({ folder }) => {
    const line =
      'profiles add chain --identity-url https://identity.chain.example --base-url https://api.chain.example --token-file - --insecure-storage';
    const added = await cli(`${line} --insecure-http --ca-file /etc/roots.pem`, { folder, stdin: token });

    expect(added.exitCode).toBe(0);
    expect(stored(folder).profiles.chain).toEqual({
      ...chain,
      base_url: 'https://api.chain.example',
      ca_file: '/etc/roots.pem',
      insecure_http: true,
    });
  });

  test('accepts the output of "sandbox serve --json", overridden by flags', async ({ folder }) => {
    const url = 'http://127.0.0.1:8080';
    const document = {
      profile: { identity_url: url, base_url: url, dialect: 'contract', auth: 'token', client_id: 'sandbox' },
      client_secret: 'not-used',
      token,
      url,
      pid: 4711,
    };

    const added = await cli(
      'profiles add local --file - --insecure-storage --base-url http://localhost:8080',
      {
        folder,
        stdin: JSON.stringify(document),
      },
    );

    expect(added.exitCode).toBe(0);
    expect(stored(folder).profiles.local).toEqual({ ...document.profile, base_url: 'http://localhost:8080' });
    expect(stored(folder, 'credentials.json').profiles.local).toEqual({
      origins: [url, 'http://localhost:8080'],
      token,
    });
  });

  test('prompts for missing values', async ({ folder }) => {
    const answers = [
      'not a URL',
      'https://identity.chain.example',
      'https://api.chain.example/v2',
      'two words',
      token,
    ];

    const { exitCode, stderr } = await cli('profiles add chain --insecure-storage', { folder, answers });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Added profile chain, which is active now. ${kept}\n`,
    });
    expect(stored(folder).profiles.chain).toEqual(chain);
    expect(stored(folder, 'credentials.json').profiles.chain.token).toBe(token);
  });

  test('reports all invalid and missing values at once if it cannot prompt', async ({ folder }) => {
    const line =
      'profiles add Chain --base-url ftp://api --auth oauth --client-id x --token-file - --insecure-storage --json';

    const { exitCode, stdout, stderr } = await cli(line, { folder, stdin: 'two words' });

    expect({ exitCode, stdout, details: JSON.parse(stderr).error.details }).toEqual({
      exitCode: 2,
      stdout: '',
      details: [
        { field: 'name', reason: expect.stringContaining('"Chain" is not the name of a profile') },
        { field: '--base-url', reason: 'is not a URL of the form https://host/path' },
        { field: '--auth', reason: '"oauth" is not one of token, client-credentials, user' },
        { field: '--token-file', reason: expect.stringContaining('is not a token') },
        { field: '--identity-url', reason: 'is missing' },
      ],
    });
    expect(stderr).not.toContain('two words');
  });

  test.for([
    [
      'an unused secret',
      `chain ${urls} --auth token --token-file /dev/null --client-secret-file -`,
      '--client-secret-file: is not used with --auth token',
    ],
    [
      'the name of the sandbox',
      `sandbox ${urls} --token-file -`,
      'name: the profile sandbox is built in; choose another name',
    ],
    ['a misspelt field of a file', 'chain --file -', 'stdin: base_ulr: is not a setting of a profile'],
  ] as const)('rejects %s', async ([, words, sentence], { folder }) => {
    const { exitCode, stderr } = await cli(`profiles add ${words}`, {
      folder,
      stdin: '{"profile": {"base_ulr": "x"}}',
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('replaces a profile only with consent', async ({ folder }) => {
    await addChain(folder);
    const again = `profiles add chain ${urls} --token-file - --insecure-storage`;
    const atTerminal = `profiles add chain ${urls} --token-file ${join(folder, 'token.txt')} --insecure-storage`;
    writeFileSync(join(folder, 'token.txt'), 'token-of-ben');

    const withoutTerminal = await cli(again, { folder, stdin: 'token-of-ben' });
    const declined = await cli(atTerminal, { folder, answers: [false] });
    expect([withoutTerminal.exitCode, declined.exitCode]).toEqual([11, 11]);
    expect(stored(folder, 'credentials.json').profiles.chain.token).toBe(token);

    const agreed = await cli(atTerminal, { folder, answers: [true] });
    const consented = await cli(`${again} --yes`, { folder, stdin: 'token-of-ben' });
    expect([agreed.exitCode, consented.exitCode]).toEqual([0, 0]);
    expect(stored(folder, 'credentials.json').profiles.chain.token).toBe('token-of-ben');
  });
});

describe('profiles add --preset', () => {
  const apaleo = {
    identity_url: 'https://identity.apaleo.com',
    base_url: 'https://api.apaleo.com',
    dialect: 'apaleo',
  };
  const scope =
    'identity:account-users.read identity:account-users.manage setup.manage properties.create properties.manage';
  const client = { auth: 'client-credentials', client_id: 'CHAIN-CI' };
  const clientFlags = '--client-id CHAIN-CI --client-secret-file -';

  test.for([
    ['--token-file -', { ...apaleo, auth: 'token' }],
    [clientFlags, { ...apaleo, ...client, token_url: 'https://identity.apaleo.com/connect/token', scope }],
    [
      `${clientFlags} --scope setup.manage --token-url https://tokens.chain.example/token`,
      { ...apaleo, ...client, token_url: 'https://tokens.chain.example/token', scope: 'setup.manage' },
    ],
  ] as const)('with %s stores the preset, overridden by flags', async ([flags, profile], { folder }) => {
    const { exitCode } = await cli(`profiles add chain --insecure-storage --preset apaleo ${flags}`, {
      folder,
      stdin: token,
    });

    expect({ exitCode, profile: stored(folder).profiles.chain }).toEqual({ exitCode: 0, profile });
  });

  test.for(['apaelo', '__proto__'])(
    'with the name %j: exit 2, and nothing is stored',
    async (name, { folder }) => {
      const argv = ['profiles', 'add', 'chain', `--preset=${name}`, '--token-file', '-'];

      expect(await cli(argv, { folder, stdin: token })).toEqual(
        ended(2, `error: There is no preset "${name}". There is: apaleo.\n`),
      );
      expect(existsSync(join(folder, 'config.json'))).toBe(false);
    },
  );
});

describe('guards of a profile', () => {
  const again = `profiles add chain ${urls} --token-file - --insecure-storage --yes`;

  test('are kept when the profile is replaced', async ({ folder }) => {
    await addChain(folder);
    await cli('config set safety read-only', { folder });
    await cli('config set protect BER', { folder });
    await cli('config set timeout 30', { folder });

    expect(await cli(again, { folder, stdin: token })).toEqual(
      ended(
        0,
        `Added profile chain, which is active now. ${kept} It keeps its guards: safety read-only, protect BER.\n`,
      ),
    );
    expect(stored(folder).profiles.chain).toEqual({ ...chain, safety: 'read-only', protect: ['BER'] });
  });

  test('can be tightened but not weakened by a replacing file', async ({ folder }) => {
    await addChain(folder);
    await cli('config set safety no-update', { folder });
    await cli('config set protect BER', { folder });
    const profile = { ...chain, safety: 'none', protect: ['MUC'], freeze: ['2026-12-24'] };

    await cli('profiles add chain --file - --insecure-storage --yes', {
      folder,
      stdin: JSON.stringify({ profile, token }),
    });

    expect(stored(folder).profiles.chain).toEqual({
      ...chain,
      safety: 'no-update',
      protect: ['BER', 'MUC'],
      freeze: ['2026-12-24'],
    });
  });

  test.for([[{ safety: 'on' }, 'config.json: profiles.chain.safety: "on" is not one of']] as const)(
    'are not lost if invalid: %j',
    async ([broken, sentence], { folder }) => {
      const before = JSON.stringify({ profiles: { chain: { ...chain, ...broken } } });
      writeFileSync(join(folder, 'config.json'), before);

      const { exitCode, stderr } = await cli(again, { folder, stdin: token });

      expect(exitCode).toBe(2);
      expect(stderr).toContain(sentence);
      expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(before);
      expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
    },
  );

  test('are shown, also in the list', async ({ folder }) => {
    await addChain(folder);
    await cli('config set safety no-delete', { folder });
    await cli('config set protect BER,LIVE-*', { folder });
    await cli('config set freeze 2026-12-24 --sandbox', { folder });

    const shown = JSON.parse((await cli('profiles show --json', { folder })).stdout);
    const listed = await cli('profiles list', { folder });

    expect(shown).toMatchObject({ safety: 'no-delete', protect: ['BER', 'LIVE-*'] });
    expect(listed.stdout.split('\n').map((row) => row.split('\t').slice(-3))).toEqual([
      ['no-delete', 'BER, LIVE-*', ''],
      ['', '', '2026-12-24'],
      [''],
    ]);
  });
});

describe('profiles list', () => {
  test('lists every profile and marks the active one', async ({ folder }) => {
    await addChain(folder);

    const { stdout } = await cli('profiles list --json', { folder });

    expect(JSON.parse(stdout)).toEqual({
      count: 2,
      items: [
        { name: 'chain', active: true, ...chain },
        { name: 'sandbox', active: false, dialect: 'contract' },
      ],
    });
  });
});

describe('profiles use', () => {
  test('activates a profile', async ({ folder }) => {
    await addChain(folder);

    expect(await cli('profiles use sandbox', { folder })).toEqual(
      ended(0, 'Profile sandbox is active now.\n'),
    );
    expect(stored(folder).active_profile).toBe('sandbox');
  });

  test('warns if a variable overrides the active profile', async ({ folder }) => {
    await addChain(folder);

    const { stderr } = await cli('profiles use chain', { folder, env: { INNCTL_PROFILE: 'sandbox' } });

    expect(stderr).toBe('warning: INNCTL_PROFILE=sandbox overrides it.\nProfile chain is active now.\n');
  });

  test('rejects an unknown profile, and can replace an unknown active one', async ({ folder }) => {
    writeFileSync(join(folder, 'config.json'), '{"active_profile": "gone"}');

    expect(await cli('profiles use chian', { folder })).toEqual(
      ended(2, 'error: There is no profile "chian". There are: sandbox.\nhint: innctl profiles list\n'),
    );
    expect((await cli('profiles use sandbox', { folder })).exitCode).toBe(0);
  });
});

describe('profiles show', () => {
  test('fails without an active profile', async ({ folder }) => {
    expect(await cli('profiles show', { folder })).toEqual(
      ended(2, 'error: No profile is active.\nhint: innctl profiles list\n'),
    );
  });
});

describe('profiles remove', () => {
  test('removes the profile and its credentials, and reports that none is active', async ({ folder }) => {
    await addChain(folder);

    expect(await cli('profiles remove chain', { folder })).toEqual(
      ended(
        0,
        'Removed profile chain and its credentials.\nNo profile is active now; choose one: innctl profiles use <name>\n',
      ),
    );
    expect(stored(folder)).toEqual({ version: 1, profiles: {} });
    expect(stored(folder, 'credentials.json')).toEqual({ version: 1, profiles: {} });
  });

  test.for(['sandbox', 'chain'])('rejects %s if no such profile is stored', async (name, { folder }) => {
    expect((await cli(`profiles remove ${name}`, { folder })).exitCode).toBe(2);
  });
});

describe('profiles add with the keyring', () => {
  const tokenCase = { words: `${urls} --token-file -`, secret: { token }, kind: 'token' };
  test.for([tokenCase])(
    'stores a $kind in the keyring and not in a file',
    async ({ words, secret, kind }, { folder }) => {
      const keyring = memoryKeyring();

      const added = await cli(`profiles add chain ${words} --json`, { folder, keyring, stdin: token });

      expect(added).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(added.stdout)).toEqual({
        name: 'chain',
        active: true,
        added: true,
        storage: 'keyring',
      });
      expect([...keyring.entries]).toEqual([[`chain in ${folder}`, JSON.stringify(secret)]]);
      expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain(token);
      const shown = JSON.parse((await cli('profiles show chain --json', { folder, keyring })).stdout);
      expect(shown).toMatchObject({ credential: kind, credential_in: 'keyring' });
    },
  );

  test.for([tokenCase])(
    'a $kind without a keyring needs consent off a terminal: exit 11',
    async ({ words }, { folder }) => {
      const line = `profiles add chain ${words} --yes`;

      expect(await cli(line, { folder, stdin: token })).toEqual(
        ended(
          11,
          [
            'error: The keyring of this system cannot be reached on this system. Storing secrets in a file instead requires consent.',
            `hint: To store them unencrypted in credentials.json: innctl ${line} --insecure-storage`,
            '',
          ].join('\n'),
        ),
      );
      expect(existsSync(join(folder, 'config.json'))).toBe(false);
      expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
    },
  );
});
