import { execFileSync } from 'node:child_process';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

let folder = '';
let state = '';

beforeEach(async () => {
  folder = await temporaryFolder();
  state = join(folder, 'state', 'sandbox', 'state.ndjson');
  mkdirSync(join(folder, 'state', 'sandbox'), { recursive: true });
});

const innctl = (line: string) => cli(`--sandbox ${line} --json`, { folder, connect: connectUndici });
const header = '{"version":2,"generation":1,"seed":"small","secret":"s"}\n';
const put = (record: string) => `${header}[{"put":["users","u-1",${record}]}]\n`;

/** How the program fails under --json. */
async function failureOf(line: string) {
  const { exitCode, stdout, stderr } = await innctl(line);
  const { error }: { readonly error: { readonly code: string; readonly message: string } } =
    JSON.parse(stderr);
  return { exitCode, stdout, code: error.code, message: error.message };
}

describe('an unreadable state is reported with its reason and exit 2, and stays unchanged', () => {
  const noHeader = 'its first line is not a header of version 2';
  const otherFormat = (version: number) =>
    `another version of innctl wrote it, in format ${version} instead of 2`;
  const noBatch = 'a line is not a batch of changes';
  const cases: readonly (readonly [what: string, content: string | Uint8Array, reason: string])[] = [
    ['is empty', '', noHeader],
    ['is binary', Uint8Array.from({ length: 4_096 }, (_, index) => index % 251), noHeader],
    ['is nested 100,000 levels deep', `${header}${'['.repeat(100_000)}\n`, noBatch],
    ['has a number as a record', put('7'), noBatch],
    ['has an unknown collection', `${header}[{"put":["__proto__","x",{}]}]\n`, noBatch],
    ['has an unknown operation', `${header}[{"move":["users","u-1"]}]\n`, noBatch],
    ['has an incomplete line in the middle', `${header}[{"put":["us\n[]\n`, noBatch],
    ['is of a newer innctl', header.replace('"version":2', '"version":3'), otherFormat(3)],
    ['has an invalid version', header.replace('2,"gen', '"$(touch x)","gen'), noHeader],
  ];

  test.each(cases)('a state that %s', async (_, content, reason) => {
    writeFileSync(state, content);

    for (const line of [
      'invitations list',
      'invitations create mia@example.com --role Housekeeping --property BER',
    ]) {
      expect(await failureOf(line)).toEqual({
        exitCode: 2,
        stdout: '',
        code: 'sandbox_corrupt',
        message: `The sandbox's state ${state} cannot be read: ${reason}.`,
      });
    }
    expect(readFileSync(state).equals(Buffer.from(content))).toBe(true);
  });

  test('a state of 8 GiB, which is not read', async () => {
    closeSync(openSync(state, 'w'));
    truncateSync(state, 8 * 2 ** 30);

    expect(await failureOf('invitations list')).toMatchObject({ exitCode: 2, code: 'sandbox_corrupt' });
    expect(statSync(state).size).toBe(8 * 2 ** 30);
  });

  test('a pipe, without blocking', async () => {
    execFileSync('mkfifo', [state]);

    expect(await failureOf('invitations list')).toMatchObject({
      exitCode: 2,
      message: `The sandbox's state ${state} cannot be read: it is not a regular file.`,
    });
    expect(lstatSync(state).isFIFO()).toBe(true);
  });
});

test('a last line that ends in the middle of a character is ignored', async () => {
  await innctl('invitations create mia@example.com --role Housekeeping --property BER');
  const line = Buffer.from('[{"put":["invitations","zoë@example.com",{"email":"zoë');
  await appendFile(state, line.subarray(0, line.indexOf(0xab)));

  const { exitCode, stdout } = await innctl('invitations list --fields email');

  expect([exitCode, stdout.includes('mia@example.com'), stdout.includes('zo')]).toEqual([0, true, false]);
});
