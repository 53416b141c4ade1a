import { describe, expect, test } from 'vitest';
import { seeding } from '../helpers/seeding.ts';

const several = 'has a blank: ids are separated by commas, as in BER,VIE';

describe('a property name instead of an id, and a blank between ids, are rejected before any request:', () => {
  test.each([
    ['invitations create ana@example.com --role Housekeeping', '--properties'],
    ['invitations create ana@example.com --role Housekeeping', '--property'],
    ['invitations list', '--property'],
    ['users list', '--property'],
    ['users list', '--property-ids'],
    ['users update ben@example.com', '--add-properties'],
    ['users update ben@example.com', '--set-properties'],
    ['export', '--property'],
  ])('%s %s', async (command, flag) => {
    const { innctl, writes } = await seeding();
    const run = async (value: string) => {
      const { exitCode, stdout, stderr } = await innctl([...command.split(' '), flag, value]);
      return { exitCode, stdout, stderr };
    };

    expect(await run('BER VIE')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${flag}: "BER VIE" ${several}\n`,
    });
    expect(await run('grand hotel  Berlin')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${flag}: "grand hotel  Berlin" is the name of BER: give the id\n`,
    });
    expect(writes).toEqual([]);
  });

  test.each(['get', 'delete', 'update --tax-id DE2'])('properties %s', async (verb) => {
    const { innctl, writes } = await seeding();
    const [name = '', ...flags] = verb.split(' ');

    const { exitCode, stderr } = await innctl(['properties', name, 'Grand Hotel Berlin', ...flags]);

    expect([exitCode, stderr, writes]).toEqual([
      2,
      'error: id: "Grand Hotel Berlin" is the name of BER: give the id\n',
      [],
    ]);
  });
});

test('without a property list a blank is still rejected', async () => {
  const { innctl } = await seeding('answer:operation=listProperties,status=403');

  const { exitCode, stderr } = await innctl(['users', 'list', '--property', 'BER VIE']);

  expect([exitCode, stderr]).toEqual([2, `error: --property: "BER VIE" ${several}\n`]);
});

test('a one-word name is reported when the files are planned', async () => {
  const { file, innctl } = await seeding();
  const manifest = {
    properties: [
      {
        code: 'HAM',
        name: { en: 'Fontenay' },
        company_name: 'Nord GmbH',
        commercial_register_entry: 'HRB 1',
        tax_id: 'DE1',
        location: { address_line1: 'Am Kai 1', postal_code: '20457', city: 'Hamburg', country_code: 'DE' },
        time_zone: 'Europe/Berlin',
        default_check_in_time: '15:00:00',
        default_check_out_time: '11:00:00',
        currency_code: 'EUR',
      },
    ],
    invitations: [{ email: 'ana@example.com', role: 'Housekeeping', properties: ['fontenay'] }],
  };
  const path = await file('seed.json', JSON.stringify(manifest));

  const planned = await innctl(['plan', path, '--json']);
  await innctl(['apply', path, '--yes']);
  const again = await innctl(['plan', path, '--json']);

  const conflict = { action: 'conflict', reason: '"fontenay" is the name of HAM: give the id' };
  expect(JSON.parse(planned.stdout).items).toMatchObject([{ action: 'create' }, conflict]);
  expect(JSON.parse(again.stdout).items).toMatchObject([{ action: 'cannot_compare' }, conflict]);
});
