import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';

import { seeding } from '../helpers/seeding.ts';

const head =
  'Kürzel;Name (de);Firma;Handelsregister;Steuernummer;Straße;PLZ;Ort;Land;Zeitzone;Check-in;Check-out;Währung';
const ham =
  'HAM;Hafenhotel;Nord GmbH;HRB 1;DE1;Am Kai 1;01067;Hamburg;DE;Europe/Berlin;15:00:00;11:00:00;EUR';
const line =
  'columns: Kürzel → code, Name (de) → name.de, Firma → company_name, Handelsregister → commercial_register_entry, ' +
  'Steuernummer → tax_id, Straße → location.address_line1, PLZ → location.postal_code, Ort → location.city, ' +
  'Land → location.country_code, Zeitzone → time_zone, Check-in → default_check_in_time, ' +
  'Check-out → default_check_out_time, Währung → currency_code';

const guests = 'E-Mail;Rolle;Haus;Notiz\nmia@example.com;Housekeeping;BER;nett\n';

test('a plan says which columns the headers mean', async () => {
  const { file, innctl } = await seeding();
  const path = await file('hotels.csv', `${head}\n${ham}\n`);

  const planned = await innctl(['plan', path]);
  const asJson = await innctl(['plan', path, '--json']);

  expect({ exitCode: planned.exitCode, said: planned.stderr.split('\n')[0] }).toEqual({
    exitCode: 0,
    said: line,
  });
  expect(JSON.parse(asJson.stdout).columns.slice(0, 2)).toEqual([
    { file: path, header: 'Kürzel', field: 'code' },
    { file: path, header: 'Name (de)', field: 'name.de' },
  ]);
});

test('a plan of a table whose headers are names says nothing about columns', async () => {
  const { file, innctl } = await seeding();
  const path = await file('people.csv', 'email,role,properties\nmia@example.com,Housekeeping,BER\n');

  const planned = await innctl(['plan', path, '--json']);

  expect(Object.keys(JSON.parse(planned.stdout))).not.toContain('columns');
  expect(planned.stderr).not.toContain('columns');
});

test('an unknown header is an error with all that is wrong, and the line that maps it', async () => {
  const { file, innctl, writes } = await seeding();
  const path = await file('people.csv', `${guests};;;Summe\n`);

  const refused = await innctl(['apply', path, '--yes']);

  expect({ ...refused, writes }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'error: 2 problems in the files:\n' +
      `  ${path}: row 1: Notiz: is not a field of an invitation\n` +
      `  ${path}: row 3: email: is missing\n` +
      `hint: innctl apply ${path} --yes --map-rest ignore\n`,
    writes: [],
  });
});

test.each([
  ['leaves out the second header for one column', guests.replace('Haus;Notiz', 'Hotel;Hotels'), 'Hotels='],
  ['gives a text a language', 'Code;Name\nBER;Grand Hotel\n', 'Name=name.en'],
])('the line %s', async (_, text, map) => {
  const { file, innctl } = await seeding();
  const path = await file('people.csv', text);

  const refused = await innctl(['plan', path]);

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr.split('hint: ')[1]).toBe(`innctl plan ${path} --map ${map}\n`);
});

test.each([['plan'], ['apply', '--yes']])('%s takes --map', async (...words) => {
  const { file, innctl } = await seeding();
  const path = await file('people.csv', guests);

  const done = await innctl([...words, path, '--map', 'Haus=properties', '--map', 'Notiz=', '--json']);

  expect(done.exitCode).toBe(0);
  expect(done.stderr.split('\n')[0]).toBe(
    'columns: E-Mail → email, Rolle → role, Haus → properties, Notiz → (left out)',
  );
  expect(JSON.parse(done.stdout).items).toMatchObject([{ name: 'mia@example.com', action: 'create' }]);
});

test('a run with --hidden is reviewed and continued with the hidden rows', async () => {
  const { file, innctl, invited } = await seeding('500:nth=1,operation=createInvitation');
  const rows = [
    ['email', 'role', 'properties'],
    ...['mia', 'leo'].map((name) => [`${name}@example.com`, 'Auditor', 'BER']),
  ];
  const rowDefs = new Map([[2, { hidden: true }]]);
  const path = await file('people.xlsx', await writeXlsx({ sheets: [{ name: 'People', rows, rowDefs }] }));

  const refused = await innctl(['apply', path, '--hidden', '--fail-fast', '--max-changes', '1', '--yes']);
  const line = ['apply', path, '--hidden', '--concurrency', '1', '--fail-fast', '--yes'];
  const first = await innctl(line);
  await innctl('invitations resend mia@example.com --yes');
  const resumed = await innctl(line);

  expect([refused.exitCode, first.exitCode, resumed.exitCode]).toEqual([11, 8, 0]);
  expect(refused.stderr).toContain(`plan ${path} --hidden`);
  expect(await invited()).toEqual(expect.arrayContaining(['mia@example.com', 'leo@example.com']));
});

