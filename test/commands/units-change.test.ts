import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, apaleo, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { unit as shown, unitGroup } from '../helpers/records.ts';
import { freshFolder } from '../sandbox/harness.ts';

const UNITS = '/inventory/v1/units';

const run = (line: string, situation = {}) => cli(line, { env: apaleo, ...situation });
const unit = (name: string, more = {}) => ({
  ...shown,
  id: `BER-${name}`,
  name,
  description: { en: 'Bed', de: 'Bett' },
  maxPersons: 2,
  property: { id: 'BER' },
  unitGroup: { id: 'BER-1' },
  status: { condition: 'Clean', isOccupied: false },
  attributes: [
    { id: 'AAA', name: 'BALCONY' },
    { id: 'QQQ', name: 'QUIET' },
  ],
  ...more,
});
const reading = (name: string, more = {}) =>
  nock(API).get(`${UNITS}/BER-${name}?languages=all`).reply(200, unit(name, more));
const listing = (units: readonly object[]) =>
  nock(API)
    .get(`${UNITS}?propertyId=BER&status=All&pageSize=500&pageNumber=1`)
    .reply(200, { units, count: units.length });
const lookingBack = (units: readonly object[]) =>
  nock(API)
    .get(`${UNITS}?propertyId=BER&status=All&expand=unitGroup%2CconnectedUnits&pageSize=500&pageNumber=1`)
    .reply(200, { units, count: units.length });
const attributes = () =>
  nock(API)
    .get('/inventory/v1/unit-attributes?pageSize=500&pageNumber=1')
    .reply(200, {
      unitAttributes: [
        { id: 'AAA', name: 'BALCONY' },
        { id: 'QQQ', name: 'QUIET' },
        { id: 'SSS', name: 'SEA' },
      ],
      count: 3,
    });

onlyIntercepted();

describe('with the dialect contract', () => {
  test.each([
    ['units', 'list'],
    ['units', 'archive BER-201 --confirm BER-201'],
    ['units', 'update BER-201 BER-202 --name 1'],
    ['unit-groups', 'create --code DBL'],
    ['unit-attributes', 'delete QQQ --confirm QQQ'],
  ])('%s %s is refused in a sentence', async (noun, line) => {
    const no = `error: innctl ${noun} needs dialect apaleo (this profile uses contract).`;
    const hint = `hint: INNCTL_DIALECT=apaleo innctl ${noun} ${line}`;

    expect(await cli(`${noun} ${line}`, { env: { ...hotels, NO_COLOR: '1' }, answers: [] })).toEqual(
      ended(2, `${no}\n${hint}\n`),
    );
  });

  test.each([
    ['--sandbox units list', 'INNCTL_DIALECT=apaleo innctl --sandbox units list'],
    ['units list -p hotels', 'innctl config set dialect apaleo -p hotels'],
    ['template units -p hotels', 'innctl config set dialect apaleo -p hotels'],
    ['export --inventory -p hotels', 'innctl config set dialect apaleo -p hotels'],
  ])('%s ends with the line that goes on', async (line, hint) => {
    const folder = await freshFolder();
    const urls = '--identity-url https://identity.example.com --base-url https://api.example.com';
    const stdin = 'token-of-ana';
    await cli(`profiles add hotels ${urls} --token-file - --insecure-storage`, { folder, stdin });

    expect((await cli(line, { folder })).stderr).toMatch(
      new RegExp(`needs dialect apaleo .*\nhint: ${hint}\n$`),
    );
  });
});

describe('units list and count', () => {
  test('send every filter, groups and attributes by id', async () => {
    nock(API)
      .get('/inventory/v1/unit-groups?propertyId=BER&pageSize=500&pageNumber=1')
      .reply(200, { unitGroups: [unitGroup], count: 1 });
    attributes();
    const query =
      'propertyId=BER&unitGroupIds=BER-1&unitAttributeIds=QQQ%2CSSS&isOccupied=false&maintenanceType=OutOfOrder&condition=Dirty&textSearch=20&status=All';
    nock(API).get(`${UNITS}/$count?${query}`).reply(200, { count: 7 });

    const line =
      'units count --property BER --group DBL --attribute QUIET,SSS --occupied false --maintenance OutOfOrder --condition Dirty --search 20 --status All';
    expect(await run(line)).toEqual(printed('7\n'));
  });

  test('a code of groups at several properties is ambiguous', async () => {
    nock(API)
      .get('/inventory/v1/unit-groups?pageSize=500&pageNumber=1')
      .reply(200, {
        unitGroups: [unitGroup, { ...unitGroup, id: 'MUC-1' }],
        count: 2,
      });

    expect(await run('units list --group DBL')).toEqual(
      ended(
        12,
        'error: 2 unit groups are called "DBL".\n  id: BER-1\n  id: MUC-1\nhint: Name the one you mean by its id, or give its --property.\n',
      ),
    );
  });
});

