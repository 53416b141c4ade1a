import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readDocument } from '../../src/people/access-document.ts';
import { reviewRows } from '../../src/people/review.ts';
import { documentsOf, linesOf } from '../helpers/evidence.ts';
import { type Seeding, seeding } from '../helpers/seeding.ts';

const COLUMNS = [
  'row_id',
  'email',
  'subject_id',
  'property',
  'source',
  'roles',
  'decision',
  'reviewer',
  'comment',
] as const;

let service: Seeding;

beforeEach(async () => {
  service = await seeding();
});

/** The review of the account of now, with decisions such as `ben@aurora.example MUC`. */
async function rowsOf(decisions: Readonly<Record<string, string>>): Promise<readonly string[][]> {
  const { stdout } = await service.innctl('access report --json');
  const { items } = await readDocument(stdout, 'now.json');
  const rows = reviewRows(items);
  const left = new Set(Object.keys(decisions));
  const table = rows.map((row) => {
    const key = `${row.email} ${row.property ?? ''}`.trim();
    left.delete(key);
    const decided = {
      ...row,
      decision: decisions[key] ?? '',
      comment: decisions[key] && `${decisions[key]} it`,
    };
    return COLUMNS.map((name) => [decided[name] ?? ''].flat().join(' '));
  });
  expect([...left]).toEqual([]);
  return [[...COLUMNS], ...table];
}

/** The same as a file. @returns its path. */
async function review(decisions: Readonly<Record<string, string>>): Promise<string> {
  const rows = await rowsOf(decisions);
  return service.file('review.csv', rows.map((cells) => `${cells.join(',')}\n`).join(''));
}

async function user(email: string) {
  const { stdout } = await service.innctl(`users get ${email} --json`);
  return JSON.parse(stdout);
}

/** A row of evidence without its place, which names the file. */
const fieldsOf = ({ place: _, ...fields }: Record<string, unknown>) => fields;

const writes = () => service.writes.map((line) => line.replace(/users\/.*/, 'users/ID'));

