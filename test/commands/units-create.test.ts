import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, apaleo, cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { unit as shown, unitGroup } from '../helpers/records.ts';

const UNITS = '/inventory/v1/units';
const KEY = '11111111-2222-4333-8444-555555555555';

const run = (line: string, situation = {}) => cli(line, { env: apaleo, ...situation });
const unit = (name: string, more = {}) => ({
  ...shown,
  id: `BER-${name}`,
  name,
  property: { id: 'BER' },
  status: { condition: 'Clean', isOccupied: false },
  ...more,
});

/** The units of Berlin, archived ones too, as many times. */
const listing = (names: readonly (string | object)[], times = 1, more = '') => {
  const units = names.map((name) => (typeof name === 'string' ? unit(name) : name));
  return nock(API)
    .get(`${UNITS}?propertyId=BER&status=All${more}&pageSize=500&pageNumber=1`)
    .times(times)
    .reply(200, { units, count: units.length });
};
/** The same, as they are read after a creation. */
const showing = (names: readonly string[]) => listing(names, 1, '&expand=unitGroup%2CconnectedUnits');
const groups = () =>
  nock(API)
    .get('/inventory/v1/unit-groups?propertyId=BER&pageSize=500&pageNumber=1')
    .reply(200, { unitGroups: [unitGroup], count: 1 });
const attributes = () =>
  nock(API)
    .get('/inventory/v1/unit-attributes?pageSize=500&pageNumber=1')
    .reply(200, { unitAttributes: [{ id: 'QQQ', name: 'QUIET' }], count: 1 });

const alike = { propertyId: 'BER', description: { en: 'Bed' }, maxPersons: 2 };
const fields = '--property BER --description en=Bed --max-persons 2';
const bulk = (names: readonly string[], more = {}) => ({
  units: names.map((name) => ({ ...alike, ...more, name })),
});
const rangeOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, place) => String(from + place));

onlyIntercepted();

describe('one unit', () => {
  test('names of group, attributes and connected units become ids', async () => {
    listing(['101', '201'], 2);
    groups();
    attributes();
    nock(API, { reqheaders: { 'idempotency-key': 'my-key' } })
      .post(UNITS, {
        ...alike,
        name: '301',
        condition: 'Dirty',
        unitGroupId: 'BER-1',
        attributes: [{ id: 'QQQ' }],
        connectedUnits: [{ unitId: 'BER-201' }],
      })
      .reply(201, { id: 'BER-301' });
    showing(['101', '301']);

    const more = '--group DBL --attribute QUIET --connects 201 --condition Dirty --if-not-exists';
    expect(await run(`units create ${fields} --name 301 ${more} --idempotency-key my-key`)).toEqual(
      ended(0, 'Created unit BER-301.\n'),
    );
  });

  test('a name that an archived unit has is a conflict', async () => {
    listing([unit('301', { isArchived: true })]);

    const { exitCode, stderr } = await run(`units create ${fields} --name 301`);

    expect({ exitCode, first: stderr.split('\n')[0] }).toEqual({
      exitCode: 6,
      first: 'error: There is a unit with the name "301" already, archived: BER-301.',
    });
  });
});

