import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { API, apaleo, cli, DERIVED_KEY } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';
import { property as shown, unitGroup } from '../helpers/records.ts';

const GROUPS = '/inventory/v1/unit-groups';

const double = {
  ...unitGroup,
  id: 'BER-DBL',
  code: 'DBL',
  name: 'Double',
  description: 'Queen bed',
  memberCount: 4,
  maxPersons: 2,
  type: 'BedRoom',
  property: { id: 'BER' },
};

const run = (line: string, situation = {}) => cli(line, { env: apaleo, ...situation });
const count = (list: readonly object[]) => ({ count: list.length, unitGroups: list });

/** The groups of a property, as they are read after a creation. */
const showing = (property: string, code: string) =>
  nock(API)
    .get(`${GROUPS}?propertyId=${property}&expand=connectedUnitGroups&pageSize=500&pageNumber=1`)
    .reply(200, count([{ ...unitGroup, id: `${property}-${code}`, code }]));

/** The groups of a property, as a lookup reads them. */
const listing = (groups: readonly object[], query = 'propertyId=BER&pageSize=500&pageNumber=1') =>
  nock(API).get(`${GROUPS}?${query}`).reply(200, count(groups));

onlyIntercepted();

describe('unit-groups list', () => {
  test('prints records in snake_case, and sends every filter', async () => {
    nock(API)
      .get(
        `${GROUPS}?propertyId=BER&unitGroupTypes=BedRoom%2COther&expand=property&pageSize=100&pageNumber=1`,
      )
      .reply(200, count([double]));

    const { exitCode, stdout } = await run(
      'unit-groups ls --property BER --type BedRoom,Other --expand property --json',
    );

    expect({ exitCode, document: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      document: {
        count: 1,
        items: [
          {
            id: 'BER-DBL',
            code: 'DBL',
            name: 'Double',
            description: 'Queen bed',
            member_count: 4,
            max_persons: 2,
            type: 'BedRoom',
            property: { id: 'BER' },
          },
        ],
      },
    });
  });
});

describe('unit-groups get, exists and count', () => {
  test('a group is found by its code at a property', async () => {
    listing([double]);
    nock(API)
      .get(`${GROUPS}/BER-DBL?languages=en%2Cde&expand=connectedUnitGroups`)
      .reply(200, { ...double, name: { en: 'Double', de: 'Doppelzimmer' } });

    const line = 'unit-groups get --property BER DBL --languages en,de --expand connectedUnitGroups';
    expect(await run(`${line} --fields id,name.de`)).toEqual(printed('id\tBER-DBL\nname.de\tDoppelzimmer\n'));
  });

  test('a code that no group has is not found, with a suggestion', async () => {
    listing([double]);

    expect(await run('unit-groups get --property BER DBX')).toEqual(
      ended(
        3,
        'error: There is no unit group "DBX" at BER; did you mean DBL?\nhint: innctl unit-groups list --property BER\n',
      ),
    );
  });

  test('a code that two groups have is ambiguous', async () => {
    listing([double, { ...double, id: 'BER-DB2' }]);

    expect(await run('unit-groups get --property BER DBL')).toEqual(
      ended(
        12,
        'error: 2 unit groups are called "DBL" at BER.\n  id: BER-DBL\n  id: BER-DB2\nhint: Name the one you mean by its id.\n',
      ),
    );
  });
});

