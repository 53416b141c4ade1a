import { describe, expect, test } from 'vitest';
import { hotelsYaml, seeding } from '../helpers/seeding.ts';

/** Two hotels created by a run, and the file of that run. */
async function seeded() {
  const world = await seeding();
  const path = await world.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
  await world.innctl(['apply', path, '--yes']);
  return { ...world, path };
}

describe('a second run of the same file', () => {
  test('sends a time that no service shows if it differs from the one last sent', async () => {
    const { file, innctl, path, writes } = await seeded();
    await file('hotels.yaml', hotelsYaml('HAM', 'KIE').replaceAll('15:00:00', '16:00:00'));

    const planned = await innctl(['plan', path, '--exit-code']);
    const applied = await innctl(['apply', path, '--yes', '--progress', 'none']);
    const again = await innctl(['plan', path, '--exit-code']);

    expect([planned.exitCode, planned.stdout.split('\n')[0]]).toEqual([
      10,
      expect.stringContaining('change\tproperty\tHAM\tdefault_check_in_time: "15:00:00" -> "16:00:00"'),
    ]);
    expect([applied.exitCode, applied.stderr]).toEqual([0, 'Applied: 2 changed.\n']);
    expect(writes.slice(2)).toEqual(['HAM', 'KIE'].map((id) => `PATCH /inventory/v1/properties/${id}`));
    expect([again.exitCode, again.stderr]).toEqual([0, 'Plan: 2 unchanged.\n']);
  });

  test('compares with what was sent if the response to a creation was lost', async () => {
    const { file, innctl } = await seeding('drop-after:operation=createProperty,nth=1');
    const path = await file('hotels.yaml', hotelsYaml('HAM'));
    const created = await innctl(['apply', path, '--yes']);
    await file('hotels.yaml', hotelsYaml('HAM').replace('11:00:00', '10:00:00'));

    expect(created.exitCode).toBe(0);
    expect((await innctl(['plan', path])).stdout).toContain(
      'default_check_out_time: "11:00:00" -> "10:00:00"',
    );
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
    const reason = 'no property has the id or code "BRE"';

    const { stdout, stderr } = await innctl(['apply', path, '--yes', '--progress', 'none']);
    const json = await innctl(['apply', path, '--yes', '--json']);

    expect(`${stdout}${stderr}`.split(reason)).toHaveLength(2);
    expect(stderr).toContain(`  ${path}: rows 2, 4, 5: ${reason}\n`);
    expect(JSON.parse(json.stdout).items).toMatchObject([
      { error: { message: reason } },
      { outcome: 'done' },
      { error: { message: reason } },
      { error: { message: reason } },
    ]);
    expect(JSON.parse(json.stderr).error.details).toEqual([{ field: `${path}: rows 2, 4, 5`, reason }]);
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
      /people\.csv: rows 2, 3, 4, 5: Could not create the invitation: .*Cleaner.*StaffManager.*\n/,
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

test('rejected rows from stdin: the hint asks for the corrected input', async () => {
  const { innctl } = await seeding();
  const stdin = 'users:\n  - { email: nobody@example.com, enabled: true }\n';

  const { exitCode, stderr } = await innctl(['apply', '-', '--yes'], { stdin });

  expect(exitCode).toBe(9);
  expect(stderr).toContain(
    'hint: Fix the rejected rows, then: innctl apply - --yes (with the corrected input)\n',
  );
});
