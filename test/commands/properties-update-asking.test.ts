import nock from 'nock';
import { expect, test } from 'vitest';
import { type Answer, API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const BER = '/inventory/v1/properties/BER';

const berlin = {
  id: 'BER',
  code: 'BER',
  name: { en: 'Grand Hotel', de: 'Grandhotel' },
  companyName: 'Grandhotel \u001b[31mGmbH',
  taxId: ' DE1 ',
  location: { city: 'Berlin', countryCode: 'DE' },
  timeZone: 'Europe/Berlin',
  currencyCode: 'EUR',
};

onlyIntercepted();

const update = (answers: readonly Answer[], ...more: readonly string[]) =>
  cli(['properties', 'update', 'BER', '--no-verify', ...more], { env: hotels, answers });

function showsBerlin(changes: object = {}): void {
  nock(API, AUTH)
    .get(`${BER}?languages=all`)
    .reply(200, { ...berlin, ...changes });
}

const acceptsPatch = (...steps: readonly object[]) =>
  nock(API, AUTH)
    .patch(BER, (body) => JSON.stringify(body) === JSON.stringify(steps))
    .reply(204);

const replace = (path: string, value: string) => ({ op: 'replace', path, value });

test('prompts for the changes, shows before and after, sends exactly these, and prints the equivalent command', async () => {
  showsBerlin();
  nock(API, AUTH).get('/inventory/v1/types/countries').reply(200, ['AT', 'DE']);
  acceptsPatch(
    replace('/name/de', 'Grandhotel am Markt'),
    replace('/companyName', 'Markt GmbH'),
    replace('/location/countryCode', 'AT'),
    replace('/defaultCheckInTime', '15:00:00'),
    { op: 'add', path: '/name/fr', value: "L'Hôtel" },
  );

  const result = await update([
    ['name', 'company-name', 'country-code', 'default-check-in-time'],
    ...[['de', '+'], ' Grandhotel am Markt ', 'de', 'FR', 'fr', "L'Hôtel"],
    ...['Markt GmbH', 'AT', '3 o clock', '15:00:00', true],
  ]);

  expect(result).toEqual(
    ended(
      0,
      `This will be sent to api.example.com:
Name (de):                    Grandhotel -> Grandhotel am Markt
Name (fr):                    (none) -> L'Hôtel
Operating company:            Grandhotel \\u{1b}[31mGmbH -> Markt GmbH
Country (ISO 3166-1 alpha-2): DE -> AT
Check-in time:                (not shown) -> 15:00:00
Updated property BER.
Equivalent command: innctl properties update BER --no-verify --name 'de=Grandhotel am Markt' --patch '[{"op":"add","path":"/name/fr","value":"L'\\''Hôtel"}]' --company-name 'Markt GmbH' --country-code AT --default-check-in-time 15:00:00
`,
    ),
  );
});

test('the prompt lists changeable fields with current values, and starts with the current value', async () => {
  showsBerlin();
  const seen: unknown[] = [];
  const prompter = {
    ...noPrompter,
    chooseSeveral: async (_: string, choices: readonly { readonly label: string }[]) => {
      seen.push(...choices.map(({ label }) => label));
      return ['city'];
    },
    text: async (question: string, { initial = '' }: { readonly initial?: string } = {}) => {
      seen.push([question, initial]);
      return initial;
    },
  };

  await cli('properties update BER', { env: hotels, answers: [], prompter });

  expect(seen).toEqual([
    'Name: en Grand Hotel, de Grandhotel',
    'Operating company: Grandhotel \\u{1b}[31mGmbH',
    'Commercial register entry of the company: (not shown)',
    'Tax id of the company:  DE1 ',
    'Street and number: (not shown)',
    'Postal code: (not shown)',
    'City: Berlin',
    'Country (ISO 3166-1 alpha-2): DE',
    'Check-in time: (not shown)',
    'Check-out time: (not shown)',
    ['City', 'Berlin'],
  ]);
});

test.each<[string, readonly Answer[]]>([
  ['no field is chosen', [[]]],
  ['no value changes except for surrounding blanks', [['tax-id', 'city'], 'DE1', 'Berlin']],
])('nothing is sent and no confirmation is asked if %s', async (_, answers) => {
  showsBerlin();

  expect(await update(answers)).toEqual(ended(0, 'Nothing was changed.\n'));
});

test('a value with control characters is not offered as an initial value', async () => {
  showsBerlin({ name: { en: 'Red \u001b[31mHotel\u001b]0;pwn\u0007', de: 'two\nlines' } });
  const initials: unknown[] = [];
  const prompter = {
    ...noPrompter,
    confirm: async () => false,
    chooseSeveral: async (_: string, choices: readonly { readonly value: string }[]) =>
      choices
        .map(({ value }) => value)
        .filter((value) => ['name', 'company-name', 'en', 'de'].includes(value)),
    text: async (question: string, options: { readonly initial?: string } = {}) => {
      initials.push([question, options.initial]);
      return 'Hotel';
    },
  };

  await cli('properties update BER', { env: hotels, answers: [], prompter });

  expect(initials).toEqual([
    ['Name in en', undefined],
    ['Name in de', undefined],
    ['Operating company', undefined],
  ]);
});

test('--yes skips the confirmation, and --dry-run prints the patch', async () => {
  showsBerlin();
  showsBerlin();
  acceptsPatch(replace('/location/city', 'Potsdam'));

  const sent = await update([['city'], 'Potsdam'], '--yes');
  const shown = await update([['city'], 'Potsdam'], '--dry-run');

  expect([sent.exitCode, shown.exitCode]).toEqual([0, 0]);
  expect(JSON.parse(shown.stdout.split('\n\n')[1] ?? '')).toEqual([replace('/location/city', 'Potsdam')]);
  expect(shown.stderr).toBe(
    'Equivalent command: innctl properties update BER --no-verify --dry-run --city Potsdam\n',
  );
});

test.each<[string, object, object]>([
  ['a string', { name: 'Grand Hotel' }, replace('/name/de', 'Grandhotel')],
  ['without a language', { name: {} }, { op: 'add', path: '/name/de', value: 'Grandhotel' }],
  [
    'in an invalid language',
    { name: { __proto__x: 'x' } },
    { op: 'add', path: '/name/de', value: 'Grandhotel' },
  ],
])('the prompt asks for the language if the name is %s', async (_, changes, step) => {
  showsBerlin(changes);
  acceptsPatch(step);

  expect((await update([['name'], 'de', 'Grandhotel', true])).exitCode).toBe(0);
});

test("a current country missing from the service's list is still offered", async () => {
  showsBerlin();
  nock(API, AUTH).get('/inventory/v1/types/countries').reply(200, ['AT']);

  expect((await update([['country-code'], 'DE'])).stderr).toBe('Nothing was changed.\n');
});

test('a missing property ends the command before the first prompt', async () => {
  nock(API, AUTH).get(`${BER}?languages=all`).reply(404);
  nock(API, AUTH).get('/inventory/v1/properties?page_size=100&page_number=1').twice().reply(403);

  expect((await update([])).exitCode).toBe(3);
});

test.each([[['--no-input']], [['--json']], [['--no-validate']]])(
  '%j disables prompts and requires a change',
  async (more) => {
    expect(await update([], ...more)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No changes given'),
    });
  },
);
