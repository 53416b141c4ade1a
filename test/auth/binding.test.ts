import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { watchForLeaks } from '../helpers/leaks.ts';
import { calm } from './chain.ts';

const IDENTITY = 'https://identity.chain.example';
const API = 'https://api.chain.example';
const ELSEWHERE = 'https://elsewhere.example';
const origins = [IDENTITY, API];
const token = 'token-of-ana-1234567890';
const secret = 'secret-of-the-chain-1234567890';

/** A profile as `profiles add` stores it. */
function store(folder: string, profile: object, credential: object): void {
  const urls = { identity_url: IDENTITY, base_url: API };
  const config = { version: 1, active_profile: 'chain', profiles: { chain: { ...urls, ...profile } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const credentials = { version: 1, profiles: { chain: { origins, ...credential } } };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
}

/** A network where every host answers the same, and the origins that were asked. */
function network(answer = '{}') {
  const asked: string[] = [];
  const connect = async () => ({
    request: async ({ url }: { readonly url: string }) => {
      asked.push(new URL(url).origin);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: bytesOf(answer) };
    },
    close: async () => {},
  });
  return { asked, connect };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const grants = {
  token: [{ auth: 'token' }, { token }],
  'client secret': [{ auth: 'client-credentials', client_id: 'CHAIN-CI' }, { client_secret: secret }],
} as const;

test.for([
  ['token', 'INNCTL_BASE_URL', 'base_url'],
  ['token', 'INNCTL_IDENTITY_URL', 'identity_url'],
  ['client secret', 'INNCTL_BASE_URL', 'base_url'],
  ['client secret', 'INNCTL_IDENTITY_URL', 'identity_url'],
  ['client secret', 'INNCTL_TOKEN_URL', 'token_url'],
] as const)('a stored %s does not go where %s points to', async ([kind, variable, key], { folder }) => {
  const [profile, credential] = grants[kind];
  store(folder, profile, credential);
  const { asked, connect } = network();

  const ended = await cli('properties get BER', { folder, connect, env: { [variable]: `${ELSEWHERE}/x` } });

  expect({ ...ended, asked }).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: [
      `error: The credential of profile chain was given for ${IDENTITY} and ${API}, but ${key} (${variable}) is ${ELSEWHERE}/x.`,
      'hint: Give it for the new address: innctl profiles add chain',
      '',
    ].join('\n'),
    asked: [],
  });
});

test('a stored token goes where it was given for', async ({ folder }) => {
  store(folder, ...grants.token);
  const { asked, connect } = network();

  await cli('properties get BER', { folder, connect });

  expect([...new Set(asked)]).toEqual([API]);
});

interface Sent {
  readonly url: string;
  readonly authorization?: string;
  readonly body?: string;
}

/** The watch over a run that sends this and shows that, with a profile stored and a host named in the environment. */
async function watching(folder: string, sent: readonly Sent[], shown = '', answer = '{}'): Promise<void> {
  const env = { INNCTL_BASE_URL: ELSEWHERE, INNCTL_TOKEN: 'token-of-ben-0987654321' };
  const watch = await watchForLeaks(env, folder);
  const transport = await watch.connect(network(answer).connect)({
    proxies: {},
    authorities: [],
    connectTimeoutMs: 1,
    headTimeoutMs: 1,
    idleTimeoutMs: 1,
  });
  for (const { url, authorization = '', body } of sent) {
    const response = await transport.request({
      method: 'POST',
      url,
      headers: { authorization },
      body,
      signal: calm(),
    });
    for await (const _ of response.body);
  }
  await watch.check({ stdout: shown });
}

const bearer = (value: string) => `Bearer ${value}`;
const grant = { url: `${IDENTITY}/connect/token`, body: 'grant_type=client_credentials' };
const fetched = 'fetched-token-1234567890';
const issued = JSON.stringify({ access_token: fetched });

test.for([
  [
    'a stored token for a host that only the environment names',
    [{ url: ELSEWHERE, authorization: bearer(token) }],
  ],
  [
    'a token of the environment for a host that nobody named',
    [{ url: 'https://other.example', authorization: bearer('token-of-ben-0987654321') }],
  ],
  [
    'a fetched token for a host that nobody named',
    [grant, { url: 'https://other.example', authorization: bearer(fetched) }],
  ],
] as const)('the watch over a run sees %s', async ([, sent], { folder }) => {
  store(folder, ...grants.token);

  await expect(watching(folder, sent, '', issued)).rejects.toThrow(
    /^A secret of this run stands in the authorization/,
  );
});

test('the watch over a run sees a fetched token that is shown, and lets all go where they belong', async ({
  folder,
}) => {
  store(folder, ...grants.token);

  await expect(watching(folder, [grant], `got ${fetched}`, issued)).rejects.toThrow(
    'A secret of this run stands in stdout.',
  );
  await watching(
    folder,
    [
      grant,
      { url: API, authorization: bearer(fetched) },
      { url: API, authorization: bearer(token) },
      { url: ELSEWHERE, authorization: bearer('token-of-ben-0987654321') },
    ],
    '',
    issued,
  );
});