describe('one unit', () => {
  test('gets only the steps that it lacks, and is read back', async () => {
    reading('201');
    attributes();
    nock(API)
      .patch(`${UNITS}/BER-201`, [
        { op: 'replace', path: '/maxPersons', value: 3 },
        { op: 'replace', path: '/condition', value: 'Dirty' },
        { op: 'replace', path: '/description', value: { en: 'Bed', de: 'Großes Bett' } },
        { op: 'remove', path: '/attributes/1' },
        { op: 'add', path: '/attributes/-', value: { id: 'SSS' } },
      ])
      .reply(204);
    reading('201', {
      maxPersons: 3,
      status: { condition: 'Dirty', isOccupied: false },
      description: { en: 'Bed', de: 'Großes Bett' },
      attributes: [{ id: 'SSS' }, { id: 'AAA' }],
    });

    const line =
      'units update BER-201 --name 201 --max-persons 3 --condition Dirty --description de="Großes Bett"';
    expect(await run(`${line} --add-attribute SEA --remove-attribute QUIET`)).toEqual(
      ended(0, 'Updated unit BER-201: confirmed.\n'),
    );
  });

  test('that has everything gets nothing', async () => {
    reading('201');
    attributes();

    expect(await run('units update BER-201 --condition Clean --add-attribute QUIET --json')).toEqual(
      printed('{\n  "id": "BER-201",\n  "updated": false\n}\n'),
    );
  });

  test('an attribute is not added again after a doubt: the same command settles it', async () => {
    reading('201');
    attributes();
    nock(API)
      .patch(`${UNITS}/BER-201`, [{ op: 'add', path: '/attributes/-', value: { id: 'SSS' } }])
      .reply(500);
    nock(API).get(`${UNITS}/BER-201?languages=all`).times(3).reply(200, unit('201'));

    const { exitCode, stderr } = await run('units update BER-201 --add-attribute SEA');

    expect({ exitCode, last: stderr.trimEnd().split('\n').at(-1) }).toEqual({
      exitCode: 8,
      last: 'hint: innctl units update BER-201 --add-attribute SEA',
    });
  });

  test.each([
    [
      '--condition clean',
      '--condition: "clean" is not one of Clean, CleanToBeInspected, Dirty; did you mean Clean?',
    ],
    ['--unset condition', '--unset: "condition" is not description.de'],
  ])('%s is refused', async (flags, problem) => {
    expect(await run(`units update BER-201 ${flags}`)).toEqual(
      ended(2, `error: ${problem}\nhint: innctl units update --help\n`),
    );
  });
});

