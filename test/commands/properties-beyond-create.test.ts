import { isDeepStrictEqual } from 'node:util';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { type Answer, API, AUTH, apaleo, cli, DERIVED_KEY, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { hamburg } from '../helpers/hamburg.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

const PROPERTIES = '/inventory/v1/properties';

/** The fields that only the dialect apaleo has. */
const apaleoFields = {
  payment_terms: { en: 'On check-in', de: 'Bei Anreise' },
  description: { en: 'At the harbour' },
  managing_directors: 'Ana Lindner',
  bank_account: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bank: 'DKB' },
};

/** The same fields as sent. */
const sent = {
  code: 'HAM',
  name: { en: 'Harbour Hotel' },
  companyName: 'Hafenhotel GmbH',
  commercialRegisterEntry: 'HRB 1',
  taxId: 'DE1',
  location: { addressLine1: 'Am Kai 1', postalCode: '20457', city: 'Hamburg', countryCode: 'DE' },
  timeZone: 'Europe/Berlin',
  defaultCheckInTime: '15:00:00',
  defaultCheckOutTime: '11:00:00',
  currencyCode: 'EUR',
};
const apaleoFieldsSent = {
  paymentTerms: apaleoFields.payment_terms,
  description: apaleoFields.description,
  managingDirectors: apaleoFields.managing_directors,
  bankAccount: apaleoFields.bank_account,
};

const flags = [
  ...['--payment-terms', 'en=On check-in', '--payment-terms', 'de=Bei Anreise'],
  ...['--description', 'en=At the harbour', '--managing-directors', 'Ana Lindner'],
  ...['--address-line2', 'Pier 2', '--region-code', 'DE-HH'],
  ...['--iban', 'DE02120300000000202051', '--bic', 'BYLADEM1001', '--bank', 'DKB'],
];

onlyIntercepted();
emptyAccount();

function takes(body: object): void {
  nock(API, { reqheaders: { ...AUTH.reqheaders, 'idempotency-key': DERIVED_KEY } })
    .post(PROPERTIES, (given) => isDeepStrictEqual(given, body))
    .reply(201, { id: 'HAM' });
}

const create = (file: object, more: readonly string[], env: Record<string, string> = apaleo) =>
  cli(['properties', 'create', '--file', '-', ...more], { env, stdin: JSON.stringify(file) });

const detailsOf = (stderr: string) =>
  JSON.parse(stderr).error.details.map(
    ({ field, reason }: { field: string; reason: string }) => `${field}: ${reason}`,
  );

describe('with the dialect apaleo', () => {
  test('every field has a flag, and the body is in the spelling of the service', async () => {
    const location = { ...sent.location, addressLine2: 'Pier 2', regionCode: 'DE-HH' };
    takes({ ...sent, ...apaleoFieldsSent, location });

    expect(await create(hamburg, flags)).toEqual(ended(0, 'Created property HAM.\n'));
  });

  test.each<[string, object, string]>([
    ['empty payment terms', { payment_terms: null }, '--payment-terms: is missing'],
    [
      'payment terms as a string',
      { payment_terms: 'Cash' },
      'stdin: payment_terms: must hold a text for each language code',
    ],
    [
      'wrong payment terms under extra',
      { payment_terms: undefined, extra: { payment_terms: 'Cash' } },
      'stdin: extra.payment_terms: must hold a text for each language code',
    ],
    ['a bank account as a string', { bank_account: 'DE02' }, 'bank_account: must hold fields and values'],
    [
      'a code that is too short',
      { code: 'HH' },
      'stdin: code: "HH" is not a code of 3 to 10 letters A to Z, digits and underscores',
    ],
    [
      'a field inside and outside extra',
      { extra: { payment_terms: { fr: 'Comptant' } } },
      'stdin: extra.payment_terms: is given twice: payment_terms is also given outside extra',
    ],
  ])('%s: exit 2 with the field, and nothing is sent', async (_, changes, message) => {
    const file = { ...hamburg, payment_terms: apaleoFields.payment_terms, ...changes };

    const { exitCode, stderr } = await create(file, ['--json']);

    expect({ exitCode, details: detailsOf(stderr) }).toEqual({ exitCode: 2, details: [message] });
  });

  test('the prompts ask for payment terms in English, skip optional fields, and end with an equivalent command', async () => {
    nock(API)
      .get('/inventory/v1/types/countries')
      .reply(200, { countryCodes: ['DE', 'AT'] });
    takes({ ...sent, paymentTerms: { en: 'Cash' }, managingDirectors: 'Ben' });
    const answers: readonly Answer[] = [
      ...['HH', 'HAM', 'Harbour Hotel', 'Hafenhotel GmbH', 'HRB 1', 'DE1'],
      ...['Am Kai 1', '20457', 'Hamburg', 'DE', 'Europe/Berlin'],
      ...['15:00', '11:00', 'EUR', '', 'Cash', true],
    ];

    const result = await cli('properties create --managing-directors Ben', { env: apaleo, answers });

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('Payment terms (en):');
    expect(result.stderr).toContain(' --currency-code EUR --payment-terms en=Cash\n');
  });
});

