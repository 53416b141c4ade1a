import { describe, expect, test } from 'vitest';
import { ended } from '../helpers/ended.ts';
import { seeding } from '../helpers/seeding.ts';

const several = 'has a blank: ids are separated by commas, as in BER,VIE';

describe('a property name instead of an id, and a blank between ids, are rejected before any request:', () => {
  test.each([
    ['invitations create ana@example.com --role Housekeeping', '--properties'],
    ['invitations list', '--property'],
    ['users list', '--property'],
    ['users update ben@example.com', '--add-properties'],
    ['export', '--property'],
  ])('%s %s', async (command, flag) => {
    const { innctl, writes } = await seeding();
    const run = async (value: string) => {
      const { exitCode, stdout, stderr } = await innctl([...command.split(' '), flag, value]);
      return { exitCode, stdout, stderr };
    };

    expect(await run('BER VIE')).toEqual(ended(2, `error: ${flag}: "BER VIE" ${several}\n`));
    expect(await run('grand hotel  Berlin')).toEqual(
      ended(2, `error: ${flag}: "grand hotel  Berlin" is the name of BER: give the id\n`),
    );
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
