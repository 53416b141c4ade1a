import { existsSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { API, described, IDENTITY, issuing, secret, storedIn, token, urls, whoIs } from './login-service.ts';

onlyIntercepted();

const otherServiceUrls = '--identity-url https://identity.inn.example --base-url https://api.inn.example';

/** Adds a profile with a token and its own settings. */
async function addChain(folder: string, name = 'chain'): Promise<void> {
  await cli(`profiles add ${name} ${urls} --token-file - --insecure-storage --idempotency-header X-Key`, {
    folder,
    stdin: token,
  });
}

describe('login with an existing profile', () => {
  test('keeps its service and its settings', async ({ folder }) => {
    await addChain(folder);
    await cli('config set timeout 9', { folder });
    whoIs('token-of-ana-of-tomorrow');

    const { exitCode, stderr } = await cli('login --with-token', {
      folder,
      keyring: memoryKeyring(),
      stdin: 'token-of-ana-of-tomorrow',
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Logged in as Ana Lindner (ana@example.com) at api.chain.example, profile chain.\n',
    });
    expect(storedIn(folder, 'chain').profile).toEqual({
      identity_url: IDENTITY,
      base_url: API,
      idempotency_header: 'X-Key',
      dialect: 'contract',
      auth: 'token',
      defaults: { timeout: 9 },
    });
  });

  test('removes the settings of another login method', async ({ folder }) => {
    const keyring = memoryKeyring();
    described();
    issuing('/token', { grant_type: 'client_credentials' });
    await cli(
      `login --client-credentials -p chain ${urls} --client-id CI --scope users --client-secret-file -`,
      {
        folder,
        keyring,
        stdin: secret,
      },
    );
    whoIs(token);

    await cli('login --with-token', { folder, keyring, stdin: token });

    expect(storedIn(folder, 'chain')).toMatchObject({
      profile: { identity_url: IDENTITY, base_url: API, dialect: 'contract', auth: 'token' },
      credential: { login: { method: 'token' } },
    });
    expect(Object.keys(storedIn(folder, 'chain').profile)).toHaveLength(4);
    expect([...keyring.entries.values()]).toEqual([JSON.stringify({ token })]);
  });

  test('needs consent to replace a profile of another service, and keeps its guards', async ({ folder }) => {
    await addChain(folder);
    await cli('config set safety read-only', { folder });
    const line = `login --with-token -p chain ${otherServiceUrls}`;
    const situation = { folder, keyring: memoryKeyring(), stdin: 'token-of-ana-of-the-inn' };

    expect(await cli(line, situation)).toEqual(
      ended(
        11,
        [
          'error: This needs consent: Replace profile chain, which is for another service?',
          `hint: To consent: innctl ${line} --yes`,
          '',
        ].join('\n'),
      ),
    );
    nock('https://identity.inn.example').get('/api/v1/users/me').reply(403, {});

    const { stderr } = await cli(`${line} --yes`, situation);

    expect(stderr).toBe(
      'Logged in at api.inn.example, profile chain. It keeps its guards: safety read-only.\n',
    );
    expect(storedIn(folder, 'chain').profile).toEqual({
      identity_url: 'https://identity.inn.example',
      base_url: 'https://api.inn.example',
      dialect: 'contract',
      auth: 'token',
      safety: 'read-only',
    });
  });

  test('does not activate another profile', async ({ folder }) => {
    await addChain(folder);
    whoIs(token);

    const { stderr } = await cli(`login --with-token -p inn ${urls}`, {
      folder,
      keyring: memoryKeyring(),
      stdin: token,
    });

    expect(stderr).toContain('profile inn. Not active: innctl profiles use inn\n');
  });
});

test('a token is fetched only from the token URL of the login, even on the same host', async ({ folder }) => {
  const keyring = memoryKeyring();
  described();
  issuing('/token', { grant_type: 'client_credentials' });
  await cli(`login --client-credentials -p ci ${urls} --client-id CI --client-secret-file -`, {
    folder,
    keyring,
    stdin: secret,
  });

  expect(
    await cli('users list', { folder, keyring, env: { INNCTL_TOKEN_URL: `${IDENTITY}/other` } }),
  ).toEqual(
    ended(
      4,
      [
        `error: The credential of profile ci was given for ${IDENTITY} and ${API} and ${IDENTITY}/token, but token_url (INNCTL_TOKEN_URL) is ${IDENTITY}/other.`,
        'hint: Give it for the new address: innctl login --profile ci',
        '',
      ].join('\n'),
    ),
  );
});

test.for([
  ['login', 'There are several ways to log in: --web, --device, --client-credentials or --with-token.'],
  ['login --web --device', '--web and --device contradict each other.'],
  ['login --sandbox', 'The sandbox needs no login: use any command with --sandbox.'],
  [
    'login --web --dry-run',
    '--dry-run applies only to requests to the service; this command changes local settings. Nothing was changed.',
  ],
  [`login --with-token ${urls} --client-id x`, '--client-id: is not used with --with-token'],
  [
    `login --with-token ${urls} --client-secret-file -`,
    '--client-secret-file: is not used with --with-token',
  ],
  [
    `login --device ${urls} --client-id x --authorization-url ${API}`,
    '--authorization-url: is not used with --device',
  ],
  [
    `login --web ${urls} --client-id x --authorization-url nonsense`,
    '--authorization-url: is not a URL of the form https://host/path',
  ],
  [
    `login --web ${urls} --client-id x --redirect-port 0`,
    '--redirect-port: "0" is not a whole number from 1 to 65535',
  ],
  [
    `login --with-token --identity-url ${IDENTITY} --base-url http://api.example --insecure-http`,
    '--base-url: http to api.example would send credentials unencrypted; use https (--insecure-http allows http only for credentials that are not stored)',
  ],
  [`login --web ${urls} --client-id x --confidential`, '--client-secret-file: is missing'],
] as const)('nothing is sent or stored: innctl %s', async ([line, sentence], { folder }) => {
  const result = await cli(line, { folder, keyring: memoryKeyring(), stdin: token });

  expect([result.exitCode, result.stdout, result.stderr.split('\n')[0]]).toEqual([
    2,
    '',
    `error: ${sentence}`,
  ]);
  expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
});

test('profiles add rejects --auth user with a hint to login', async ({ folder }) => {
  expect(await cli(`profiles add chain ${urls} --auth user`, { folder })).toEqual(
    ended(
      2,
      [
        'error: A profile of a person is made by logging in, not by profiles add.',
        'hint: innctl login --profile chain',
        '',
      ].join('\n'),
    ),
  );
});
