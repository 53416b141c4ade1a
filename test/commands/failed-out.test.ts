import { mkdirSync } from 'node:fs';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';

describe('rows that were not applied', () => {
  const people = `invitations:
  - { email: mia@example.com, role: Housekeeping, properties: [BER] }
  - { email: eva@example.com, role: =Boss, properties: [BER] }
`;

  test('are written to the --failed-out table, which can be applied after it is corrected', async () => {
    const { file, folder, innctl, invited } = await seeding();
    const path = await file('people.yaml', people);
    const table = join(folder, 'failed.csv');

    const applied = await innctl(['apply', path, '--yes', '--failed-out', table, '--concurrency', '1']);

    const written = await readFile(table, 'utf8');
    expect(applied.exitCode).toBe(9);
    expect(written).toMatch(
      /^kind,email,role,properties,error\ninvitation,eva@example\.com,'=Boss,BER,"?failed: /,
    );
    expect((await readdir(folder)).filter((name) => name.includes('tmp'))).toEqual([]);

    await file('failed.csv', written.replace("'=Boss", 'Auditor'));
    expect((await innctl(['apply', table, '--yes'])).exitCode).toBe(0);
    expect(await invited()).toEqual(expect.arrayContaining(['mia@example.com', 'eva@example.com']));
  });

  test('with an unknown outcome are left out of the table: applying them again could send a second invitation', async () => {
    const { file, folder, innctl } = await seeding('500:nth=1,operation=createInvitation');
    const path = await file('people.yaml', people);
    const table = join(folder, 'failed.csv');

    const line = ['apply', path, '--yes', '--failed-out', table, '--concurrency', '1'];
    const { exitCode, stderr } = await innctl(line);

    const written = await readFile(table, 'utf8');
    expect([exitCode, written.includes('eva@'), written.includes('mia@')]).toEqual([8, true, false]);
    expect(stderr).toContain(
      `warning: 1 row with an unknown outcome is not in ${table}: the same command settles it.\n`,
    );
  });

  test.each(['yaml', 'yml', 'json', 'ndjson', 'jsonl'])(
    'are written in the format of the file extension .%s, including nested fields',
    async (ending) => {
      const { file, folder, innctl, hotels } = await seeding();
      const extra = '    extra: { stars: 4, tags: [sea, spa] }\n';
      const path = await file(
        'hotels.yaml',
        `${hotelsYaml('HAM').replace('DE1', '"?"')}${extra}users:\n  - { email: nobody@example.com, properties: [] }\n`,
      );
      const again = join(folder, `failed.${ending}`);

      await innctl(['apply', path, '--yes', '--failed-out', again], {
        onWrite: (request) => Object.assign(request, { url: request.url.replace('/properties', '/nothing') }),
      });

      expect(await hotels()).not.toContain('HAM');
      const { stdout } = await innctl(['plan', again, '--json']);
      expect(JSON.parse(stdout).items).toMatchObject([
        { action: 'create', name: 'HAM', body: { stars: 4, tags: ['sea', 'spa'] } },
        { action: 'conflict', name: 'nobody@example.com' },
      ]);
    },
  );

  test('lose nested fields in a table, with a warning', async () => {
    const { file, folder, innctl } = await seeding();
    const path = await file(
      'people.yaml',
      'invitations:\n  - { email: eva@example.com, role: Boss, properties: [BER], extra: { floor: 4 } }\n',
    );
    const table = join(folder, 'failed.csv');

    const { stderr } = await innctl(['apply', path, '--yes', '--failed-out', table]);

    expect(stderr).toContain(
      `warning: ${table} omits fields that only a .yaml, .json or .ndjson file can hold: `,
    );
    expect(stderr).toContain('extra.floor');
  });

  test('keep an empty list in a table: applying it again removes the access', async () => {
    const { file, folder, innctl } = await seeding();
    const path = await file('people.yaml', 'users:\n  - { email: nobody@example.com, properties: [] }\n');
    const table = join(folder, 'failed.csv');

    await innctl(['apply', path, '--yes', '--failed-out', table]);

    expect(await readFile(table, 'utf8')).toContain('user,nobody@example.com,[],');
  });

  test('report the rejected field and the reason in JSON, in the table and in the run', async () => {
    const { file, folder, innctl } = await seeding('answer:operation=listRoles,status=403');
    const path = await file('people.csv', 'email,role,properties\nmia@example.com,H,BER\n');
    const table = join(folder, 'failed.csv');
    const line = ['apply', path, '--yes', '--failed-out', table];

    const { exitCode, stdout, stderr } = await innctl([...line, '--json']);

    const error = {
      message: expect.stringMatching(/ role: "H" is not one of .* \(request id \S+\)$/),
      details: [{ field: 'role', reason: expect.stringContaining('is not one of') }],
      request_id: expect.any(String),
    };
    expect({ exitCode, items: JSON.parse(stdout).items }).toMatchObject({
      exitCode: 9,
      items: [{ row: 1, file: path, file_row: 2, outcome: 'failed', error }],
    });
    expect(JSON.parse(stderr).error).toMatchObject({
      details: [
        { field: `${path}: row 2: mia@example.com`, reason: expect.stringContaining('role: "H" is not') },
      ],
      hint: `Fix ${table}, then: innctl apply ${table} --yes; or fix the files themselves, then: innctl ${line.join(' ')} --json`,
    });
    expect(await readFile(table, 'utf8')).toContain('role: ""H"" is not one of');
    expect((await innctl(['runs', 'show', '111111'])).stdout).toContain('role: "H" is not one of');
  });

  test('none: the table contains only the header', async () => {
    const { file, folder, innctl } = await seeding();
    const table = await file('failed.csv', 'what was here before');

    await innctl([
      'apply',
      await file('people.yaml', peopleYaml('mia@example.com')),
      '--yes',
      '--failed-out',
      table,
    ]);

    expect(await readFile(join(folder, 'failed.csv'), 'utf8')).toBe('kind,error\n');
    expect(await innctl(['plan', table])).toEqual({ exitCode: 0, stdout: '', stderr: 'Plan: nothing.\n' });
  });

  test('print one JSON document on stdout and one error on stderr with --json', async () => {
    const { file, innctl } = await seeding();
    const path = await file('seed.yaml', 'users:\n  - { email: nobody@example.com, enabled: true }\n');

    const { exitCode, stdout, stderr } = await innctl(['apply', path, '--yes', '--json']);

    expect(exitCode).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { done: 0, failed: 1, unknown: 0, not_attempted: 0 },
      items: [{ outcome: 'failed', action: 'conflict', error: { code: 'conflict' } }],
    });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'partly_done',
      message: '1 of 1 row was not done: 1 failed.',
      hint: `Fix the rejected rows, then: innctl apply ${path} --yes --json`,
    });
  });
});

