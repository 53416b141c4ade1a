import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

const BER = '/inventory/v1/properties/BER';
const LIST = '/inventory/v1/properties?page_size=100&page_number=1';

const berlin = {
  id: 'BER',
  name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
  companyName: 'Grandhotel Berlin GmbH',
  location: { addressLine1: 'Mohrenstraße 30', city: 'Berlin', countryCode: 'DE' },
  status: 'Live',
  stars: 4,
};

describe('properties get', () => {
  onlyIntercepted();

  test('prints a card on a terminal', async () => {
    nock(API, AUTH).get(BER).reply(200, { id: 'BER', name: berlin.name, stars: 4 });

    const result = await cli('properties get BER --color never', { env: hotels, columns: 80 });

    expect(result).toEqual(
      printed('Id:        BER\nName (en): Grand Hotel Berlin\nName (de): Grandhotel Berlin\nStars:     4\n'),
    );
  });

  test.each([
    ['properties get BER', BER],
    ['properties get HÄM', '/inventory/v1/properties/H%C3%84M'],
    ['properties get BER --languages "en, de"', `${BER}?languages=en&languages=de`],
    ['properties get BER --languages en --languages de,en', `${BER}?languages=en&languages=de`],
    ['properties get BER --languages all,all', `${BER}?languages=all`],
    ['properties get BER --expand unitGroups,actions', `${BER}?expand=unitGroups&expand=actions`],
    [
      'properties get BER --expand unitGroups --languages en,de',
      `${BER}?languages=en&languages=de&expand=unitGroups`,
    ],
  ])('%s requests %s', async (line, path) => {
    nock(API, AUTH).get(path).reply(200, berlin);

    const result = await cli(line, { env: hotels });

    expect(result.exitCode).toBe(0);
  });

  test('a missing id gets the similar one as a hint', async () => {
    nock(API, AUTH)
      .get('/inventory/v1/properties/BRE')
      .reply(404, { messages: ['no such property'] });
    nock(API, AUTH)
      .get(LIST)
      .reply(200, {
        count: 2,
        items: [
          { id: 'MUC', name: 'MUC' },
          { id: 'BRL', name: 'BRL' },
        ],
      });

    expect(await cli('properties get BRE', { env: hotels })).toEqual(
      ended(
        3,
        'error: Could not get the property: no such property (404 from api.example.com).\nhint: Did you mean BRL?\n',
      ),
    );
  });
});

describe('properties get with the dialect apaleo', () => {
  onlyIntercepted();
  const env = { ...hotels, INNCTL_DIALECT: 'apaleo', NO_COLOR: '1' };
  const reasons = [{ code: 'NotInStatusTest', message: 'It is Live.' }];
  const actions = [
    { action: 'Delete', isAllowed: false, reasons },
    { action: 'Archive', isAllowed: true },
    { action: 'Reset', isAllowed: false, reasons: null },
  ];

  test.each([
    ['--languages en,de', 'languages=en%2Cde'],
    ['--expand actions,actions --languages de', 'languages=de&expand=actions'],
  ])('%s requests %s', async (words, query) => {
    nock(API, AUTH)
      .get(`${BER}?${query}`)
      .reply(200, { ...property, actions });

    expect(await cli(`properties get BER ${words} -q`, { env })).toEqual(printed('BER\n'));
  });

  test('actions are formatted on a terminal and unchanged in other formats', async () => {
    nock(API, AUTH)
      .get(`${BER}?expand=actions`)
      .times(3)
      .reply(200, { ...property, actions });
    const line = 'properties get BER --expand actions';

    const card = await cli(line, { env, columns: 80 });
    const json = await cli(`${line} --json`, { env });
    const piped = await cli(`${line} --fields actions`, { env });

    expect(card.stdout.replaceAll(/ +/g, ' ')).toContain(
      'May delete: no: It is Live.\nMay archive: yes\nMay reset: no\n',
    );
    expect(JSON.parse(json.stdout).actions).toEqual([
      { action: 'Delete', is_allowed: false, reasons },
      { action: 'Archive', is_allowed: true },
      { action: 'Reset', is_allowed: false, reasons: null },
    ]);
    expect(piped.stdout).toContain('actions.0.is_allowed\tfalse\n');
  });

  test.each<[unknown, string]>([
    [[actions[1], actions[1]], 'Action 1 action:'],
    [[{ ...actions[1], isAllowed: 'no' }], 'Action 1 allowed:'],
    [[], 'Actions: -'],
  ])('actions in an unknown format are printed unchanged: %j', async (given, label) => {
    nock(API, AUTH)
      .get(`${BER}?expand=actions`)
      .reply(200, { ...property, actions: given });

    const { stdout } = await cli('properties get BER --expand actions', { env, columns: 80 });

    expect(stdout.replaceAll(/ +/g, ' ')).toContain(label);
  });

  test('unsupported expansions and languages with more than two letters are rejected by name', async () => {
    const line =
      'properties get BER --expand actions,unitGroups --expand Actions --languages de-AT,english,deu,de';

    expect(await cli(line, { env })).toEqual(
      ended(
        2,
        `error: 5 values are not valid:
  --languages: "de-AT" is not a code of two letters such as en or de
  --languages: "english" is not a language code such as en, de or de-AT
  --languages: "deu" is not a code of two letters such as en or de
  --expand: "unitGroups" is not known to this service: write actions
  --expand: "Actions" is not known to this service: write actions
`,
      ),
    );
  });
});
