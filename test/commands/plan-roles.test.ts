import { describe, expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, seeding } from '../helpers/seeding.ts';

const table = `email,role,properties
ana@example.com,housekeeping,BER
ben@example.com,Cleaner,BER
eva@example.com,Housekeeping,BER
mia@example.com,FrontOffice,BER
`;

const expectedItems = [
  {
    action: 'conflict',
    file_row: 2,
    reason: 'the service has no role "housekeeping"; did you mean "Housekeeping"?',
  },
  {
    action: 'conflict',
    file_row: 3,
    reason: expect.stringContaining('the service has no role "Cleaner"'),
  },
  { action: 'create', file_row: 4 },
  { action: 'create', file_row: 5 },
];

test('unlisted roles are conflicts of the plan, with their rows', async () => {
  const { file, innctl } = await seeding();
  const reads: string[] = [];

  const planned = await innctl(['plan', await file('people.csv', table), '--json'], {
    onRead: ({ url }) => reads.push(new URL(url).pathname),
  });

  expect(JSON.parse(planned.stdout).items).toMatchObject(expectedItems);
  expect(reads.filter((path) => path.endsWith('/roles'))).toHaveLength(1);
});

test('apply sends nothing for rows with unlisted roles', async () => {
  const { file, innctl, writes, invited } = await seeding();

  const run = await innctl(['apply', await file('people.csv', table), '--yes', '--json']);

  expect(run.exitCode).toBe(9);
  expect(JSON.parse(run.stdout).items).toMatchObject([
    { file_row: 2, outcome: 'failed', error: { code: 'conflict', message: expectedItems[0]?.reason } },
    { file_row: 3, outcome: 'failed', error: { code: 'conflict' } },
    { file_row: 4, outcome: 'done' },
    { file_row: 5, outcome: 'done' },
  ]);
  expect(writes).toHaveLength(2);
  expect(await invited()).toEqual(expect.arrayContaining(['eva@example.com', 'mia@example.com']));
});

describe('if the role list is unavailable', () => {
  test.each([
    ['it is forbidden', 'answer:operation=listRoles,status=403'],
    ['its response is invalid', '200:operation=listRoles,body=html'],
  ])('because %s, a warning is printed and the invitations are sent', async (_why, fault) => {
    const { file, innctl } = await seeding(fault);
    const path = await file('people.csv', 'email,role,properties\neva@example.com,Housekeeping,BER\n');

    const run = await innctl(['apply', path, '--yes', '--progress', 'none']);

    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining('warning: The roles of invitations are not checked: '),
    ]);
  });
});

test('the role list is not read if no invitation has a role', async () => {
  const { file, innctl } = await seeding();
  const path = await file('people.csv', 'email,is_account_admin\neva@example.com,true\n');
  const reads: string[] = [];

  await innctl(['plan', path], { onRead: ({ url }) => reads.push(url) });

  expect(reads.filter((url) => url.endsWith('/roles'))).toEqual([]);
});

describe('with the dialect apaleo', () => {
  const env = { INNCTL_DIALECT: 'apaleo' };
  test('old role names are valid in role, and each of roles is checked', async () => {
    const { file, innctl } = await seeding();
    const yaml = `invitations:
  - { email: ana@example.com, role: FinanceManager, properties: [BER] }
  - { email: ben@example.com, role: ReservationOffice, roles: [FrontDesk], properties: [BER] }
  - { email: eva@example.com, roles: [FrontOffice, auditor], properties: [BER] }
`;

    const planned = await innctl(['--sandbox', 'plan', await file('people.yaml', yaml), '--json'], { env });

    expect(JSON.parse(planned.stdout).items).toMatchObject([
      { action: 'create' },
      { action: 'create' },
      {
        action: 'conflict',
        reason: expect.stringMatching(/no role "FrontOffice".*; the service has no role "auditor"; did you/),
      },
    ]);
  });
});

const DESCRIBE = '[{"op":"add","path":"/description","value":{"en":"Sea"}}]';

test('a run with a saved plan goes on where it ended, and compares what failed with the plan again', async () => {
  const service = await seeding('429:operation=updateProperty,nth=1');
  const path = await service.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
  await service.innctl(['apply', path, '--yes'], { uuid: 'an-earlier-run' });
  await service.file('hotels.yaml', `properties:\n${hotelEntry('HAM', 'S')}${hotelEntry('KIE', 'S')}`);
  const saved = await service.file('plan.json', (await service.innctl(['plan', path, '--json'])).stdout);
  const line = ['apply', path, '--plan', saved, '--yes', '--concurrency', '1', '--max-attempts', '1'];
  const first = await service.innctl(line);
  await service.innctl(['properties', 'update', 'HAM', '--patch', DESCRIBE], { uuid: 'another-run' });

  const changed = await service.innctl(line);
  await service.innctl(
    ['properties', 'update', 'HAM', '--patch', '[{"op":"remove","path":"/description"}]'],
    { uuid: 'a-third-run' },
  );
  const again = await service.innctl(line);

  expect([first.exitCode, changed.exitCode, again.exitCode]).toEqual([7, 6, 0]);
  expect(changed.stderr).toContain('  property "HAM": is shown or would be sent otherwise now\n');
  expect(changed.stderr).not.toContain('KIE');
});
