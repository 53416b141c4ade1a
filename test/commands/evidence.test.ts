import { appendFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openEvidence } from '../../src/people/evidence.ts';
import { cli } from '../helpers/cli.ts';
import { chainOf } from '../helpers/evidence.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const hanna = { person: { email: 'hanna@example.com' } };
const ben = { person: { email: 'ben@example.com' } };

let folder = '';

/** The folder has evidence about Hanna, and an unfinished job about Ben. */
beforeEach(async () => {
  folder = await temporaryFolder();
  const { signal } = new AbortController();
  const options = { uid: process.geteuid?.(), now: () => 0, signal, clean: String };
  const evidence = await openEvidence(folder, { job: 'people offboard' }, [hanna, ben], options);
  evidence.finish(hanna);
  evidence.close();
});

const digest = /^1 document as written; the digest of the last line is [\da-f]{64}\.\n$/;

test('evidence verify prints the digest of the last line, and warns of unfinished jobs', async () => {
  const ended = await cli(['evidence', 'verify', folder]);

  expect(ended).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(digest),
    stderr:
      'warning: line 2: people offboard ben@example.com was begun and not finished; repeat its command.\n',
  });
});

test('evidence verify --json has the same for programs', async () => {
  const { stdout } = await cli(['evidence', 'verify', folder, '--json']);

  expect(JSON.parse(stdout)).toEqual({
    folder: folder,
    intact: true,
    count: 1,
    unfinished: [
      { line: 2, job: 'people offboard', name: 'ben@example.com', began: '1970-01-01T00:00:00.000Z' },
    ],
    last: expect.stringMatching(/^[\da-f]{64}$/),
  });
});

test('evidence verify exits with 6 and names the first line that is not as it was written', async () => {
  await appendFile(chainOf(folder), '{}\n');

  const { exitCode, stdout, stderr } = await cli(['evidence', 'verify', folder]);

  expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
  expect(stderr).toContain('The evidence is not as it was written: line 4 was changed after it was written.');
});

test('evidence verify exits with 3 where there is none', async () => {
  expect(await cli('evidence verify /nowhere/evidence')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('There is no evidence in /nowhere/evidence.'),
  });
});

test('evidence verify does not follow a link', async () => {
  const link = join(folder, 'link');
  await symlink(folder, link);

  expect(await cli(['evidence', 'verify', `${link}/`])).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: `error: There is no evidence in ${link}/.\nhint: Name the folder that --evidence named.\n`,
  });
});
