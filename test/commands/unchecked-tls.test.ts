import { describe, expect } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels, memoryKeyring, type Situation } from '../helpers/cli.ts';
import { httpServer } from '../helpers/servers.ts';

const OFF = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const TOKEN = 'token-of-ana-1234567890';
const urls = '--identity-url https://identity.chain.example --base-url https://api.chain.example';

const failingConnect: Connect = async () => ({
  request: () => Promise.reject(new Error('nothing may be sent')),
  close: async () => {},
});

const refused = (line: string, situation: Situation = {}) =>
  cli(line, { connect: failingConnect, ...situation, env: { ...OFF, ...situation.env } });

const sentence =
  'error: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates: credentials could go to any host. Nothing was sent.\n';

describe('with certificate checks disabled', () => {
  test.for([
    'roles list',
    'users me',
    'properties delete BER --confirm BER',
    'invitations create ana@example.com --role Auditor --properties BER',
    'api GET /x',
    'apply test/commands/seed.yaml --yes',
    'export',
    'whoami',
    'auth token',
  ])('%s sends nothing and exits with 2', async (line) => {
    expect(await refused(line, { env: hotels })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${sentence}hint: unset NODE_TLS_REJECT_UNAUTHORIZED; for an authority of your own: --ca-file\n`,
    });
  });

  test.for([
    `login --with-token -p chain ${urls}`,
    `login --client-credentials -p chain ${urls} --client-id CI --client-secret-file -`,
    `login --device -p chain ${urls} --client-id CI`,
    `login --client-credentials -p chain --identity-url http://127.0.0.1:9 --base-url http://127.0.0.1:9 --token-url https://t.example/t --client-id CI --client-secret-file -`,
  ])('no login is started: %s', async (line, { folder }) => {
    const keyring = memoryKeyring();

    const ended = await refused(line, { folder, keyring, stdin: TOKEN });

    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(sentence) });
    expect([...keyring.entries]).toEqual([]);
  });

  test('doctor reports it and sends no credentials', async () => {
    const { exitCode, stdout } = await cli('doctor --json', { env: { ...hotels, ...OFF } });

    const { items } = JSON.parse(stdout);
    const of = (name: string) => items.find(({ check }: { check: string }) => check === name);
    expect([exitCode, of('connection').status, of('credentials').status]).toEqual([2, 'fail', 'skipped']);
  });

  test('an HTTPS proxy is rejected', async () => {
    const env = {
      INNCTL_IDENTITY_URL: 'http://hotels.example',
      INNCTL_BASE_URL: 'http://hotels.example',
      INNCTL_INSECURE_HTTP: 'true',
      INNCTL_TOKEN: TOKEN,
      HTTP_PROXY: 'https://ana:geheim-1234@proxy.example:3128',
    };

    expect(await refused('roles list', { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(sentence),
    });
  });

  test('loopback services without TLS and the sandbox still work', async () => {
    await using service = await httpServer((_, response) =>
      response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}'),
    );
    const env = {
      ...OFF,
      INNCTL_IDENTITY_URL: service.origin,
      INNCTL_BASE_URL: service.origin,
      INNCTL_TOKEN: TOKEN,
    };

    expect(await cli('roles list --json', { connect: connectUndici, env })).toMatchObject({ exitCode: 0 });
    expect(await cli('--sandbox roles list', { connect: connectUndici, env: OFF })).toMatchObject({
      exitCode: 0,
    });
  });

  test.for(['', '1', 'false', ' 0'])('%j leaves certificate checks enabled', async (value) => {
    const { stderr } = await cli('roles list', {
      env: { ...hotels, NODE_TLS_REJECT_UNAUTHORIZED: value, INNCTL_MAX_ATTEMPTS: '1' },
      connect: async () => ({ request: () => Promise.reject(new Error('asked')), close: async () => {} }),
    });

    expect(stderr).toContain('asked');
  });
});
