import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { rowOf, workbookOf } from '../helpers/workbook.ts';
import { binary, openHome } from './home.ts';

const preload = join(import.meta.dirname, 'loaded.cjs');

const unreachable = {
  INNCTL_BASE_URL: 'http://127.0.0.1:9',
  INNCTL_IDENTITY_URL: 'http://127.0.0.1:9',
  INNCTL_TOKEN: 'token-of-ana-1234567890',
  INNCTL_MAX_ATTEMPTS: '1',
};

/** The files of dist/ that a run loads, except the entry file. */
async function filesLoadedBy(line: string, env: Readonly<Record<string, string>> = {}) {
  await using home = await openHome();
  await writeFile(join(home.folder, 'hotel.yaml'), 'code: HAM\n');
  const LOADED_FILES = join(home.folder, 'loaded.json');
  await home.run([process.execPath, '--require', preload, binary, ...line.split(' ').filter(Boolean)], {
    env: { ...env, LOADED_FILES },
  });
  const names: readonly string[] = JSON.parse(await readFile(LOADED_FILES, 'utf8'));
  return names.filter((name) => name !== 'start.js');
}

test.each(['--version', '--help', '-h', ''])('"%s" loads no command', async (line) => {
  expect(await filesLoadedBy(line)).toEqual(['core.js']);
});

test('a Tab loads only the entry file', async () => {
  expect(await filesLoadedBy('__complete users ')).toEqual([]);
});

const ofList = ['core.js', 'list.js', 'wire.js'];

test.each([
  { form: '-o table', name: 'Zürich', files: [...ofList, 'table.js'] },
  { form: '-o table --color always', name: '東京', files: [...ofList, 'table.js', 'width.js'] },
  { form: '-o json', name: '東京', files: ofList },
  { form: '-o ndjson', name: '東京', files: ofList },
  { form: '-o tsv', name: '東京', files: ofList },
])('a list with $name loads the fewest files: $form', async ({ form, name, files }) => {
  await using service = await httpServer((_request, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end(`{"count":1,"items":[{"id":"BER","name":"${name}"}]}`);
  });
  const env = {
    INNCTL_BASE_URL: service.origin,
    INNCTL_IDENTITY_URL: service.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };

  const loaded = await filesLoadedBy(`properties list ${form}`, env);

  expect(loaded).toEqual(files.toSorted());
});

test('a list after a login loads no more files while the token is valid', async () => {
  await using service = await httpServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}');
  });
  const { origin } = service;
  const folder = await mkdtemp(join(tmpdir(), 'innctl-logged-in-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const profile = { identity_url: origin, base_url: origin, auth: 'user', client_id: 'innctl' };
  const credential = {
    origins: [origin],
    login: { method: 'web' },
    cached_token: { access_token: 'token-of-ana-1234567890', expires_at: Date.now() + 86_400_000 },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify({ profiles: { ana: profile } }));
  await writeFile(join(folder, 'credentials.json'), JSON.stringify({ profiles: { ana: credential } }));
  const env = { INNCTL_CONFIG_DIR: folder, INNCTL_PROFILE: 'ana' };

  expect(await filesLoadedBy('properties list -o json', env)).toEqual(ofList);
});

test('a command without requests does not load undici', async () => {
  expect(await filesLoadedBy('profiles list')).toEqual(['core.js', 'list.js']);
});

test('an update loads the file of its verbs, and no files of prompts, manifests or the sandbox', async () => {
  const loaded = await filesLoadedBy('properties update BER --name de=Hof', unreachable);

  expect(loaded).toEqual([...ofList, 'verbs.js'].toSorted());
});

test.each([
  { name: 'people.csv', text: 'email\nana@example.com\n', loads: false },
  { name: 'people.xlsx', text: workbookOf(rowOf(1, ['email'])), loads: true },
])('only a workbook loads the file that reads workbooks: $name', async ({ name, text, loads }) => {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-tables-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), text);

  const loaded = await filesLoadedBy(`plan ${join(folder, name)}`, unreachable);

  expect(loaded.includes('more.js')).toBe(loads);
});
