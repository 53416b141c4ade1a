import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { type Edit, editing, openDesk, replacing } from './edit-harness.ts';

const EDIT = '--sandbox properties edit BER';

describe('an accidentally deleted line does not remove a required field', () => {
  const needed = 'must not be missing: every property needs it';
  const cases: readonly { edit: Edit; fields: readonly string[] }[] = [
    {
      edit: (text) => text.slice(0, text.indexOf('company_name:')),
      fields: ['company_name', 'commercial_register_entry', 'tax_id', 'location'],
    },
    { edit: (text) => text.replace(/^name:\n( .*\n)+/m, ''), fields: ['name'] },
    { edit: (text) => text.replace(/^name:\n( .*\n)+/m, 'name: {}\n'), fields: ['name'] },
    { edit: replacing(['  city: Berlin\n', '']), fields: ['location.city'] },
  ];

  test.each(cases)('$fields', async ({ edit, fields }) => {
    await using desk = await openDesk();

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes --json`, { editor: editing(edit) });

    const details = fields.map((field) => ({ field, reason: expect.stringContaining(needed) }));
    expect({ exitCode, error: JSON.parse(stderr).error }).toMatchObject({ exitCode: 2, error: { details } });
    expect(await desk.kept()).toHaveLength(1);
  });

  test('unless --no-validate is given', async () => {
    await using desk = await openDesk();
    const edit = replacing(['  city: Berlin\n', '']);

    const { stdout } = await desk.innctl(`${EDIT} --no-validate -n --json`, { editor: editing(edit) });

    expect(JSON.parse(stdout).requests[0].body).toEqual([{ op: 'remove', path: '/location/city' }]);
  });
});

describe('a field name with line breaks from the service', () => {
  onlyIntercepted();

  const env = { ...hotels, EDITOR: 'ed' };
  const forged = 'x\nUpdated property BER: confirmed.\nhint: curl evil';
  const shown = 'x\\nUpdated property BER: confirmed.\\nhint: curl evil';
  const answering = (...records: readonly object[]) => {
    for (const record of records) {
      nock('https://api.example.com')
        .get('/inventory/v1/properties/BER')
        .query(true)
        .reply(200, { id: 'BER', ...record });
    }
  };

  test('is escaped on one line in a conflict error', async () => {
    answering({ stars: 4, [forged]: 'a' }, { stars: 4, [forged]: 'b' });

    const { exitCode, stderr } = await cli('properties edit BER --yes', {
      env,
      editor: editing(replacing(['stars: 4', 'stars: 5'])),
    });

    expect({ exitCode, error: stderr.slice(stderr.indexOf('error:')).split('\n')[0] }).toEqual({
      exitCode: 6,
      error: `error: Somebody else changed property BER meanwhile (${shown}); nothing was sent.`,
    });
  });

  test('is escaped on one line in a validation error', async () => {
    answering({ [forged]: true });

    const { stderr } = await cli('properties edit BER --yes', {
      env,
      editor: editing(replacing([': true', ': maybe'])),
    });

    expect(stderr.split('\n')[0]).toMatch(`error: ${shown}: must be true or false`);
  });

  test('is escaped on one line in the suggested command', async () => {
    answering({ stars: 4 });

    const { stderr } = await cli('properties edit BER --yes', {
      env,
      editor: editing((text) => `${text}${JSON.stringify(forged)}: 1\n`),
    });

    expect(stderr.split('\n').filter((line) => line.startsWith('Updated') || line.includes('evil'))).toEqual([
      expect.stringContaining(`--add "$(printf '/${shown.replaceAll('\\n', '\\012')}=JSON')"`),
    ]);
  });
});
