import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli, hotels as two } from '../helpers/cli.ts';
import { hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';

const table = `code,name.en,company_name,commercial_register_entry,tax_id,location.address_line1,location.postal_code,location.city,location.country_code,time_zone,default_check_in_time,default_check_out_time,currency_code
HAM,Harbour Hotel,Nord GmbH,HRB 1,DE1,Am Kai 1,20457,Hamburg,DE,Europe/Berlin,15:00:00,11:00:00,EUR
KIE,Fjord Hotel,Nord GmbH,HRB 1,DE1,Am Kai 2,24103,Kiel,DE,Europe/Berlin,15:00:00,11:00:00,EUR
`;

test('properties are imported from a table, and the results report its rows', async () => {
  const { file, innctl, hotels } = await seeding();

  const imported = await innctl(['properties', 'import', await file('hotels.csv', table), '--yes', '--json']);

  expect(imported.exitCode).toBe(0);
  expect(JSON.parse(imported.stdout).items).toMatchObject([
    { row: 1, file_row: 2, kind: 'property', name: 'HAM', outcome: 'done', id: 'HAM' },
    { row: 2, file_row: 3, kind: 'property', name: 'KIE', outcome: 'done', id: 'KIE' },
  ]);
  expect(await hotels()).toEqual(['BER', 'MUC', 'VIE', 'HAM', 'KIE']);
});

test('invitations are imported from a table on stdin, and a second import sends nothing', async () => {
  const { innctl, invited, writes } = await seeding();
  const stdin = 'email;role;properties\nmia@example.com;Housekeeping;BER, VIE\neva@example.com;Auditor;MUC\n';

  const first = await innctl('invitations import - --yes --progress none', { stdin });
  const again = await innctl('invite import -', { stdin });

  expect([first.exitCode, first.stderr]).toEqual([
    0,
    'sends mails: 2 (mia@example.com; eva@example.com)\nApplied: 2 created.\n',
  ]);
  expect([again.exitCode, again.stderr]).toEqual([0, 'There is nothing to do: 2 unchanged.\n']);
  expect(writes).toHaveLength(2);
  expect(await invited()).toEqual(expect.arrayContaining(['mia@example.com', 'eva@example.com']));
});

describe('an import with rows of another kind is rejected', () => {
  test.each([
    ['properties', 'hotels.yaml', `${hotelsYaml('HAM')}${peopleYaml('mia@example.com')}`, 'properties only'],
    ['invitations', 'people.yaml', hotelsYaml('HAM'), 'invitations only'],
  ])('%s', async (resource, name, text, reason) => {
    const { file, innctl, writes } = await seeding();

    const refused = await innctl([resource, 'import', await file(name, text), '--yes']);

    expect({ exitCode: refused.exitCode, stdout: refused.stdout, writes }).toEqual({
      exitCode: 2,
      stdout: '',
      writes: [],
    });
    expect(refused.stderr).toContain(reason);
  });
});

test('an import and an apply of the same file use separate journals', async () => {
  const { file, folder, innctl } = await seeding();
  const path = await file('hotels.csv', table);
  await innctl(['properties', 'import', path, '--yes']);

  await innctl(['apply', path, '--yes', '--write-unreadable']);

  const runs = await readdir(join(folder, 'config', 'state', 'runs'));
  expect(runs.filter((name) => name.endsWith('.ndjson'))).toHaveLength(2);
});

test('import rejects --plan', async () => {
  expect(await cli('properties import hotels.csv --plan plan.json', { env: two })).toMatchObject({
    exitCode: 2,
    stdout: '',
  });
});

test.each([
  ['properties', 'hotels.yaml', hotelsYaml('HAM')],
  ['invitations', 'people.csv', 'email,role\nmia@example.com,Auditor\n'],
])('%s create with a file of several records hints at import', async (resource, name, text) => {
  const { file, innctl } = await seeding();
  const path = await file(name, text);

  const { exitCode, stderr } = await innctl([resource, 'create', '--file', path]);

  expect(exitCode).toBe(2);
  expect(stderr).toContain(`hint: innctl ${resource} import ${path}\n`);
});