describe('with the dialect contract', () => {
  test('flags of these fields are rejected one by one with all other errors, and nothing is sent', async () => {
    const result = await create({ ...hamburg, stars: 4 }, [...flags, '--like', 'a/b', '--json'], hotels);

    const { error } = JSON.parse(result.stderr);
    const no = 'needs dialect apaleo (this profile uses contract)';
    expect(result.exitCode).toBe(2);
    expect(error.details.map(({ field }: { field: string }) => field)).toEqual([
      ...['--like', 'stdin: stars', '--payment-terms', '--description', '--managing-directors'],
      ...['--address-line2', '--region-code', '--iban', '--bic', '--bank'],
    ]);
    expect(error.details.slice(2).map(({ reason }: { reason: string }) => reason)).toEqual(Array(8).fill(no));
  });

  test('fields of a file that need another dialect are one error, with the line that has it', async () => {
    const file = { ...hamburg, ...apaleoFields, location: { ...hamburg.location, region_code: 'DE-HH' } };

    const result = await create(file, ['--json'], hotels);

    const { error } = JSON.parse(result.stderr);
    const reason = expect.stringMatching(
      /^needs dialect .* for 7 fields \(payment_terms, .*bank_account.bank\)$/,
    );
    expect(error.details).toEqual([{ field: 'stdin', reason }]);
    expect(error.hint).toMatch(/^INNCTL_DIALECT=apaleo innctl properties create .*--json$/);
  });
});

describe('create --like', () => {
  /** The property as the service returns it; an unset translation is null. */
  const berlin = {
    ...property,
    ...sent,
    ...apaleoFieldsSent,
    id: 'BER',
    code: 'BER',
    name: { en: 'Grand Hotel' },
    description: { en: 'At the market', fr: null },
    location: { ...sent.location, addressLine2: 'Pier 2', regionCode: 'DE-HH' },
    defaultCheckInTime: undefined,
    defaultCheckOutTime: undefined,
    status: 'Live',
    isArchived: false,
    isTemplate: false,
  };
  const own = ['--code', 'HAM', '--name', 'en=Harbour Hotel'];
  const times = ['--default-check-in-time', '15:00:00', '--default-check-out-time', '11:00:00'];

  function showsBerlin(changes: object = {}): void {
    nock(API, AUTH)
      .get(`${PROPERTIES}/BER?languages=all`)
      .reply(200, { ...berlin, ...changes });
  }

  const like = (...more: readonly string[]) =>
    cli(['properties', 'create', '--like', 'BER', ...own, ...times, ...more], { env: apaleo });

  test('all fields are copied, in every language, except code and name', async () => {
    showsBerlin();
    takes({
      ...sent,
      ...apaleoFieldsSent,
      description: { en: 'At the market' },
      location: berlin.location,
    });

    expect(await like()).toEqual(ended(0, 'Created property HAM.\n'));
  });

  test('given values replace copied objects: texts, an address in another city, another bank account', async () => {
    nock(API, AUTH).get(`${PROPERTIES}/BER`).reply(200, berlin);
    takes({
      ...sent,
      location: { ...sent.location, city: 'Kiel' },
      paymentTerms: { en: 'Cash' },
      managingDirectors: 'Ana Lindner',
      description: { de: 'Am Markt' },
      bankAccount: { iban: 'DE99' },
    });
    const given = ['--payment-terms', 'en=Cash', '--description', 'de=Am Markt', '--iban', 'DE99'];

    const result = await like(...given, '--city', 'Kiel');

    expect(result).toEqual(ended(0, 'Created property HAM.\n'));
  });

  test('payment terms returned as a string stay missing, with the flag in the hint', async () => {
    showsBerlin({ paymentTerms: 'Cash' });

    expect(await like()).toEqual(
      ended(
        2,
        'error: --payment-terms: is missing\n' +
          'hint: BER does not show this; give it: --payment-terms en="Payment on check-in"\n',
      ),
    );
  });

  test('the command that settles an unknown outcome contains all values instead of --like', async () => {
    showsBerlin();
    nock(API, AUTH).post(PROPERTIES).times(5).reply(503);

    const { exitCode, stderr } = await like();

    expect(exitCode).toBe(8);
    const [, line = ''] = /\nhint: innctl (properties create .*)\n/.exec(stderr) ?? [];
    expect(line).not.toContain('--like');
    takes({ ...sent, ...apaleoFieldsSent, description: { en: 'At the market' }, location: berlin.location });
    expect((await cli(line.replaceAll("'", '"'), { env: apaleo })).exitCode).toBe(0);
  });
});
