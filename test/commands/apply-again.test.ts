import { describe, expect, test } from 'vitest';
import { hotelsYaml, seeding } from '../helpers/seeding.ts';

const shown =
  'unchanged as far as the service shows (default_check_in_time and default_check_out_time are never shown; --write-unreadable writes them)';

/** Two hotels created by a run, and the file of that run. */
async function seeded() {
  const world = await seeding();
  const path = await world.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
  await world.innctl(['apply', path, '--yes']);
  return { ...world, path };
}

describe('a second run of the same file', () => {
  test('finds everything the same as far as the service shows', async () => {
    const { innctl, path, writes } = await seeded();

    const planned = await innctl(['plan', path, '--exit-code']);
    const applied = await innctl(['apply', path]);

    expect([planned.exitCode, planned.stderr]).toEqual([0, `Plan: 2 ${shown}.\n`]);
    expect([applied.exitCode, applied.stderr]).toEqual([0, `There is nothing to do: 2 ${shown}.\n`]);
    expect(writes).toHaveLength(2);
  });

  test('reports changed fields that the service does not show, until --write-unreadable writes them', async () => {
    const { file, innctl, path } = await seeded();
    await file('hotels.yaml', hotelsYaml('HAM', 'KIE').replaceAll('15:00:00', '16:00:00'));
    const notice =
      'default_check_in_time changed in the file since the last run (15:00:00 -> 16:00:00); ' +
      "the service doesn't show it: --write-unreadable writes it";
    const changed = [{ field: 'default_check_in_time', from: '15:00:00', to: '16:00:00' }];

    const planned = await innctl(['plan', path, '--exit-code', '--json']);
    const applied = await innctl(['apply', path]);
    const results = await innctl(['apply', path, '--json']);
    await innctl(['apply', path, '--yes', '--write-unreadable']);
    const settled = await innctl(['plan', path, '--exit-code']);

    expect(planned.exitCode).toBe(10);
    expect(JSON.parse(planned.stdout).items).toMatchObject([
      { action: 'cannot_compare', changed_in_file: changed, what: [notice, expect.any(String)] },
      { action: 'cannot_compare', changed_in_file: changed },
    ]);
    expect([applied.exitCode, applied.stderr]).toEqual([
      0,
      `warning: ${path}: lines 2, 12: ${notice}\n` +
        'Nothing was sent: 2 changed in the file, where the service does not show it.\n',
    ]);
    expect(JSON.parse(results.stdout).items).toMatchObject([
      { outcome: 'done', changed_in_file: changed },
      { outcome: 'done', changed_in_file: changed },
    ]);
    expect([settled.exitCode, settled.stderr]).toEqual([0, `Plan: 2 ${shown}.\n`]);
  });

  test('compares with what was sent if the response to a creation was lost', async () => {
    const { file, innctl } = await seeding('drop-after:operation=createProperty,nth=1');
    const path = await file('hotels.yaml', hotelsYaml('HAM'));
    await innctl(['apply', path, '--yes']);
    await innctl(['apply', path, '--yes']);
    await file('hotels.yaml', hotelsYaml('HAM').replace('11:00:00', '10:00:00'));

    expect(JSON.parse((await innctl(['plan', path, '--json'])).stdout).items).toMatchObject([
      { changed_in_file: [{ field: 'default_check_out_time', from: '11:00:00', to: '10:00:00' }] },
    ]);
  });

  test('reports in the dialect apaleo that a time stays as created', async () => {
    const { file, innctl } = await seeding();
    const env = { INNCTL_DIALECT: 'apaleo' };
    const yaml = hotelsYaml('HAM').replace('currency_code', 'payment_terms: { en: now }\n    currency_code');
    const path = await file('hotels.yaml', yaml);
    await innctl(['--sandbox', 'apply', path, '--yes'], { env });
    await file('hotels.yaml', yaml.replace('15:00:00', '16:00:00'));

    const reason =
      'default_check_in_time changed in the file since the last run (15:00:00 -> 16:00:00); it stays as it was created';

    const planned = await innctl(['--sandbox', 'plan', path, '--exit-code', '--json'], { env });
    const applied = await innctl(['--sandbox', 'apply', path], { env });

    expect([planned.exitCode, JSON.parse(planned.stdout).items]).toMatchObject([
      0,
      [{ action: 'same', reason }],
    ]);
    expect([applied.exitCode, applied.stderr]).toEqual([
      0,
      expect.stringContaining(
        `warning: ${path}: line 2: HAM: ${reason}\nThere is nothing to do: 1 unchanged.\n`,
      ),
    ]);
  });
});

describe('a reason shared by several failed rows', () => {
  const rows = ['ana', 'ben', 'eva', 'mia'].map((name) => `${name}@example.com,Housekeeping`);
  const table = (...properties: readonly string[]) =>
    `email,role,properties\n${rows.map((row, index) => `${row},${properties[index]}\n`).join('')}`;

  test('is printed once with their row numbers, and for each row in JSON', async () => {
    const { file, innctl } = await seeding();
    const path = await file('people.csv', table('BRE', 'BER', 'BRE', 'BRE'));
    const reason = 'no property has the id or code "BRE"; did you mean "BER"?';

    const { stdout, stderr } = await innctl(['apply', path, '--yes', '--progress', 'none']);
    const json = await innctl(['apply', path, '--yes', '--json']);

    expect(`${stdout}${stderr}`.split(reason)).toHaveLength(2);
    expect(stderr).toContain(`  ${path}: rows 2, 4-5: ${reason}\n`);
    expect(JSON.parse(json.stdout).items).toMatchObject([
      { error: { message: reason } },
      { outcome: 'done' },
      { error: { message: reason } },
      { error: { message: reason } },
    ]);
    expect(JSON.parse(json.stderr).error.details).toEqual([{ field: `${path}: rows 2, 4-5`, reason }]);
  });

  test('is printed without request ids if the service refused them for the same reason', async () => {
    const { file, innctl } = await seeding('answer:operation=listRoles,status=403');
    const path = await file(
      'people.csv',
      table('BER', 'BER', 'BER', 'BER').replaceAll('Housekeeping', 'Cleaner'),
    );

    const { stderr } = await innctl(['apply', path, '--yes', '--progress', 'none']);

    expect(stderr.match(/"Cleaner" is not one of/g)).toHaveLength(1);
    expect(stderr).toMatch(
      /people\.csv: rows 2-5: Could not create the invitation: .*Cleaner.*StaffManager.*\n/,
    );
    expect(stderr).not.toContain('request id');
  });
});

test('the rejected field and the reason are reported in JSON, and kept in the run', async () => {
  const { file, innctl } = await seeding('answer:operation=listRoles,status=403');
  const path = await file('people.csv', 'email,role,properties\nmia@example.com,H,BER\n');
  const line = ['apply', path, '--yes'];

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
    hint: `Fix the rejected rows, then: innctl ${line.join(' ')} --json`,
  });
  expect((await innctl(['runs', 'show', '111111'])).stdout).toContain('role: "H" is not one of');
});

test('rejected rows print one JSON document on stdout and one error on stderr with --json', async () => {
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

test('rejected rows from stdin: the hint asks for the corrected input', async () => {
  const { innctl } = await seeding();
  const stdin = 'users:\n  - { email: nobody@example.com, enabled: true }\n';

  const { exitCode, stderr } = await innctl(['apply', '-', '--yes'], { stdin });

  expect(exitCode).toBe(9);
  expect(stderr).toContain(
    'hint: Fix the rejected rows, then: innctl apply - --yes (with the corrected input)\n',
  );
});
