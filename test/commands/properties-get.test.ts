import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
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

  test('prints known fields in snake_case and unknown ones unchanged', async () => {
    nock(API, AUTH).get(BER).reply(200, berlin);

    const result = await cli('properties get BER --json', { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: {
        id: 'BER',
        name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
        company_name: 'Grandhotel Berlin GmbH',
        location: { address_line1: 'Mohrenstraße 30', city: 'Berlin', country_code: 'DE' },
        status: 'Live',
        stars: 4,
      },
    });
  });

  test('prints a card on a terminal', async () => {
    nock(API, AUTH).get(BER).reply(200, { id: 'BER', name: berlin.name, stars: 4 });

    const result = await cli('properties get BER --color never', { env: hotels, columns: 80 });

    expect(result).toEqual({
      exitCode: 0,
      stdout: 'Id:        BER\nName (en): Grand Hotel Berlin\nName (de): Grandhotel Berlin\nStars:     4\n',
      stderr: '',
    });
  });

  test.each([
    ['properties get BER', BER],
    ['property show BER', BER],
    ['properties get HÄM', '/inventory/v1/properties/H%C3%84M'],
    ['properties get BER --languages de', `${BER}?languages=de`],
    ['properties get BER --languages en,de', `${BER}?languages=en&languages=de`],
    ['properties get BER --languages "en, de"', `${BER}?languages=en&languages=de`],
    ['properties get BER --languages en --languages de,en', `${BER}?languages=en&languages=de`],
    ['properties get BER --languages de-AT', `${BER}?languages=de-AT`],
    ['properties get BER --languages all', `${BER}?languages=all`],
    ['properties get BER --languages all,all', `${BER}?languages=all`],
    ['properties get BER --expand unitGroups', `${BER}?expand=unitGroups`],
    ['properties get BER --expand unitGroups,actions', `${BER}?expand=unitGroups&expand=actions`],
    ['properties get BER --expand actions --expand actions', `${BER}?expand=actions`],
    [
      'properties get BER --expand unitGroups --languages en,de',
      `${BER}?languages=en&languages=de&expand=unitGroups`,
    ],
  ])('%s requests %s', async (line, path) => {
    nock(API, AUTH).get(path).reply(200, berlin);

    const result = await cli(line, { env: hotels });

    expect(result.exitCode).toBe(0);
  });

  test.each<[string, object, string]>([
    ['unitGroups', { unitGroups: [] }, ''],
    ['unitGroups', { unit_groups: [{ id: 'BER-SGL' }] }, ''],
    ['unitgroups', { unitGroups: [] }, ''],
    ['actions', { actions: [] }, ''],
    ['unitGroups', {}, 'warning: The answer has no unitGroups.\n'],
    ['unitGroups', { unitGroups: null }, 'warning: The answer has no unitGroups.\n'],
    ['unitgroups', {}, 'warning: The answer has no unitgroups; the contract names unitGroups.\n'],
    [
      'foo,unitGroups,constructor',
      { unitGroups: [] },
      'warning: The answer has no foo; the contract names unitGroups.\n' +
        'warning: The answer has no constructor; the contract names unitGroups.\n',
    ],
  ])('--expand %s, answered with %j, warns about missing fields', async (expand, beside, stderr) => {
    const query = expand.split(',').map((name) => `expand=${name}`);
    nock(API, AUTH)
      .get(`${BER}?${query.join('&')}`)
      .reply(200, { ...berlin, ...beside });

    expect(await cli(`properties get BER --expand ${expand}`, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('BER'),
      stderr,
    });
  });

  test.each<[string, readonly string[], string]>([
    ['no id', [], "missing required argument 'id'"],
    ['an empty id', [''], 'id: must not be empty'],
    ['a blank id', [' '], 'id: must not be empty'],
    ['a dot', ['.'], 'id: "." is not an id'],
    ['two dots', ['..'], 'id: ".." is not an id'],
    ['$count', ['$count'], 'id: "$count" is not an id'],
    ['a slash', ['BER/units'], 'id: "BER/units" has characters that no id has'],
    ['an encoded slash', ['..%2fBER'], 'id: "..%2fBER" has characters that no id has'],
    ['an encoded letter', ['H%C3%84M'], 'id: "H%C3%84M" has characters that no id has'],
    ['a query', ['BER?a=b'], 'id: "BER?a=b" has characters that no id has'],
    ['a control character', ['BE\u0007R'], 'has characters that no id has'],
    ['a bidi control', ['BE\u202eR'], 'has characters that no id has'],
    ['a huge id', ['B'.repeat(257)], 'id: is longer than 256 characters'],
    ['a word as a language', ['BER', '--languages', 'english'], '--languages: "english" is not a language'],
    ['a language in capitals', ['BER', '--languages', 'DE'], '--languages: "DE" is written de'],
    ['a trailing comma', ['BER', '--languages', 'en,'], '--languages: has an empty entry'],
    ['a trailing comma in --expand', ['BER', '--expand', ',unitGroups'], '--expand: has an empty entry'],
    ['no language', ['BER', '--languages', ''], '--languages: "" is not a language code'],
    ['all and a language', ['BER', '--languages', 'all,en'], '--languages: all cannot be combined'],
    [
      'all and a language in separate flags',
      ['BER', '--languages', 'en', '--languages', 'all'],
      'all cannot be combined',
    ],
    ['__proto__', ['BER', '--languages', '__proto__'], '"__proto__" is not a language code'],
    ['an empty --expand', ['BER', '--expand', ''], '--expand: "" is not a name'],
    ['two words in --expand', ['BER', '--expand', 'unit groups'], '--expand: "unit groups" is not a name'],
    ['a path in --expand', ['BER', '--expand', 'unitGroups.units'], '"unitGroups.units" is not a name'],
    ['a huge --expand', ['BER', '--expand', 'u'.repeat(101)], '--expand: "uuu'],
    ['a misspelt flag', ['BER', '--langauges', 'en'], "unknown option '--langauges'"],
    ['a flag without its value', ['BER', '--expand'], 'argument missing'],
  ])('%s: exit 2 and nothing is sent', async (_, words, message) => {
    expect(await cli(['properties', 'get', ...words], { env: hotels })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('reports all invalid values at once', async () => {
    const result = await cli('properties get a/b --languages xx1,all --expand a-b --json', { env: hotels });

    expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: {
        error: {
          code: 'invalid_input',
          message: expect.stringContaining('4 values are not valid'),
          details: [
            { field: 'id', reason: '"a/b" has characters that no id has' },
            { field: '--languages', reason: '"xx1" is not a language code such as en, de or de-AT' },
            { field: '--languages', reason: 'all cannot be combined with codes' },
            {
              field: '--expand',
              reason: '"a-b" is not a name of letters and digits such as unitGroups',
            },
          ],
        },
      },
    });
  });

  test('a missing id gets the similar one as a hint', async () => {
    nock(API, AUTH)
      .get('/inventory/v1/properties/BRE')
      .reply(404, { messages: ['no such property'] });
    nock(API, AUTH)
      .get(LIST)
      .reply(200, { count: 2, items: [{ id: 'MUC' }, { id: 'BRL' }] });

    expect(await cli('properties get BRE', { env: hotels })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'error: Could not get the property: no such property (404 from api.example.com).\nhint: Did you mean BRL?\n',
    });
  });

  test.each([
    ['nothing is similar', { status: 200, body: { count: 1, items: [{ id: 'VIE' }] } }],
    ['the list is forbidden', { status: 403, body: {} }],
  ])('is not found, without a hint, if %s', async (_, { status, body }) => {
    nock(API, AUTH).get('/inventory/v1/properties/HAMBURG').reply(404);
    nock(API, AUTH).get(LIST).reply(status, body);

    const result = await cli('properties get HAMBURG --json', { env: hotels });

    expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: {
        error: {
          code: 'not_found',
          message: 'Could not get the property: nothing was found there (404 from api.example.com).',
          status: 404,
          details: [],
        },
      },
    });
  });

  test.each<[string, number, string | undefined, Record<string, string>, number, string]>([
    ['an HTML page', 200, '<html>', { 'content-type': 'text/html' }, 1, 'an HTML or XML page'],
    ['no content', 204, undefined, {}, 1, "the service's answer is not a record (204 from api.example.com)"],
    ['null', 200, 'null', {}, 1, "the service's answer is not a record (200 from api.example.com)"],
    [
      'an array',
      200,
      '[{"id":"BER"}]',
      {},
      1,
      "the service's answer is not a record (200 from api.example.com)",
    ],
    ['a string', 200, '"BER"', {}, 1, "the service's answer is not a record (200 from api.example.com)"],
    ['a 403', 403, '{"messages":["not yours"]}', {}, 5, 'not yours (403 from api.example.com)'],
  ])('%s is not a property', async (_, status, body, headers, exitCode, message) => {
    nock(API, AUTH)
      .get(BER)
      .times(status === 403 ? 1 : 5)
      .reply(status, body, headers);

    expect(await cli('properties get BER', { env: hotels })).toEqual({
      exitCode,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
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
    ['--languages all', 'languages=all'],
    ['--expand actions', 'expand=actions'],
    ['--expand actions,actions --languages de', 'languages=de&expand=actions'],
  ])('%s requests %s', async (words, query) => {
    nock(API, AUTH).get(`${BER}?${query}`).reply(200, { id: 'BER', actions });

    expect(await cli(`properties get BER ${words} -q`, { env })).toEqual({
      exitCode: 0,
      stdout: 'BER\n',
      stderr: '',
    });
  });

  test('actions are formatted on a terminal and unchanged in other formats', async () => {
    nock(API, AUTH).get(`${BER}?expand=actions`).times(3).reply(200, { id: 'BER', actions });
    const line = 'properties get BER --expand actions';

    const card = await cli(line, { env, columns: 80 });
    const json = await cli(`${line} --json`, { env });
    const piped = await cli(`${line} --fields actions`, { env });

    expect(card.stdout).toBe(
      'Id:          BER\nMay delete:  no: It is Live.\nMay archive: yes\nMay reset:   no\n',
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
    [[actions[1], 'Delete'], 'Action 2:'],
    [[], 'Actions: -'],
    ['Delete', 'Actions: Delete'],
  ])('actions in an unknown format are printed unchanged: %j', async (given, label) => {
    nock(API, AUTH).get(`${BER}?expand=actions`).reply(200, { id: 'BER', actions: given });

    const { stdout } = await cli('properties get BER --expand actions', { env, columns: 80 });

    expect(stdout.replaceAll(/ +/g, ' ')).toContain(label);
  });

  test('missing actions are reported with a warning', async () => {
    nock(API, AUTH).get(`${BER}?expand=actions`).reply(200, { id: 'BER' });

    expect((await cli('properties get BER --expand actions', { env })).stderr).toBe(
      'warning: The answer has no actions.\n',
    );
  });

  test('unsupported expansions and languages with more than two letters are rejected by name', async () => {
    const line =
      'properties get BER --expand actions,unitGroups --expand Actions --languages de-AT,english,deu,de';

    expect(await cli(line, { env })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: 5 values are not valid:
  --languages: "de-AT" is not a code of two letters such as en or de
  --languages: "english" is not a language code such as en, de or de-AT
  --languages: "deu" is not a code of two letters such as en or de
  --expand: "unitGroups" is not known to this service: write actions
  --expand: "Actions" is not known to this service: write actions
`,
    });
  });
});
