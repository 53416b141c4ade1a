import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { type Home, openHome, type RunOptions, root } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';

const executable = join(root, 'standalone', process.platform === 'win32' ? 'innctl.exe' : 'innctl');

/** No Node, and nothing else either. */
const PATH = '/nonexistent';

beforeAll(() => {
  setup();
  execFileSync('npm', ['run', 'standalone'], { cwd: root, stdio: 'pipe' });
}, 300_000);

function standalone(home: Home, args: readonly string[], options: RunOptions = {}) {
  return home.run([executable, ...args], { ...options, env: { PATH, ...options.env } });
}

const manifest = `
properties:
  - code: HAM
    name: { en: Harbour Hotel }
    company_name: Hafenhotel GmbH
    commercial_register_entry: HRB 12345, Hamburg
    tax_id: DE123456789
    location: { address_line1: Am Kai 1, postal_code: "20457", city: Hamburg, country_code: DE }
    time_zone: Europe/Berlin
    default_check_in_time: 15:00:00
    default_check_out_time: 11:00:00
    currency_code: EUR
invitations:
  - { email: mia@example.com, role: Housekeeping, properties: [HAM] }
`;

const people = [
  ['email', 'role', 'properties'],
  ['mia@example.com', 'Housekeeping', 'BER,VIE'],
];

test.each([
  '--version',
  '--help',
  'properties',
  'help users list',
  'help exit-codes',
  'completion bash',
  '--no-input completion zsh',
  '__complete --bash invite\\ create\\ --ro',
  '--sandbox properties list',
  '--sandbox users list -o yaml',
  '--sandbox properties list --query items[].id -r',
  '--sandbox plan seed.yaml',
  '--sandbox plan seed.xlsx',
  '--sandbox apply seed.yaml --yes --run-id 7',
  '--sandbox properties count --json',
  'propertis list',
  '--sandbox users get nobody@aurora.example',
  'plan none.yaml',
])('without Node, the standalone executable does the same as the package: %s', async (line) => {
  await using alone = await openHome();
  await using packed = await openHome();
  const workbook = await writeXlsx({ sheets: [{ name: 'People', rows: people }] });
  for (const { folder } of [alone, packed]) {
    await writeFile(join(folder, 'seed.yaml'), manifest);
    await writeFile(join(folder, 'seed.xlsx'), workbook);
  }
  const args = line.split(/(?<!\\) /).map((word) => word.replaceAll('\\ ', ' '));

  const ended = await standalone(alone, args);

  const same = (text: string) =>
    text
      .replaceAll(packed.folder, alone.folder)
      .replaceAll(/127\.0\.0\.1:\d+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\d.]+ rows\/s.*/g, '...');
  const wanted = await packed.innctl(args);
  expect({ ...ended, stdout: same(ended.stdout), stderr: same(ended.stderr) }).toEqual({
    ...wanted,
    stdout: same(wanted.stdout),
    stderr: same(wanted.stderr),
  });
});

test('the standalone executable says that it has no keyring, and stores secrets in a file only if that is allowed', async () => {
  await using home = await openHome();
  const service = await startSandbox({ folder: join(home.folder, 'sandbox'), now: Date.now });
  const login = ['login', '--with-token', '--identity-url', service.url, '--base-url', service.url];
  const given: RunOptions = { stdio: 'pipe', started: (child) => child.stdin?.end(service.token) };

  const refused = await standalone(home, login, given);
  const stored = await standalone(home, [...login, '--insecure-storage'], given);
  const me = await standalone(home, ['users', 'me', '-q']);
  const examined = await standalone(home, ['doctor']);
  await service.close();

  expect(refused).toMatchObject({
    exitCode: 11,
    stderr: expect.stringContaining('there is no keyring in the standalone executable'),
  });
  expect([stored.exitCode, me.exitCode]).toEqual([0, 0]);
  expect(examined.stdout).toContain('the service accepts those of profile default');
});

test('the standalone executable starts no other program, and reads no file beside it', async () => {
  await using home = await openHome();
  const log = join(home.folder, 'trace.txt');
  const strace = ['strace', '-f', '-qq', '-e', 'trace=execve,openat,access', '-o', log];

  const ended = await home.run([...strace, executable, 'doctor']);

  const traced = await readFile(log, 'utf8');
  const calls = traced.split('\n');
  expect(ended.exitCode).toBe(4);
  expect(calls.filter((call) => call.includes('execve('))).toHaveLength(1);
  expect(calls.filter((call) => call.includes(`"${root}/`) && !call.includes(`"${executable}"`))).toEqual([]);
});
