import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { binary, openHome } from './home.ts';

const preload = join(import.meta.dirname, 'loaded.cjs');

/** The files of dist/ that a run reads, except the entry file. */
async function filesReadBy(line: string, env: Readonly<Record<string, string>> = {}) {
  await using home = await openHome();
  await writeFile(join(home.folder, 'hotel.yaml'), 'code: HAM\n');
  const LOADED_FILES = join(home.folder, 'loaded.json');
  await home.run([process.execPath, '--require', preload, binary, ...line.split(' ')], {
    env: { ...env, LOADED_FILES },
  });
  const names: readonly string[] = JSON.parse(await readFile(LOADED_FILES, 'utf8'));
  return names.filter((name) => name !== 'start.js');
}

const core = ['core.js', 'runtime.js'];

test.each([
  '--version',
  '--help',
  'properties',
  'invitations create --help',
  'help users list',
  'completion bash',
])('%s loads only the entry file', async (line) => {
  expect(await filesReadBy(line)).toEqual([]);
});

test.each(['-o table', '-o json', '-o ndjson', '-o tsv'])(
  'a list loads the fewest files: %s',
  async (form) => {
    await using service = await httpServer((_request, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end('{"count":1,"data":[{"id":"BER","name":"Berlin"}]}');
    });
    const env = {
      INNCTL_BASE_URL: service.origin,
      INNCTL_IDENTITY_URL: service.origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    };

    const read = await filesReadBy(`properties list ${form}`, env);

    expect(read).toEqual([...core, 'undici.js'].sort());
  },
);

test('a list after a login loads no more files while the token is valid', async () => {
  await using service = await httpServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"count":0,"data":[]}');
  });
  const { origin } = service;
  const folder = await mkdtemp(join(tmpdir(), 'innctl-logged-in-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const profile = { identity_url: origin, base_url: origin, auth: 'user', client_id: 'innctl' };
  const credential = {
    origins: [origin],
    login: { method: 'web', expires_at: Date.now() + 86_400_000 },
    token: 'token-of-ana-1234567890',
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ profiles: { ana: profile } }));
  await writeFile(join(folder, 'credentials.json'), JSON.stringify({ profiles: { ana: credential } }));
  const env = { INNCTL_CONFIG_DIR: folder, INNCTL_PROFILE: 'ana' };

  expect(await filesReadBy('properties list -o json', env)).toEqual([...core, 'undici.js'].sort());
});

test('a command without requests does not load undici', async () => {
  expect(await filesReadBy('profiles list')).toEqual(core);
});

test.each([
  { line: 'properties update BER --name de=Hof', without: ['more.js', 'libraries.js'] },
  { line: '--sandbox invitations list', without: [] },
  { line: '--sandbox properties create --file hotel.yaml', without: [] },
])('$line loads files only when it needs them', async ({ line, without }) => {
  const read = await filesReadBy(line);

  expect(read).toEqual(expect.arrayContaining(core));
  expect(read.filter((name) => without.includes(name))).toEqual([]);
});
