import { isDeepStrictEqual } from 'node:util';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { type Answer, API, AUTH, apaleo, cli, hotels, patch, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

const BER = '/inventory/v1/properties/BER';

const berlin = { ...property, name: { en: 'Grand Hotel' } };
const described = {
  description: { en: 'At the market' },
  managingDirectors: 'Ana Lindner',
  bankAccount: { iban: 'DE02', bank: 'DKB' },
};

onlyIntercepted();

const update = (words: readonly string[], situation: Situation = {}) =>
  cli(['properties', 'update', 'BER', ...words], { env: apaleo, ...situation });

function shows(changes: object = {}): void {
  nock(API, AUTH)
    .get(`${BER}?languages=all`)
    .reply(200, { ...berlin, ...changes });
}

function takes(...steps: readonly object[]): void {
  nock(API, AUTH)
    .patch(BER, (body) => isDeepStrictEqual(body, steps))
    .reply(204);
}

const done = { exitCode: 0, stdout: '', stderr: 'Updated property BER.\n' };

describe('with the dialect apaleo', () => {
  test('required fields are replaced, and optional fields are added', async () => {
    takes(
      { op: 'replace', path: '/paymentTerms/de', value: 'Bei Anreise' },
      { op: 'add', path: '/managingDirectors', value: 'Ana Lindner' },
      { op: 'replace', path: '/location/addressLine2', value: 'Pier 2' },
      { op: 'replace', path: '/location/regionCode', value: 'DE-BE' },
    );
    const words = ['--payment-terms', 'de=Bei Anreise', '--managing-directors', 'Ana Lindner'];

    const address = ['--address-line2', 'Pier 2', '--region-code', 'DE-BE'];

    const result = await update([...words, ...address, '--no-verify']);

    expect(result).toEqual(done);
  });

  test('an existing description or bank account gets each value added', async () => {
    shows(described);
    takes(
      { op: 'add', path: '/description/de', value: 'Am Markt' },
      { op: 'add', path: '/bankAccount/iban', value: 'DE99' },
    );

    expect(await update(['--description', 'de=Am Markt', '--iban', 'DE99', '--no-verify'])).toEqual(done);
  });

  test.each([{}, { description: null, bankAccount: null }])(
    'without an existing one (%j) the first values create it, and --patch follows',
    async (changes) => {
      shows(changes);
      takes(
        { op: 'replace', path: '/taxId', value: 'DE2' },
        { op: 'add', path: '/description', value: { en: 'At the market', de: 'Am Markt' } },
        { op: 'add', path: '/bankAccount', value: { iban: 'DE99', bic: 'X' } },
        { op: 'add', path: '/description/fr', value: 'Au marché' },
      );
      const words = ['--description', 'en=At the market', '--description', 'de=Am Markt', '--iban', 'DE99'];

      const result = await update([
        ...words,
        ...['--bic', 'X', '--tax-id', 'DE2', ...patch('add', '/description/fr', 'Au marché'), '--no-verify'],
      ]);

      expect(result).toEqual(done);
    },
  );

  test('changes of immutable fields are rejected in flags, paths and files, and nothing is sent', async () => {
    const flags = ['--code', 'HAM', '--time-zone', 'Nowhere', '--currency-code', 'CHF'];
    const times = ['--default-check-in-time', '15:00:00', '--default-check-out-time', '9'];
    const byFlag = await update([...flags, ...times, '--city', '']);
    const stdin = JSON.stringify([
      { op: 'add', path: '/currency_code', value: 'x' },
      { op: 'move', from: '/defaultCheckInTime', path: '/companyName' },
      { op: 'test', path: '/code', value: 'BER' },
    ]);
    const words = [
      ...patch('replace', '/timeZone', 'Europe/Vienna'),
      ...patch('remove', '/code/x'),
      '--patch',
      '-',
    ];
    const byPath = await update(words, { stdin });

    expect([byFlag, byPath]).toEqual([
      ended(
        2,
        `error: 6 values are not valid:
  --code: is fixed once the property is created
  --city: must not be empty
  --time-zone: is fixed once the property is created
  --default-check-in-time: is fixed once the property is created
  --default-check-out-time: is fixed once the property is created
  --currency-code: is fixed once the property is created
`,
      ),
      ended(
        2,
        `error: 4 values are not valid:
${['/timeZone', '/code/x', '/currency_code', '/defaultCheckInTime']
  .map((path) => `  ${path}: is fixed once the property is created\n`)
  .join('')}`,
      ),
    ]);
  });

  test.each([
    ['--is-template', true],
    ['--is-template=false', false],
  ])('is_template is set with %s', async (flag, value) => {
    takes({ op: 'replace', path: '/isTemplate', value });

    expect(await update([flag, '--no-verify'])).toEqual(done);
  });

  test.each([
    [['--country-code', 'AT'], '--country-code: is fixed once the property is created'],
    [
      patch('replace', '/location/country_code', 'AT'),
      '/location/country_code: is fixed once the property is created',
    ],
    [['--is-template', 'yes'], '--is-template: "yes" is neither true nor false'],
  ])('%j: exit 2 and nothing is sent', async (words, message) => {
    expect(await update(words)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });

  test('with --no-validate the service rejects the change itself', async () => {
    takes(
      { op: 'replace', path: '/code', value: 'HAM' },
      { op: 'replace', path: '/defaultCheckInTime', value: '9' },
    );

    const words = ['--code', 'HAM', '--default-check-in-time', '9', '--no-validate', '--no-verify'];
    expect(await update(words)).toEqual(done);
  });

  test.each<[readonly string[], string]>([
    [['--payment-terms', 'Cash'], '--payment-terms: "Cash" is not language=text'],
    [['--region-code', 'Berlin'], '--region-code: "Berlin" is not a region code of ISO 3166-2 such as DE-BY'],
    [patch('replace', '/paymentTerms', 'Cash'), '/paymentTerms: must hold a text for each language code'],
    [patch('add', '/bank_account', { iban: 2 }), '/bank_account/iban: must be a text, in quotes'],
    [['--iban', 'DE1', ...patch('remove', '/bankAccount')], '/bankAccount: is changed by two flags'],
  ])('%j: exit 2 and nothing is sent', async (words, message) => {
    expect(await update(words)).toEqual(ended(2, expect.stringContaining(message)));
  });

  test('the prompts offer optional but not immutable fields, and end with an equivalent command', async () => {
    shows();
    takes(
      { op: 'add', path: '/description', value: { de: 'Am Markt' } },
      { op: 'add', path: '/bankAccount', value: { iban: 'DE99', bic: 'X' } },
      { op: 'add', path: '/paymentTerms/de', value: 'Bei Anreise' },
    );
    const answers: readonly Answer[] = [
      ['payment-terms', 'description', 'iban', 'bic'],
      ...[['+'], 'de', 'Bei Anreise', 'de', 'Am Markt', 'DE99', 'X', true],
    ];

    const result = await update(['--no-verify'], { answers });

    expect(result.stderr).toBe(`This will be sent to api.example.com:
Payment terms (de):       (none) -> Bei Anreise
Description (de):         (not shown) -> Am Markt
IBAN of the bank account: (not shown) -> DE99
BIC of the bank account:  (not shown) -> X
Updated property BER.
Equivalent command: innctl properties update BER --no-verify --patch '[{"op":"add","path":"/paymentTerms/de","value":"Bei Anreise"}]' --description 'de=Am Markt' --iban DE99 --bic X
`);
  });
});

describe('with the dialect contract', () => {
  test('flags of these fields are rejected with all other errors, also with --no-validate', async () => {
    const words = ['--iban', 'DE1', '--payment-terms', 'Cash', '--city', ''];

    const validated = await update(words, { env: hotels, answers: [] });
    const unvalidated = await update(['--iban', 'DE1', '--no-validate'], { env: hotels });

    const no = 'needs dialect apaleo (this profile uses contract)';
    expect(validated.exitCode).toBe(2);
    for (const line of [`--payment-terms: ${no}`, `--iban: ${no}`, '--city: must not be empty'])
      expect(validated.stderr).toContain(line);
    expect(unvalidated.exitCode).toBe(2);
  });
});
