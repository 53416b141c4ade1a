import nock from 'nock';
import { beforeEach, describe, expect, test } from 'vitest';
import { API, AUTH, apaleo, cli, DERIVED_KEY, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';
import { wordsOf } from '../helpers/shell-words.ts';

const PROPERTIES = '/inventory/v1/properties';
const CLONE = '/inventory/v1/property-actions/BER/clone';

/** The property as the service shows it, without the two times of day. */
const berlin = {
  ...property,
  name: { en: 'Grand Hotel', de: 'Grandhotel' },
  bankAccount: { iban: 'DE02', bic: 'BIC', bank: 'Bank' },
  status: 'Live',
};

const {
  id: _id,
  created: _created,
  status: _status,
  isArchived: _archived,
  isTemplate: _template,
  ...copied
} = berlin;
const body = {
  ...copied,
  code: 'HAM',
  name: { en: 'Harbour Hotel' },
  defaultCheckInTime: '15:00:00',
  defaultCheckOutTime: '11:00:00',
};

const times = '--default-check-in-time 15:00 --default-check-out-time 11:00';
const named = '--code HAM --name en="Harbour Hotel"';

let folder = '';

onlyIntercepted();
emptyAccount();

beforeEach(async () => {
  folder = await temporaryFolder();
});

function showsBerlin(changes: object = {}): void {
  nock(API, AUTH)
    .get(`${PROPERTIES}/BER?languages=all`)
    .reply(200, { ...berlin, ...changes });
}

function takesClone(sent: object = body, status = 201, key = DERIVED_KEY): void {
  nock(API, { reqheaders: { ...AUTH.reqheaders, 'idempotency-key': key } })
    .post(CLONE, sent as nock.DataMatcherMap)
    .reply(status, status === 201 ? { id: 'HAM' } : {});
}

/** How many unit groups and units a property has. */
function counts(id: string, groups: number, units: number): void {
  nock(API, AUTH).get(`/inventory/v1/unit-groups/$count?propertyId=${id}`).reply(200, { count: groups });
  nock(API, AUTH).get(`/inventory/v1/units/$count?propertyId=${id}`).reply(200, { count: units });
}

const run = (line: string, situation: Situation = {}) => cli(line, { env: apaleo, folder, ...situation });

test('sends the whole body, and compares the inventory', async () => {
  showsBerlin();
  takesClone();
  counts('BER', 3, 41);
  counts('HAM', 3, 41);

  expect(await run(`properties copy BER ${named} ${times}`)).toEqual(
    ended(0, `Created property HAM from BER: 3 unit groups and 41 units.\n`),
  );
});

test('--json prints both inventories', async () => {
  showsBerlin();
  takesClone();
  counts('BER', 1, 2);
  counts('HAM', 1, 2);

  const { exitCode, stdout } = await run(`properties clone BER ${named} ${times} --json`);

  expect({ exitCode, facts: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    facts: {
      id: 'HAM',
      created: true,
      idempotency_key: expect.stringMatching(DERIVED_KEY),
      source: 'BER',
      inventory: { unit_groups: 1, units: 2 },
      source_inventory: { unit_groups: 1, units: 2 },
    },
  });
});

test('an inventory that differs is a warning', async () => {
  showsBerlin();
  takesClone();
  counts('BER', 3, 41);
  counts('HAM', 3, 1);

  const { exitCode, stderr } = await run(`properties clone BER ${named} ${times}`);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `warning: BER has 3 unit groups and 41 units, and HAM has 3 unit groups and 1 unit: not all may be visible yet.
Created property HAM from BER: 3 unit groups and 1 unit.
`,
  });
});

test('an inventory that may not be read is said', async () => {
  showsBerlin();
  takesClone();
  nock(API, AUTH).get('/inventory/v1/unit-groups/$count?propertyId=BER').reply(403);

  const { exitCode, stdout, stderr } = await run(`properties clone BER ${named} ${times} --json`);

  expect({ exitCode, facts: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    facts: expect.objectContaining({ id: 'HAM', inventory: null, source_inventory: null }),
  });
  expect(stderr).toContain('Could not compare the inventory of BER and HAM. Could not count the unit groups');
});