describe('several units', () => {
  test('are created in bulk, 50 a request, and the list says their ids', async () => {
    listing(['101']);
    groups();
    nock(API)
      .post(`${UNITS}/bulk`, bulk(rangeOf(201, 250), { unitGroupId: 'BER-1' }))
      .reply(200, { ids: rangeOf(1, 50) });
    nock(API)
      .post(`${UNITS}/bulk`, bulk(['251', 'Suite'], { unitGroupId: 'BER-1' }))
      .reply(200, { ids: ['a', 'b'] });
    showing(['101', ...rangeOf(201, 251), 'Suite']);

    const { exitCode, stdout, stderr } = await run(
      `units create ${fields} --group DBL --names 201..251,Suite -o csv`,
    );

    expect({ exitCode, lines: stdout.trimEnd().split('\n').length, last: stdout.slice(-20), stderr }).toEqual(
      {
        exitCode: 0,
        lines: 53,
        last: 'BER-Suite,Suite,true'.slice(-19).concat('\n'),
        stderr: 'Created 52 units.\n',
      },
    );
  });

  test('names that exist are a conflict, archived ones too, and nothing is sent', async () => {
    listing(['201', unit('203', { isArchived: true })]);

    expect(await run(`units create ${fields} --names 201..204`)).toEqual(
      ended(
        6,
        `error: There are units with these names at BER already; nothing was sent.
  201: is there already: BER-201
  203: is there already, archived: BER-203
`,
      ),
    );
  });

  test('--if-not-exists creates the others', async () => {
    listing(['201']);
    nock(API)
      .post(`${UNITS}/bulk`, bulk(['202', '203']))
      .reply(200, { ids: ['a', 'b'] });
    showing(['201', '202', '203']);

    const { exitCode, stdout } = await run(`units create ${fields} --names 201..203 --if-not-exists --json`);

    expect({ exitCode, document: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      document: {
        idempotency_key: KEY,
        count: 3,
        items: [
          { id: 'BER-201', name: '201', created: false },
          { id: 'BER-202', name: '202', created: true },
          { id: 'BER-203', name: '203', created: true },
        ],
      },
    });
  });

  test('a refusal after some were created is partly done, and says how to go on', async () => {
    listing(['101']);
    nock(API)
      .post(`${UNITS}/bulk`, bulk(rangeOf(201, 250)))
      .reply(200, { ids: rangeOf(1, 50) });
    showing(rangeOf(201, 250));
    nock(API)
      .post(`${UNITS}/bulk`, bulk(['251']))
      .reply(422, { messages: ['Too many units.'] });

    expect(await run(`units create ${fields} --names 201..251`)).toEqual(
      ended(
        9,
        'error: Could not create the units: Too many units (422 from api.example.com). 50 of 51 units are created.\n' +
          `hint: To continue: innctl units create ${fields} --names 201..251\n`,
      ),
    );
  });

  test('a list that lags behind is a warning', async () => {
    listing(['101']);
    nock(API)
      .post(`${UNITS}/bulk`, bulk(['201', '202']))
      .reply(200, { ids: ['a', 'b'] });
    showing(['101', '201']);

    expect(await run(`units create ${fields} --names 201,202`)).toEqual({
      exitCode: 0,
      stdout: 'BER-201\t201\ttrue\n\t202\ttrue\n',
      stderr: `Created 2 units.\nwarning: The list does not show these yet: 202.\n`,
    });
  });

  test.each([
    ['1..600,601..1001', 'has more than 1000 names'],
    [`${'9'.repeat(101)}`, 'is longer than 100 characters'],
  ])('--names %s is refused', async (names, problem) => {
    const { exitCode, stdout, stderr } = await run(`units create ${fields} --names ${names}`);

    expect({ exitCode, stdout, first: stderr.split('\n')[0] }).toEqual({
      exitCode: 2,
      stdout: '',
      first: `error: --names: ${problem}`,
    });
  });

  test('--name and --names contradict each other', async () => {
    expect(await run(`units create ${fields} --names 201 --name 202`)).toEqual(
      ended(2, 'error: --names: gives the names: leave --name out\n'),
    );
  });

  test('several units are not made of the same ones', async () => {
    expect(await run(`units create ${fields} --names 201,202 --connects 101`)).toEqual(
      ended(2, 'error: --names: cannot be combined with --connects: a unit is part of one other\n'),
    );
  });

  test('a dry run shows the first request', async () => {
    listing(['101']);

    const { exitCode, stdout, stderr } = await run(`units create ${fields} --names 201..251 --dry-run`);

    expect({ exitCode, first: stdout.split('\n')[0], stderr }).toEqual({
      exitCode: 0,
      first: `POST ${API}${UNITS}/bulk`,
      stderr: '51 units in 2 requests; this is the first.\n',
    });
  });
});