test.each(['Ort', '=city', 'Ort=a=b'])('--map %s is rejected before files are read', async (word) => {
  const { innctl } = await seeding();

  const refused = await innctl(['plan', 'no-such-file.csv', '--map', word]);

  if (word === 'Ort=a=b') expect(refused.stderr).toContain('--map: "Ort=a=b": b is not a field of');
  else expect(refused.stderr).toContain(`--map: "${word}" is not HEADER=COLUMN`);
  expect(refused.exitCode).toBe(2);
});

test('at a terminal the files of a folder that are no manifests are named', async () => {
  const { file, folder: above, innctl } = await seeding();
  const folder = join(above, 'm');
  await mkdir(folder);
  await file('m/package.json', '{ "name": "hotels" }');
  await file('m/people.csv', 'email,role,properties\nmia@example.com,Housekeeping,BER\n');

  const [inPipe, atTerminal, debugged] = [
    await innctl(['plan', folder]),
    await innctl(['plan', folder], { answers: [] }),
    await innctl(['plan', folder, '--debug']),
  ];

  const said = `Skipped: 1 file is no manifest (${folder}/package.json).`;
  expect([inPipe, atTerminal, debugged].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect([inPipe, atTerminal, debugged].map(({ stderr }) => stderr.includes(said))).toEqual([
    false,
    true,
    true,
  ]);
});

test('headers, values, roles, properties and people are told at once', async () => {
  const { file, innctl, writes } = await seeding();
  const sheet = await file(
    'hr.csv',
    'Personalnr;E-Mail;Rolle;Hotel\n1;mia@example.com;Houskeeping;BER\n2;leo@example;Auditor;XYZ\n3;"a"b;x;y\n',
  );
  const yaml = await file(
    'p.yaml',
    'invitations:\n  - email: ida@example.com\n    role: Cook\n    properties:\n      - XYZ\nusers:\n  - email: no@example.com\n    enabled: maybe\n',
  );

  const refused = await innctl(['apply', sheet, yaml, '--yes']);

  expect({ exitCode: refused.exitCode, writes }).toEqual({ exitCode: 2, writes: [] });
  expect(refused.stderr.replaceAll(/\S+\/(?=hr|p\.)/g, '').split('\n')).toEqual([
    'error: 9 problems in the files:',
    '  hr.csv: row 1: Personalnr: is not a field of an invitation',
    '  hr.csv: row 3: email: "leo@example" is not an e-mail address',
    '  hr.csv: row 4: has a quote (") in a wrong place; a cell with quotes is written as "a ""b"""',
    '  p.yaml: line 8: enabled: "maybe" is neither true nor false: write true or false',
    '  hr.csv: row 2: role: the service has no role "Houskeeping"; did you mean "Housekeeping"?',
    '  p.yaml: line 4: properties: no property has the id or code "XYZ"',
    '  p.yaml: line 3: role: the service has no role "Cook"',
    '  hr.csv: row 3: properties: no property has the id or code "XYZ"',
    '  p.yaml: line 7: there is no such user: invite the person first',
    expect.stringMatching(/^hint: innctl apply .*--map-rest ignore$/),
    '',
  ]);
});

test('a service that does not answer leaves the problems of the files', async () => {
  const { file, innctl } = await seeding('401');
  const path = await file('p.csv', 'email,role,properties\nleo@example,Cook,BER\n');

  const wrong =
    /^warning: Roles, .* not looked up: .*401.*\nerror: \S+p.csv: row 2: email: "leo@example" is not/;

  expect((await innctl(['plan', path])).stderr).toMatch(wrong);
});

test.each([
  ['a blank around an address and a role', 'email,role,properties\nmia@example.com ,\u00a0Auditor , BER \n'],
  ['an address in two spellings', 'email,enabled\nben@xn--mnchen-3ya.example,true\n'],
])('%s means the same', async (_, text) => {
  const { file, innctl } = await seeding();
  const invite = 'email,role,properties\nben@münchen.example,Auditor,BER\nmia@example.com,Auditor,BER\n';
  await innctl(['apply', await file('before.csv', invite), '--yes']);

  const { stdout } = await innctl(['plan', await file('p.csv', text), '--json']);

  expect(JSON.parse(stdout).items).toMatchObject([
    {
      name: expect.stringMatching(/^(mia@example.com|ben@.*)$/),
      action: expect.stringMatching(/same|conflict/),
    },
  ]);
});