test('rejected rows from stdin: the hint asks for the corrected input', async () => {
  const { innctl } = await seeding();
  const stdin = 'users:\n  - { email: nobody@example.com, enabled: true }\n';

  const { exitCode, stderr } = await innctl(['apply', '-', '--yes'], { stdin });

  expect(exitCode).toBe(9);
  expect(stderr).toContain(
    'hint: Fix the rejected rows, then: innctl apply - --yes (with the corrected input)\n',
  );
});

describe('--failed-out with an invalid path is rejected before any request', () => {
  test.each([
    ['below a file', 'people.yaml/failed.csv', 'a part of its path is not a folder (ENOTDIR)'],
    ['below a symlink loop', 'circle/failed.csv', 'its path is a circle of links (ELOOP)'],
    ['with a name of 300 characters', `${'f'.repeat(300)}.csv`, 'its path is too long (ENAMETOOLONG)'],
  ])('%s', async (_, name, reason) => {
    const { file, folder, innctl, writes } = await seeding();
    const path = await file('people.yaml', peopleYaml('mia@example.com'));
    await symlink('circle', join(folder, 'circle'));
    const table = join(folder, name);

    const { exitCode, stderr } = await innctl(['apply', path, '--yes', '--failed-out', table]);

    expect({ exitCode, writes }).toEqual({ exitCode: 2, writes: [] });
    expect(stderr).toContain(`--failed-out: cannot be written: ${table}: ${reason}`);
  });
});

test.each(['--journal', '--plan'])(
  'a name of 300 characters for %s is reported for that flag, not for --failed-out',
  async (flag) => {
    const { file, folder, innctl, writes } = await seeding();
    const path = await file('people.yaml', peopleYaml('mia@example.com'));
    const long = join(folder, 'l'.repeat(300));

    const line = ['apply', path, '--yes', '--failed-out', join(folder, 'failed.csv'), flag, long];
    const { stderr } = await innctl(line);

    expect(stderr).toContain('its path is too long (ENAMETOOLONG)');
    expect(stderr).not.toContain('--failed-out');
    expect(writes).toEqual([]);
  },
);

test('a --failed-out write error is reported although stdout is closed', async () => {
  const { file, folder, innctl } = await seeding();
  const path = await file('people.yaml', peopleYaml('mia@example.com'));
  const table = join(folder, 'failed.csv');

  const { stderr } = await innctl(['apply', path, '--yes', '--failed-out', table], {
    closesAfter: 0,
    onWrite: () => mkdirSync(table),
  });

  expect(stderr).toContain(`warning: Could not write ${table}: it is a folder (EISDIR).\n`);
});
