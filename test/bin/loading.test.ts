import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mapEach } from '../../src/change/workers.ts';
import { httpServer } from '../helpers/servers.ts';
import { rowOf, workbookOf } from '../helpers/workbook.ts';
import { beforeUndo, machineLines, serviceCommands } from '../reference/lines.ts';
import { binary, openHome, root } from './home.ts';

const preload = join(import.meta.dirname, 'loaded.cjs');

const unreachable = {
  INNCTL_BASE_URL: 'http://127.0.0.1:9',
  INNCTL_IDENTITY_URL: 'http://127.0.0.1:9',
  INNCTL_TOKEN: 'token-of-ana-1234567890',
  INNCTL_MAX_ATTEMPTS: '1',
};

/** The files of dist/ that a run compiles, in order, with their bytes. @param before a line that runs first. */
async function filesReadBy(line: string, env: Readonly<Record<string, string>> = {}, before?: string) {
  await using home = await openHome();
  if (before !== undefined) await home.run([process.execPath, binary, ...before.split(' ')], { cwd: root });
  const LOADED_FILES = join(home.folder, 'loaded.json');
  const command = [process.execPath, '--require', preload, binary, ...line.split(' ').filter(Boolean)];
  await home.run(command, { cwd: root, env: { ...env, LOADED_FILES } });
  return JSON.parse(await readFile(LOADED_FILES, 'utf8')) as readonly (readonly [
    name: string,
    bytes: number,
  ])[];
}

async function namesReadBy(line: string, env: Readonly<Record<string, string>> = {}) {
  return (await filesReadBy(line, env)).map(([name]) => name);
}

/** Lines that no command of the list is: doors, forms of a list, words that are misspelt. */
const further = [
  ...[
    '--version',
    '--help',
    '',
    '__complete users ',
    'properties create --help',
    'configg list',
    'properties lst',
  ],
  ...['-o table', '-o table --color always', '-o tsv', '-o yaml', '-o md', '--query items[0].id'].map(
    (form) => `--sandbox properties list ${form}`,
  ),
];

/** Runs until it is interrupted. */
const endless = 'sandbox serve';

test('each command reads only the files that it needs', async () => {
  const lines: readonly { line: string; shown: string; env?: Readonly<Record<string, string>> }[] = [
    ...further.map((line) => ({ line, shown: line })),
    ...Object.entries(machineLines).map(([command, words]) => ({
      line: `${command} ${words}`,
      shown: command,
    })),
    ...(await serviceCommands()).map(({ command, rest, env }) => ({
      ...{ line: `--sandbox ${command} ${rest}`, shown: command, env },
    })),
  ].filter(({ shown }) => shown !== endless);

  const read = await mapEach(lines, 3, async ({ line, shown, env }) => {
    const before = line.includes('first-run') ? `--sandbox ${beforeUndo}` : undefined;
    const files = await filesReadBy(line, env, before);
    const bytes = files.reduce((all, [, each]) => all + each, 0);
    return `${shown}: ${Math.ceil(bytes / 10_000)}0 kB: ${files.map(([name]) => name).join(' ')}`;
  });

  await expect(`${read.join('\n')}\n`).toMatchFileSnapshot('../golden/loading.txt');
}, 300_000);

test('the files are ASCII, and construct what another file exports, not the file', async () => {
  for (const name of await readdir(join(root, 'dist'))) {
    const text = await readFile(join(root, 'dist', name), 'utf8');
    expect(text.match(/[^\0-\x7f]|new require_\w+\(/), name).toBe(null);
  }
});

const ofList = ['start', 'core', 'session', 'service', 'wire'];

test.each([
  { form: '-o table', name: 'Z\u00fcrich', files: [...ofList, 'table'] },
  { form: '-o table --color always', name: '\u6771\u4eac', files: [...ofList, 'table', 'width'] },
  { form: '-o json', name: '\u6771\u4eac', files: ofList },
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

  expect((await namesReadBy(`properties list ${form}`, env)).toSorted()).toEqual(files.toSorted());
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

  expect((await namesReadBy('properties list -o json', env)).toSorted()).toEqual(ofList.toSorted());
});

test.each([
  { name: 'people.csv', text: 'email\nana@example.com\n', loads: false },
  { name: 'people.xlsx', text: workbookOf(rowOf(1, ['email'])), loads: true },
])('only a workbook loads the file that reads workbooks: $name', async ({ name, text, loads }) => {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-tables-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), text);

  expect((await namesReadBy(`plan ${join(folder, name)}`, unreachable)).includes('xlsx')).toBe(loads);
});
