import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEvidence } from '../../src/people/evidence-folder.ts';
import { cli } from '../helpers/cli.ts';

const hanna = { email: 'hanna@example.com', before: null, planned: [] };
const ben = { ...hanna, email: 'ben@example.com' };

/** A folder with evidence about Hanna, and an unfinished job about Ben. */
async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-evidence-'));
  const service = { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox', dialect: 'contract' };
  const evidence = await openEvidence(
    folder,
    { job: 'people offboard', actor: null, service },
    { uid: process.geteuid?.(), now: () => 0, signal: new AbortController().signal, clean: String },
  );
  evidence.begin([hanna, ben]);
  const path = evidence.finish(hanna, { after: null, verdicts: [], cannot_tell: [] }, []);
  evidence.close();
  return { folder, path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

const digest = /^1 document as written; the digest of the last one is [\da-f]{64}\.\n$/;

test('evidence verify prints the digest of the last document, and warns of unfinished jobs', async () => {
  await using place = await openFolder();

  const ended = await cli(['evidence', 'verify', place.folder]);

  expect(ended).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(digest),
    stderr: expect.stringMatching(
      /^warning: open-people-offboard-ben@example\.com-[\da-f]{12}\.json: this job was begun and not finished; repeat its command\.\n$/,
    ),
  });
});

test('evidence verify --json has the same for programs', async () => {
  await using place = await openFolder();

  const { stdout } = await cli(['evidence', 'verify', place.folder, '--json']);

  expect(JSON.parse(stdout)).toEqual({
    folder: place.folder,
    intact: true,
    count: 1,
    unfinished: [expect.stringContaining('open-people-offboard-ben@example.com')],
    last: expect.stringMatching(/^[\da-f]{64}$/),
  });
});

test('evidence verify exits with 6 and names the first file that is not as it was written', async () => {
  await using place = await openFolder();
  await writeFile(place.path, '{}\n');

  const { exitCode, stdout, stderr } = await cli(['evidence', 'verify', place.folder]);

  expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
  expect(stderr).toContain(
    'The evidence is not as it was written: 000001-people-offboard-hanna@example.com.json was changed after it was written.',
  );
});

test.each([['/nowhere/evidence'], [tmpdir().concat('/nothing')]])(
  'evidence verify %s exits with 3 and says why',
  async (folder) => {
    expect(await cli(['evidence', 'verify', folder])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`There is no evidence in ${folder}: there is no such folder.`),
    });
  },
);

test('evidence verify does not follow a link', async () => {
  await using place = await openFolder();
  const link = join(place.folder, 'link');
  await symlink(place.folder, link);

  expect(await cli(['evidence', 'verify', `${link}/`])).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: `error: There is no evidence in ${link}/: it is a symbolic link.\nhint: Name the folder itself.\n`,
  });
});
