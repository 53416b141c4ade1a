import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInput } from '../../src/fs/read.ts';
import { type Input, Interruption } from '../../src/model/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';

const stdin: Input = { ends: new AbortController().signal, read: async () => Buffer.from('from stdin') };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-read-'));
});

afterEach(() => rm(folder, { recursive: true }));

function pipe(): string {
  const path = join(folder, 'hotel.yaml');
  execFileSync('mkfifo', [path]);
  return path;
}

async function write(path: string, text: string): Promise<void> {
  await using writer = await open(path, 'w');
  await writer.writeFile(text);
}

test('a dash is stdin', async () => {
  expect(Buffer.from(await readInput('-', stdin, 100)).toString()).toBe('from stdin');
});

test('a file is read up to the maximal size', async () => {
  const path = join(folder, 'hotel.yaml');
  await writeFile(path, 'x'.repeat(200_000));

  expect((await readInput(path, stdin, 200_000)).length).toBe(200_000);
  await expect(readInput(path, stdin, 199_999)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/is larger than .* MiB\.$/),
  });
});

test('a named pipe is read to its end, also when its writer opens it later', async () => {
  const path = pipe();

  const reading = readInput(path, stdin, 1_000_000);
  await write(path, 'hotel BER '.repeat(20_000));

  expect(Buffer.from(await reading).toString()).toBe('hotel BER '.repeat(20_000));
});

test('a process substitution is read like a file', async () => {
  const script = 'exec 9< <(printf "hotel VIE"); echo ready; exec sleep 60';
  const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(shell.stdout, 'data');

    const bytes = await readInput(`/proc/${shell.pid}/fd/9`, stdin, 100);

    expect(Buffer.from(bytes).toString()).toBe('hotel VIE');
  } finally {
    shell.kill();
  }
});

test('an interruption ends the read of a pipe without a writer', async () => {
  const stop = new AbortController();
  const reading = readInput(pipe(), { ...stdin, ends: stop.signal }, 100);

  stop.abort(new Interruption('SIGINT'));

  await expect(reading).rejects.toEqual(new Interruption('SIGINT'));
});

test.each([[], ['--timeout', '60']])('a signal ends a command that reads a pipe %j', async (...more) => {
  const stop = new AbortController();
  const path = pipe();
  const ended = cli(['properties', 'create', '--file', path, ...more], { env: hotels, signal: stop.signal });
  // Opening it for writing succeeds once the command has opened it for reading.
  await using _writer = await open(path, 'w');

  stop.abort(new Interruption('SIGTERM'));

  expect(await ended).toEqual({ exitCode: 143, stdout: '', stderr: 'error: Interrupted by SIGTERM.\n' });
});

test.each([
  'properties create --file',
  'properties update BER --patch',
  'invitations create --file',
  'api POST /inventory/v1/properties --input',
  'plan',
  'apply --yes',
])('--timeout ends a command that reads a pipe: %s', async (line) => {
  const path = pipe();

  expect(await cli(`${line} ${path} --timeout 0.2`, { env: hotels })).toEqual({
    exitCode: 7,
    stdout: '',
    stderr: `error: Could not read ${path}: the time was over before its end came.\nhint: Give more time with --timeout.\n`,
  });
});

test('a too large file is rejected by its size, and a device at the limit', async () => {
  const path = join(folder, 'sparse.yaml');
  await writeFile(path, '');
  await truncate(path, 2 ** 40);

  await expect(readInput(path, stdin, 2 ** 39)).rejects.toMatchObject({
    message: `${path} is larger than 524288 MiB.`,
  });
  await expect(readInput('/dev/zero', stdin, 2 ** 20)).rejects.toMatchObject({
    message: '/dev/zero is larger than 1 MiB.',
  });
});

test.each([
  ['', 'usage', '"" is not the name of a file.'],
  ['a\0b', 'usage', String.raw`"a\u0000b" is not the name of a file.`],
  [' \t', 'usage', String.raw`" \t" is not the name of a file.`],
  ['/proc/self/none', 'unreadable_file', 'Cannot read /proc/self/none: there is no such file (ENOENT).'],
  ['/proc', 'unreadable_file', 'Cannot read /proc: it is a folder (EISDIR).'],
  [
    '/dev/null/hotel.yaml',
    'unreadable_file',
    'Cannot read /dev/null/hotel.yaml: a part of its path is not a folder (ENOTDIR).',
  ],
])('%j cannot be read: exit code 2', async (path, code, message) => {
  await expect(readInput(path, stdin, 100_000)).rejects.toMatchObject({ code, message, exitCode: 2 });
});
