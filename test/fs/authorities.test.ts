import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAuthorities } from '../../src/service/authorities.ts';

const [first = '', second = '', third = ''] = rootCertificates;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-authorities-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

test('reads nothing without a file, whatever the environment names', async () => {
  expect(await readAuthorities(undefined, { NODE_EXTRA_CA_CERTS: join(folder, 'absent.pem') })).toEqual([]);
});

test('reads every certificate of the file and ignores text between them', async () => {
  const path = await file('ca.pem', `# Hotel BER\r\n${first}\n\n# Hotel VIE\n${second}\n`);

  expect(await readAuthorities({ path, source: '--ca-file' }, {})).toEqual([first, second]);
});

test('adds the certificates of NODE_EXTRA_CA_CERTS', async () => {
  const path = await file('ca.pem', first);
  const extra = await file('extra.pem', `${second}\n${third}`);

  expect(await readAuthorities({ path, source: '--ca-file' }, { NODE_EXTRA_CA_CERTS: extra })).toEqual([
    first,
    second,
    third,
  ]);
});

const broken = '-----BEGIN CERTIFICATE-----\nQmVu\n-----END CERTIFICATE-----\n';

test.each([
  ['is missing', 'absent.pem', undefined, 'cannot be read: there is no such file (ENOENT)'],
  ['is empty', 'ca.pem', '', 'holds no certificate in PEM form, or one that cannot be read'],
  [
    'has a broken certificate',
    'ca.pem',
    broken,
    'holds no certificate in PEM form, or one that cannot be read',
  ],
  ['is huge', 'ca.pem', 'a'.repeat(5_000_000), 'cannot be read: it is larger than 4 MiB'],
])('rejects a file that %s', async (_, name, text, reason) => {
  const path = text === undefined ? join(folder, name) : await file(name, text);

  await expect(readAuthorities({ path, source: 'INNCTL_CA_FILE' }, {})).rejects.toMatchObject({
    code: 'ca_file',
    exitCode: 2,
    message: `The file of trusted certificates ${path}, given by INNCTL_CA_FILE, ${reason}.`,
  });
});

test.each([
  ['a folder', '/dev', 'it is not a file'],
  ['a pipe', 'pipe', 'it is not a file'],
])('rejects %s without blocking', async (_, name, reason) => {
  const path = resolve(folder, name);
  if (name === 'pipe') execFileSync('mkfifo', [path]);

  await expect(readAuthorities({ path, source: '--ca-file' }, {})).rejects.toMatchObject({
    code: 'ca_file',
    exitCode: 2,
    message: `The file of trusted certificates ${path}, given by --ca-file, cannot be read: ${reason}.`,
  });
});

test('ignores a named pipe in NODE_EXTRA_CA_CERTS', async () => {
  const path = await file('ca.pem', first);
  const extra = join(folder, 'extra.pipe');
  execFileSync('mkfifo', [extra]);

  expect(await readAuthorities({ path, source: '--ca-file' }, { NODE_EXTRA_CA_CERTS: extra })).toEqual([
    first,
  ]);
});