describe('access apply', () => {
  test('sends one patch for the decisions about one user, and withdraws invitations', async () => {
    const path = await review({
      'hanna@aurora.example BER': 'revoke',
      'hanna@aurora.example MUC': 'Revoke',
      'hanna@aurora.example VIE': 'keep',
      'ben@aurora.example BER': 'disable',
      'jonas.keller@aurora.example BER': 'withdraw',
    });

    const { exitCode, stdout } = await service.innctl(
      `access apply ${path} --yes --max-deletes 2 --concurrency 1`,
    );

    expect({ exitCode, changed: stdout.split('\n').filter((line) => !/\tsame\t/.test(line)) }).toEqual({
      exitCode: 0,
      changed: [
        expect.stringMatching(/^done\tchange\tuser\tben@aurora\.example\t/),
        expect.stringMatching(/^done\tchange\tuser\thanna@aurora\.example\t/),
        expect.stringMatching(/^done\tdelete\tinvitation\tjonas\.keller@aurora\.example\t/),
        '',
      ],
    });
    expect(writes()).toEqual([
      'PATCH /api/v1/identity/users/ID',
      'PATCH /api/v1/identity/users/ID',
      'DELETE /api/v1/invitations/jonas.keller%40aurora.example',
    ]);
    expect((await user('hanna@aurora.example')).properties).toEqual(['VIE']);
    expect(await user('ben@aurora.example')).toMatchObject({ enabled: false, properties: ['BER', 'MUC'] });
    expect(await service.invited()).not.toContain('jonas.keller@aurora.example');
  });

  test('shows the plan with --plan-only, and names rows without a decision', async () => {
    const path = await review({ 'hanna@aurora.example BER': 'revoke' });

    const { exitCode, stdout, stderr } = await service.innctl(`access apply ${path} --plan-only`);

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^change\tuser\thanna@aurora\.example\t/m),
    });
    expect(stderr).toMatch(
      /warning: \d+ rows of .*review\.csv without a decision: ana@aurora\.example at \*, /,
    );
    expect(service.writes).toEqual([]);
  });

  test('refuses empty decisions with --require-all, each by its row', async () => {
    const path = await review({ 'hanna@aurora.example BER': 'keep' });

    const { exitCode, stderr } = await service.innctl(`access apply ${path} --require-all --yes`);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(`${path}: row 2: decision: is missing, and --require-all is given`),
    });
    expect(service.writes).toEqual([]);
  });

  test('holds back a person whose access has changed since, and nobody else', async () => {
    const path = await review({
      'hanna@aurora.example BER': 'revoke',
      'hanna@aurora.example MUC': 'revoke',
      'ben@aurora.example MUC': 'revoke',
    });
    await service.innctl('users update hanna@aurora.example --disable --confirm hanna@aurora.example');
    service.writes.length = 0;

    const { exitCode, stderr } = await service.innctl(`access apply ${path} --yes`);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr: expect.stringContaining('hanna@aurora.example: its access has changed since the review'),
    });
    expect((await user('hanna@aurora.example')).properties).toHaveLength(3);
    expect((await user('ben@aurora.example')).properties).toEqual(['BER']);
    expect(service.writes).toHaveLength(1);
  });

  test('warns of access that was gained since', async () => {
    const path = await review({ 'ben@aurora.example MUC': 'keep' });
    await service.innctl('users grant ben@aurora.example --property VIE');

    const { stderr } = await service.innctl(`access apply ${path} --plan-only`);

    expect(stderr).toContain(
      'warning: Access without a row, not reviewed or gained since: 1 entry: ben@aurora.example at VIE.',
    );
  });

  test('revoking full access is refused where no operation does it', async () => {
    const path = await review({ 'ana@aurora.example *': 'revoke' });

    const { exitCode, stderr } = await service.innctl(`access apply ${path} --yes`);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr: expect.stringContaining('no operation of this service takes full access from a user'),
    });
    expect(service.writes).toEqual([]);
  });

  test.each([
    ['without consent', '--max-deletes 2', 11, 'This needs consent'],
    ['with too few deletions', '--yes --max-deletes 1', 11, '--max-deletes 2'],
    ['without any deletion', '--yes', 11, '--max-deletes 2'],
    ['with a reason and no evidence', '--yes --max-deletes 2 --reason left', 2, '--evidence'],
  ])('sends nothing %s', async (_, flags, expected, text) => {
    const path = await review({
      'ben@aurora.example BER': 'disable',
      'jonas.keller@aurora.example BER': 'withdraw',
    });

    const { exitCode, stderr } = await service.innctl(`access apply ${path} ${flags}`);

    expect({ exitCode, stderr }).toEqual({ exitCode: expected, stderr: expect.stringContaining(text) });
    expect(service.writes).toEqual([]);
  });

  const reviewsOf = async (folder: string) => (await documentsOf(folder)).filter(({ review }) => review);

  test('keeps evidence of a review in which all is kept: every row, and the digest of the file', async () => {
    const path = await review({
      'hanna@aurora.example BER': 'keep',
      'jonas.keller@aurora.example BER': 'keep',
    });
    const sha256 = hash('sha256', await readFile(path), 'hex');
    const folder = join(service.folder, 'evidence');

    const done = await service.innctl(`access apply ${path} --evidence ${folder}`);
    const again = await service.innctl(`access apply - --evidence ${folder}`, {
      stdin: await readFile(path, 'utf8'),
    });
    const verified = await service.innctl(`evidence verify ${folder} --json`);

    const [document, second] = await reviewsOf(folder);
    expect([done.exitCode, again.exitCode, service.writes]).toEqual([0, 0, []]);
    expect(done.stderr).toContain(`Evidence: 1 document in ${folder}.`);
    expect(JSON.parse(verified.stdout)).toMatchObject({ intact: true, count: 2, unfinished: [] });
    expect(Object.keys(document)).not.toContain('person');
    expect(document.review).toMatchObject({ sha256, file: 'review.csv', scope: { not_reviewed: [] } });
    expect(second.review).toMatchObject({ sha256, file: 'stdin', rows: document.review.rows.map(fieldsOf) });
    const kept = document.review.rows.filter(({ outcome }: { outcome: string }) => outcome === 'kept');
    expect(kept.map(fieldsOf)).toMatchObject([
      { email: 'hanna@aurora.example', property: 'BER', decision: 'keep', comment: 'keep it', reviewer: '' },
      { email: 'jonas.keller@aurora.example', property: 'BER', decision: 'keep', comment: 'keep it' },
    ]);
    expect(document.review.rows).toHaveLength(document.review.scope.rows);
  });

  test('keeps evidence of how each decision ended', async () => {
    const path = await review({
      'hanna@aurora.example BER': 'revoke',
      'hanna@aurora.example MUC': 'keep',
      'ben@aurora.example BER': 'disable',
      'emma@aurora.example MUC': 'keep',
      'jonas.keller@aurora.example BER': 'withdraw',
    });
    await service.innctl('users revoke emma@aurora.example --property MUC --yes');
    await service.innctl('users grant clara@aurora.example --property VIE');
    const folder = join(service.folder, 'evidence');
    await service.innctl(`access apply ${path} --plan-only --evidence ${folder}`);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');

    const line = `access apply ${path} --yes --max-deletes 2 --evidence ${folder}`;
    const { exitCode, stderr } = await service.innctl(line);

    const documents = await reviewsOf(folder);
    const outcomes = documents[0].review.rows
      .filter(({ outcome }: { outcome: string }) => outcome !== 'undecided')
      .map(({ email, property, outcome }: Record<string, string>) => `${email} ${property}: ${outcome}`);
    expect([exitCode, stderr]).toEqual([9, expect.stringContaining(`Evidence: 4 documents in ${folder}.`)]);
    expect(outcomes).toEqual([
      'ben@aurora.example BER: done',
      'ben@aurora.example MUC: done',
      'emma@aurora.example MUC: conflict',
      'hanna@aurora.example BER: done',
      'hanna@aurora.example MUC: kept',
      'jonas.keller@aurora.example BER: done',
    ]);
    expect((await linesOf(folder)).join('')).not.toContain('"subject_id":""');
    expect(documents[0].review.scope.not_reviewed).toEqual([
      { email: 'clara@aurora.example', property: 'VIE', source: 'user' },
    ]);
  });

  test('somebody whose last property was revoked has gained nothing', async () => {
    const path = await review({ 'felix@aurora.example BER': 'revoke' });
    expect((await service.innctl(`access apply ${path} --yes`)).exitCode).toBe(0);

    expect((await service.innctl(`access apply ${path} --yes`)).stderr).not.toContain('gained');
  });
});