test('what is not given is read from the source, the name too', async () => {
  showsBerlin();
  takesClone({ ...body, name: berlin.name, taxId: 'DE2' });
  counts('BER', 0, 0);
  counts('HAM', 0, 0);

  const { exitCode } = await run(`properties clone BER --code HAM --tax-id DE2 ${times}`);

  expect(exitCode).toBe(0);
});

test('a terminal asks for what neither the line nor the source says', async () => {
  showsBerlin();
  showsBerlin();
  nock(API, AUTH)
    .post(CLONE, { ...body, name: berlin.name })
    .reply(201, { id: 'HAM' });
  counts('BER', 3, 41);
  counts('HAM', 3, 41);
  const answers = ['HAM', '15:00', '11:00', true];

  const { exitCode, stderr } = await run('properties clone BER', { answers });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('Created property HAM from BER: 3 unit groups and 41 units.\n'),
  });
  const [, again = ''] = /^Equivalent command: innctl (.*)$/m.exec(stderr) ?? [];
  expect(wordsOf(`innctl ${again}`)).toEqual(
    expect.arrayContaining(['clone', 'BER', '--code', 'HAM', '--name', 'en=Grand Hotel']),
  );
});

test('a terminal asks which property is cloned', async () => {
  nock.cleanAll();
  nock(API, AUTH)
    .get(`${PROPERTIES}?pageSize=100&pageNumber=1`)
    .reply(200, { properties: [property], count: 1 });
  nock(API, AUTH)
    .get(`${PROPERTIES}?includeArchived=true&pageSize=100&pageNumber=1`)
    .reply(200, { properties: [], count: 0 });
  nock(API, AUTH).get(`${PROPERTIES}/$count`).optionally().reply(200, { count: 0 });
  nock(API, AUTH).get(`${PROPERTIES}/HAM`).optionally().reply(404);
  showsBerlin();
  showsBerlin();

  expect(
    await run('properties clone', {
      answers: ['BER', 'HAM', '15:00', '11:00', false],
    }),
  ).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('clone BER') });
});

describe('a clone in doubt', () => {
  test('names the line that settles it, and that line does, under the same key', async () => {
    showsBerlin();
    const keys: unknown[] = [];
    nock(API, AUTH)
      .post(CLONE, body)
      .twice()
      .reply(function () {
        keys.push(this.req.headers['idempotency-key']);
        return keys.length === 1 ? [500, {}] : [201, { id: 'HAM' }];
      });

    const { exitCode, stderr } = await run(`properties clone BER ${named} ${times} --max-attempts 1`);

    const [, line = ''] = /innctl (properties clone .*)$/m.exec(stderr) ?? [];
    expect({ exitCode, words: wordsOf(`innctl ${line}`) }).toEqual({
      exitCode: 8,
      words: expect.arrayContaining(['properties', 'clone', 'BER', '--code', 'HAM']),
    });
    showsBerlin();
    counts('BER', 1, 1);
    counts('HAM', 1, 1);
    expect((await run(line)).exitCode).toBe(0);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  test('is not one with a creation of the same fields', async () => {
    showsBerlin();
    takesClone(body, 500);
    await run(`properties clone BER ${named} ${times} --max-attempts 1`);
    showsBerlin();

    const result = await run(`properties create --like BER ${named} ${times}`);

    expect(result).toEqual(
      ended(8, expect.stringContaining('error: HAM is not visible yet: perhaps created at ')),
    );
  });
});

test('a source that does not exist is reported with a similar id', async () => {
  nock.cleanAll();
  nock(API, AUTH).get(`${PROPERTIES}/BRE?languages=all`).reply(404);
  nock(API, AUTH)
    .get(`${PROPERTIES}?pageSize=100&pageNumber=1`)
    .reply(200, { properties: [property], count: 1 });

  expect(await run(`properties clone BRE ${named} ${times}`)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('hint: Did you mean BER?\n'),
  });
});

test.each([
  ['properties clone BER --code H', '--code: '],
  ['properties clone BER --code HAM --name Harbour', '--name: '],
])('%s is refused', async (line, message) => {
  expect(await run(`${line} ${times}`)).toEqual(ended(2, expect.stringContaining(message)));
});
