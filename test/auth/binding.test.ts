import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { watchForLeaks } from '../helpers/leaks.ts';
import { neverAborted } from './chain.ts';

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

/** A network where every host has the same response, and the origins of its requests. */
function network(answer = '{}') {
  const requested: string[] = [];
  const connect = async () => ({
    request: async ({ url }: { readonly url: string }) => {
      requested.push(new URL(url).origin);
      return { status: 200, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(answer) };
    },
    close: async () => {},
  });
  return { requested, connect };
}

const grants = {
  token: [{ auth: 'token' }, { token }],
  'client secret': [{ auth: 'client-credentials', client_id: 'CHAIN-CI' }, { client_secret: secret }],
} as const;

test.for([
  ['token', 'INNCTL_BASE_URL', 'base_url'],
  ['token', 'INNCTL_IDENTITY_URL', 'identity_url'],
  ['client secret', 'INNCTL_TOKEN_URL', 'token_url'],
] as const)('a stored %s is not sent to the host in %s', async ([kind, variable, key], { folder }) => {
  const [profile, credential] = grants[kind];
  store(folder, profile, credential);
  const { requested, connect } = network();

  const ended = await cli('properties get BER', { folder, connect, env: { [variable]: `${ELSEWHERE}/x` } });

  expect({ ...ended, requested }).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: [
      `error: The credential of profile chain was given for ${IDENTITY} and ${API}, but ${key} (${variable}) is ${ELSEWHERE}/x.`,
      'hint: Give it for the new address: innctl login --profile chain',
      '',
    ].join('\n'),
    requested: [],
  });
});

interface Sent {
  readonly url: string;
  readonly authorization?: string;
  readonly body?: string;
}

/** Watches a run that sends these requests and prints this, with a stored profile and a host in the environment. */
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
    await transport.request({
      method: 'POST',
      url,
      headers: { authorization },
      body,
      signal: neverAborted(),
    });
  }
  await watch.check({ stdout: shown });
}

const bearer = (value: string) => `Bearer ${value}`;
const grant = { url: `${IDENTITY}/connect/token`, body: 'grant_type=client_credentials' };
const fetched = 'fetched-token-1234567890';
const issued = JSON.stringify({ access_token: fetched });

test.for([
  [
    'a stored token sent to a host that only the environment names',
    [{ url: ELSEWHERE, authorization: bearer(token) }],
  ],
  [
    'a token of the environment sent to an unknown host',
    [{ url: 'https://other.example', authorization: bearer('token-of-ben-0987654321') }],
  ],
  [
    'a fetched token sent to an unknown host',
    [grant, { url: 'https://other.example', authorization: bearer(fetched) }],
  ],
] as const)('the leak check reports %s', async ([, sent], { folder }) => {
  store(folder, ...grants.token);

  await expect(watching(folder, sent, '', issued)).rejects.toThrow(
    /^A secret of this run stands in the authorization/,
  );
});

test('the leak check reports a fetched token that is printed, and accepts tokens sent to their own hosts', async ({
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