describe('a hostile review', () => {
  test.each<[string, string, string]>([
    ['no table', 'nothing', 'row 1'],
    ['no decisions', 'row_id,email,property,source\nr0,x@example.com,BER,user\n', 'has no column decision'],
    [
      'a misspelt decision',
      'row_id,email,property,source,decision\nr0123456789abcde,x@example.com,BER,user,revok\n',
      'row 2: decision: "revok" is not one of keep, revoke, disable, withdraw',
    ],
    [
      'a row_id that a spreadsheet changed',
      'row_id,email,property,source,decision\n1E+15,x@example.com,BER,user,keep\n',
      'row 2: row_id: "1E+15" was rewritten by a spreadsheet',
    ],
    [
      'terminal escapes',
      'row_id,email,property,source,decision\nr0123456789abcde,x@example.com,BER,user,\u001b[31mkeep\n',
      'row 2',
    ],
  ])('with %s is refused with its row: exit 2', async (_, text, reason) => {
    const path = await service.file('review.csv', text);

    const { exitCode, stderr } = await service.innctl(`access apply ${path} --yes`);

    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(reason) });
    expect(stderr).not.toContain('\u001b[31m');
    expect(service.writes).toEqual([]);
  });

  test('that is a plain report is refused with the line that makes one', async () => {
    const { stdout } = await service.innctl('access report -o csv');
    const path = await service.file('report.csv', stdout);

    const { exitCode, stderr } = await service.innctl(`access apply ${path} --yes`);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('has no column row_id');
    expect(stderr).toContain('hint: innctl access report --for-review -o csv > review.csv makes one.\n');
  });
});