describe('several units', () => {
  const dirty = [{ op: 'replace', path: '/condition', value: 'Dirty' }];

  test('that lack the same get one request, and are read back by one list', async () => {
    listing([unit('201'), unit('202'), unit('203')]);
    reading('201');
    reading('202');
    reading('203', { status: { condition: 'Dirty' } });
    nock(API).patch(`${UNITS}?unitIds=BER-201%2CBER-202`, dirty).reply(204);
    lookingBack([
      unit('201', { status: { condition: 'Dirty' } }),
      unit('202', { status: { condition: 'Dirty' } }),
    ]);

    expect(await run('units update --property BER 201 202 203 --condition Dirty --yes')).toMatchObject({
      exitCode: 0,
      stdout:
        'done\tchange\tunit\tBER/201\tBER-201\t\n' +
        'done\tchange\tunit\tBER/202\tBER-202\t\n' +
        'done\tsame\tunit\tBER/203\tBER-203\t\n',
    });
  });

  test('a change without an answer is settled by the list', async () => {
    reading('201');
    reading('202');
    nock(API).patch(`${UNITS}?unitIds=BER-201%2CBER-202`, dirty).reply(500);
    const changed = ['201', '202'].map((name) => unit(name, { status: { condition: 'Dirty' } }));
    lookingBack(changed);

    const { exitCode, stdout } = await run('units update BER-201 BER-202 --condition Dirty --yes --json');

    expect({ exitCode, items: JSON.parse(stdout).items }).toMatchObject({
      exitCode: 0,
      items: [{ verification: 'confirmed' }, { verification: 'confirmed' }],
    });
  });

  test('that lack something else get a request each, and a refusal is partly done, and says how to go on', async () => {
    reading('201');
    reading('202', { status: { condition: 'Dirty' } });
    nock(API)
      .patch(`${UNITS}/BER-201`, [{ op: 'replace', path: '/maxPersons', value: 3 }, ...dirty])
      .reply(204);
    nock(API)
      .patch(`${UNITS}/BER-202`, [{ op: 'replace', path: '/maxPersons', value: 3 }])
      .reply(422, { messages: ['Too many.'] });

    const line = 'units update BER-201 BER-202 --max-persons 3 --condition Dirty --yes --no-verify';
    const { exitCode, stderr } = await run(line);

    expect({ exitCode, last: stderr.trimEnd().split('\n').slice(-3) }).toEqual({
      exitCode: 9,
      last: [
        'error: 1 of 2 rows was not done: 1 failed.',
        '  BER/202: Could not update the unit: Too many (422 from api.example.com).',
        `hint: Fix the rejected rows, then: innctl ${line}`,
      ],
    });
  });

  test('a removed language is verified by a list, which has one language, as far as it goes', async () => {
    for (const name of ['201', '202']) reading(name, { description: { en: 'Bed', de: 'Bett' } });
    nock(API)
      .patch(`${UNITS}?unitIds=BER-201%2CBER-202`, [
        { op: 'replace', path: '/description', value: { en: 'Bed' } },
      ])
      .reply(204);
    lookingBack([unit('201', { description: 'Bed' }), unit('202', { description: 'Bed' })]);

    const line = 'units update BER-201 BER-202 --unset description.de --yes --json';
    const { exitCode, stdout } = await run(line);

    const open = { verification: 'not_readable', unconfirmed: ['/description'] };
    expect({ exitCode, items: JSON.parse(stdout).items }).toMatchObject({ exitCode: 0, items: [open, open] });
  });

  test('texts in doubt are not settled by a list, which has one language', async () => {
    reading('201');
    reading('202');
    nock(API)
      .patch(`${UNITS}?unitIds=BER-201%2CBER-202`, [
        { op: 'replace', path: '/description', value: { en: 'Bed', de: 'Neu' } },
      ])
      .reply(500);
    lookingBack([unit('201'), unit('202')]);

    expect((await run('units update BER-201 BER-202 --description de=Neu --yes')).exitCode).toBe(8);
  });
});

describe('units delete and archive', () => {
  const allowed = { action: 'Archive', isAllowed: true };
  const referenced = {
    action: 'Delete',
    isAllowed: false,
    reasons: [{ code: 'DeleteNotAllowedBecauseUnitIsReferenced', message: 'It has reservations.' }],
  };
  const looking = (name: string, actions: readonly object[]) =>
    nock(API)
      .get(`${UNITS}/BER-${name}?languages=all&expand=connectedUnits%2Cactions`)
      .reply(200, unit(name, { actions }));

  test('a unit that can only be archived is refused with the reasons, and the way to archive it', async () => {
    looking('201', [referenced, allowed]);

    expect(await run('units delete BER-201 --confirm BER-201')).toEqual(
      ended(
        6,
        'error: The service does not allow deleting unit BER-201 now; nothing was sent.\n' +
          '  DeleteNotAllowedBecauseUnitIsReferenced: It has reservations.\n' +
          'hint: innctl units archive BER-201\n',
      ),
    );
  });

  test('the name that was typed is consent too', async () => {
    listing([unit('201')]);
    looking('201', []);
    nock(API).delete(`${UNITS}/BER-201`).reply(204);

    expect(await run('units delete --property BER 201 --confirm 201 --no-verify')).toEqual(
      ended(0, 'Deleted unit BER-201.\n'),
    );
  });

  test('archive is read back', async () => {
    looking('201', [referenced, allowed]);
    nock(API).put('/inventory/v1/unit-actions/BER-201/archive').reply(204);
    reading('201', { isArchived: true });

    expect(await run('units archive BER-201 --confirm BER-201 --json')).toEqual(
      printed('{\n  "id": "BER-201",\n  "archived": true,\n  "verification": "confirmed"\n}\n'),
    );
  });

  test('a unit that is archived already is done, so that the same command settles a doubt', async () => {
    nock(API)
      .get(`${UNITS}/BER-201?languages=all&expand=connectedUnits%2Cactions`)
      .reply(200, unit('201', { isArchived: true, actions: [{ action: 'Archive', isAllowed: false }] }));

    expect(await run('units archive BER-201 --confirm BER-201')).toEqual(
      ended(0, 'Unit BER-201 is archived already.\n'),
    );
  });
});