describe('unit-groups create', () => {
  const line =
    'unit-groups create --property BER --code SUI --name en=Suite --name de=Suite --description en="Two rooms" --max-persons 4';
  const body = {
    propertyId: 'BER',
    code: 'SUI',
    name: { en: 'Suite', de: 'Suite' },
    description: { en: 'Two rooms' },
    maxPersons: 4,
  };

  test('looks for the code first, and sends numbers, maps and ids of connected groups', async () => {
    listing([double]);
    listing([double]);
    nock(API, { reqheaders: { 'idempotency-key': DERIVED_KEY } })
      .post(GROUPS, {
        ...body,
        rank: 1,
        type: 'BedRoom',
        connectedUnitGroups: [{ unitGroupId: 'BER-DBL', memberCount: 2 }],
      })
      .reply(201, { id: 'BER-SUI' });
    showing('BER', 'SUI');

    const result = await run(`${line} --rank 1 --type BedRoom --connected DBL=2 --json`);

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
      printed({ id: 'BER-SUI', created: true, idempotency_key: expect.stringMatching(DERIVED_KEY) }),
    );
  });

  test('--if-not-exists succeeds then', async () => {
    listing([{ ...double, id: 'BER-SUI', code: 'SUI' }]);

    expect(await run(`${line} --if-not-exists --json`)).toEqual(
      printed('{\n  "id": "BER-SUI",\n  "created": false\n}\n'),
    );
  });

  test('names all missing and wrong values at once', async () => {
    expect(await run('unit-groups create --code X --max-persons 0 --type Room --connected DBL')).toEqual(
      ended(
        2,
        `error: 7 values are not valid:
  --connected: "DBL" is not code=number, such as DBL=1
  --code: "X" is not a code of 3 to 10 letters A to Z, digits and underscores
  --max-persons: "0" is not a whole number from 1
  --type: "Room" is not one of BedRoom, MeetingRoom, EventSpace, ParkingLot
  --property: is missing
  --name: is missing
  --description: is missing
hint: innctl unit-groups create --help
`,
      ),
    );
  });

  test('--like takes what is not given', async () => {
    nock(API)
      .get(`${GROUPS}/BER-DBL?languages=all`)
      .reply(200, { ...double, name: { en: 'Double' }, description: { en: 'Queen bed' }, rank: 3 });
    nock(API)
      .get(`${GROUPS}?propertyId=MUC&pageSize=500&pageNumber=1`)
      .reply(200, count([double]));
    nock(API)
      .post(GROUPS, {
        propertyId: 'MUC',
        code: 'TWN',
        name: { en: 'Twin' },
        description: { en: 'Queen bed' },
        maxPersons: 2,
        type: 'BedRoom',
      })
      .reply(201, { id: 'MUC-TWN' });
    showing('MUC', 'TWN');

    expect(await run('unit-groups new --like BER-DBL --property MUC --code TWN --name en=Twin')).toEqual(
      ended(0, 'Created unit group MUC-TWN.\n'),
    );
  });

  test('at a terminal it asks for what is missing, in order, and prints the equivalent line', async () => {
    nock(API)
      .get('/inventory/v1/properties?pageSize=100&pageNumber=1')
      .reply(200, { properties: [shown], count: 1 });
    listing([double]);
    nock(API)
      .post(GROUPS, { ...body, name: { en: 'Suite' } })
      .reply(201, { id: 'BER-SUI' });
    showing('BER', 'SUI');

    const { exitCode, stderr } = await run('unit-groups create --code SUI', {
      answers: ['BER', 'Suite', 'Two rooms', 'x', '4', true],
    });

    expect({ exitCode, last: stderr.trimEnd().split('\n').slice(-2) }).toEqual({
      exitCode: 0,
      last: [
        'Created unit group BER-SUI.',
        "Equivalent command: innctl unit-groups create --code SUI --property BER --name en=Suite --description 'en=Two rooms' --max-persons 4",
      ],
    });
  });

  test.each([
    ['--max-persons x', ''],
    ['--file -', '{ "max_persons": "x" }'],
  ])('a wrong value is not missing as well: %s %s', async (flags, stdin) => {
    const line = `unit-groups create --property BER --code SUI --name en=Suite ${flags}`;
    const { stderr } = await run(line, { stdin });

    expect(stderr).toMatch(/max.persons: (?!is missing)/);
    expect(stderr.match(/.*is missing/g)).toEqual(['  --description: is missing']);
  });

  test('the prompts are counted', async () => {
    const asked: string[] = [];
    const text = async (question: string) => {
      if (asked.push(question) === 2) throw new Interruption('SIGINT');
      return 'Suite';
    };

    const { exitCode } = await run('unit-groups create --property BER --code SUI --max-persons 4', {
      answers: [],
      prompter: { ...noPrompter, text },
    });

    expect({ exitCode, asked }).toEqual({
      exitCode: 130,
      asked: [
        '1 of 2 · Name in English, for example Double',
        '2 of 2 · Description in English, for example Queen bed',
      ],
    });
  });
});

describe('unit-groups update', () => {
  const whole = {
    ...double,
    name: { en: 'Double', de: 'Doppel' },
    description: { en: 'Queen bed' },
    rank: 3,
    connectedUnitGroups: [{ id: 'BER-SGL', name: 'Single', description: 'One bed', memberCount: 2 }],
  };
  const reading = (group: object = whole) =>
    nock(API).get(`${GROUPS}/BER-DBL?languages=all&expand=connectedUnitGroups`).reply(200, group);
  const sent = {
    name: { en: 'Double', de: 'Doppel' },
    description: { en: 'Queen bed' },
    maxPersons: 2,
    rank: 3,
    connectedUnitGroups: [{ unitGroupId: 'BER-SGL', memberCount: 2 }],
  };

  test('sends the whole group with what is changed, and reads it back', async () => {
    reading();
    nock(API)
      .put(`${GROUPS}/BER-DBL`, { ...sent, name: { en: 'Double', de: 'Doppelzimmer' }, maxPersons: 3 })
      .reply(204);
    nock(API)
      .get(`${GROUPS}/BER-DBL?languages=all`)
      .reply(200, { ...whole, name: { en: 'Double', de: 'Doppelzimmer' }, maxPersons: 3 });

    expect(await run('unit-groups update BER-DBL --name de=Doppelzimmer --max-persons 3')).toEqual(
      ended(0, 'Updated unit group BER-DBL: confirmed.\n'),
    );
  });

  test('removes a rank and a language', async () => {
    reading();
    const { rank: _, ...others } = sent;
    nock(API)
      .put(`${GROUPS}/BER-DBL`, { ...others, name: { en: 'Double' } })
      .reply(204);

    expect(await run('unit-groups update BER-DBL --unset rank,name.de --no-verify')).toEqual(
      ended(0, 'Updated unit group BER-DBL.\n'),
    );
  });

  test.each([
    ['--unset name.en,name.de', '--unset: name needs a text in at least one language'],
    ['--unset code', '--unset: "code" is not one of rank, name.de, description.de'],
    ['--unset rank --rank 2', '--unset: rank is set by a flag too'],
  ])('%s is refused, and nothing is sent', async (flags, problem) => {
    nock(API)
      .get(`${GROUPS}/BER-DBL?languages=all&expand=connectedUnitGroups`)
      .optionally()
      .reply(200, whole);

    const { exitCode, stdout, stderr } = await run(`unit-groups update BER-DBL ${flags}`);

    expect({ exitCode, stdout, first: stderr.split('\n')[0] }).toEqual({
      exitCode: 2,
      stdout: '',
      first: `error: ${problem}`,
    });
  });
});
