import nock from 'nock';
import { beforeEach, describe, expect, test } from 'vitest';
import { API, AUTH, cli, hotels, patch, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { parseFault } from '../helpers/fault-front.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { watched } from '../helpers/watched.ts';
import { sandbox } from '../sandbox/harness.ts';

const BER = '/inventory/v1/properties/BER';

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });

/** Accepts a patch with exactly this body. */
const acceptsPatch = (...steps: readonly object[]) =>
  nock(API, AUTH)
    .patch(BER, (body) => JSON.stringify(body) === JSON.stringify(steps))
    .reply(204);

const update = (...words: readonly string[]) => ['properties', 'update', 'BER', ...words];

/** Answers the read before an update. */
const answersRead = (shown: object = {}) =>
  nock(API, AUTH)
    .get(`${BER}?languages=all`)
    .optionally()
    .reply(200, { id: 'BER', ...shown });

describe('properties update', () => {
  onlyIntercepted();
  beforeEach(() => void answersRead());

  test('a YAML patch keeps the source text for string fields, and the types of other fields', async () => {
    const stdin = `
- { op: replace, path: /location/postalCode, value: 20457 }
- { op: replace, path: /taxId, value: 1e3 }
- { op: replace, path: /name, value: { de: 12, en: NO } }
- { op: add, path: /description/de, value: 12 }
- { op: add, path: /rooms, value: 12 }
- { op: add, path: /isOpen, value: true }
`;
    acceptsPatch(
      replace('/location/postalCode', '20457'),
      replace('/taxId', '1e3'),
      replace('/name', { de: '12', en: 'NO' }),
      { op: 'add', path: '/description/de', value: '12' },
      { op: 'add', path: '/rooms', value: 12 },
      { op: 'add', path: '/isOpen', value: true },
    );

    const result = await cli(update('--patch', '-', '--no-verify'), { env: hotels, stdin });

    expect(result).toEqual(ended(0, 'Updated property BER.\n'));
  });

  test.each([
    [
      [
        ...['--code', 'BER2', '--company-name', 'Grand GmbH', '--commercial-register-entry', 'HRB 1'],
        ...['--tax-id', 'DE1', '--address-line1', 'Am Markt 1', '--postal-code', '01067', '--city', 'Wien'],
        ...['--country-code', 'AT', '--time-zone', 'Europe/Vienna', '--currency-code', 'CHF'],
        ...['--default-check-out-time', '11:00:00'],
      ],
      [
        replace('/code', 'BER2'),
        replace('/companyName', 'Grand GmbH'),
        replace('/commercialRegisterEntry', 'HRB 1'),
        replace('/taxId', 'DE1'),
        replace('/location/addressLine1', 'Am Markt 1'),
        replace('/location/postalCode', '01067'),
        replace('/location/city', 'Wien'),
        replace('/location/countryCode', 'AT'),
        replace('/timeZone', 'Europe/Vienna'),
        replace('/defaultCheckOutTime', '11:00:00'),
        replace('/currencyCode', 'CHF'),
      ],
    ],
    [['--name', 'de=Gr=nd'], [replace('/name/de', 'Gr=nd')]],
    [
      ['--name', 'de=Grandhotel', '--name', 'en=Grand Hotel'],
      [replace('/name/de', 'Grandhotel'), replace('/name/en', 'Grand Hotel')],
    ],
    [['--default-check-in-time', '9:30'], [replace('/defaultCheckInTime', '09:30:00')]],
    [patch('replace', '/stars', 4), [replace('/stars', 4)]],
    [patch('replace', '/location', { city: 'Wien' }), [replace('/location', { city: 'Wien' })]],
    [patch('add', '/name/fr', 'Grand Hôtel'), [{ op: 'add', path: '/name/fr', value: 'Grand Hôtel' }]],
    [patch('add', '/a~1b/c~0d/e f', null), [{ op: 'add', path: '/a~1b/c~0d/e f', value: null }]],
    [patch('remove', '/description/fr'), [{ op: 'remove', path: '/description/fr' }]],
    [
      [...patch('remove', '/a'), ...patch('add', '/b', 1), ...patch('replace', '/c', 2), '--city', 'Berlin'],
      [
        replace('/location/city', 'Berlin'),
        { op: 'remove', path: '/a' },
        { op: 'add', path: '/b', value: 1 },
        replace('/c', 2),
      ],
    ],
    [['--name', 'a/b~c=Hotel', '--no-validate'], [replace('/name/a~1b~0c', 'Hotel')]],
    [['--time-zone', 'Mars', '--no-validate'], [replace('/timeZone', 'Mars')]],
  ])('%j sends exactly that patch', async (words, body) => {
    acceptsPatch(...body);

    expect(await cli(update(...words, '--no-verify'), { env: hotels })).toEqual(
      ended(0, 'Updated property BER.\n'),
    );
  });

  test('--json prints the result and the verification', async () => {
    acceptsPatch(replace('/name/de', 'Grandhotel'), replace('/taxId', 'DE1'));
    nock(API, AUTH)
      .get(`${BER}?languages=de`)
      .reply(200, { id: 'BER', name: { de: 'Grandhotel' }, taxId: 'DE1' });

    const result = await cli(update('--tax-id', 'DE1', '--name', 'de=Grandhotel', '--json'), { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
      printed({ id: 'BER', updated: true, verification: 'confirmed' }),
    );
  });

  test.each<[string, readonly string[], object]>([
    ['a text', ['--city', 'Wien'], { location: { city: 'Wien' } }],
    [
      'two fields',
      ['--tax-id', 'DE1', ...patch('add', '/companyName', 'A')],
      { taxId: 'DE1', company_name: 'A' },
    ],
  ])('%s already present is not sent', async (_, words, shown) => {
    nock.cleanAll();
    nock(API, AUTH)
      .get(`${BER}?languages=all`)
      .reply(200, { id: 'BER', ...shown });

    expect(await cli(update(...words, '--json'), { env: hotels })).toEqual(
      printed('{\n  "id": "BER",\n  "updated": false\n}\n'),
    );
  });

  test.each<[string, readonly string[], object, string]>([
    [
      'one text of a map',
      patch('replace', '/name', { de: 'A' }),
      { name: { de: 'A', en: 'B' } },
      '?languages=de',
    ],
    ['one of two fields', ['--tax-id', 'DE1', '--city', 'Wien'], { taxId: 'DE1' }, ''],
  ])('an update that changes %s alone is sent', async (_, words, shown, query) => {
    nock.cleanAll();
    nock(API, AUTH)
      .get(`${BER}?languages=all`)
      .reply(200, { id: 'BER', ...shown });
    nock(API, AUTH).patch(BER).reply(204);
    nock(API, AUTH)
      .get(BER + query)
      .reply(403);

    const result = await cli(update(...words, '--json'), { env: hotels });

    expect(JSON.parse(result.stdout)).toMatchObject({ updated: true });
  });

  test('a property that cannot be read before is updated', async () => {
    nock.cleanAll();
    nock(API, AUTH).get(`${BER}?languages=all`).reply(422);
    acceptsPatch(replace('/taxId', 'DE1'));
    nock(API, AUTH).get(BER).reply(200, { id: 'BER', taxId: 'DE1' });

    expect((await cli(update('--tax-id', 'DE1'), { env: hotels })).stderr).toBe(
      'Updated property BER: confirmed.\n',
    );
  });

  test('a withdrawn currency is sent with a warning', async () => {
    acceptsPatch(replace('/currencyCode', 'HRK'));

    expect(
      (await cli(update(...patch('replace', '/currencyCode', 'HRK'), '--no-verify'), { env: hotels })).stderr,
    ).toBe('warning: HRK is no longer a currency of ISO 4217.\nUpdated property BER.\n');
  });

  test.each<[readonly string[], string]>([
    [[], 'No changes given'],
    [['--name', 'Grandhotel'], '--name: "Grandhotel" is not language=text'],
    [['--name', 'de=A', '--name', 'de=B'], '--name: de is given twice'],
    [['--name', 'de='], '--name de: must not be empty'],
    [['--name', 'german=x'], '--name german: "german" is not a language code'],
    [['--default-check-in-time', '24:00'], '--default-check-in-time: "24:00" is not a time of day'],
    [patch('replace', '/name/DE', 'x'), '/name/DE: "DE" is written de'],
    [patch('add', '/name/fr', 5), '/name/fr: must be a text, in quotes'],
    [patch('replace', '/name', 'x'), '/name: must hold a text for each language code'],
    [patch('replace', '/name', {}), '/name: needs a text in at least one language'],
    [patch('replace', '/default_check_in_time', '3pm'), '/default_check_in_time: "3pm" is not a time of day'],
    [patch('replace', '/location/country_code', 'UK'), '/location/country_code: "UK" is not an assigned'],
    [patch('replace', '/location', 'Berlin'), '/location: must hold fields and values'],
    [patch('replace', '/location', { countryCode: 'UK' }), '/location/countryCode: "UK" is not an assigned'],
    [[...patch('replace', '/name', { de: 'a' }), '--name', 'de=b'], '/name: is changed by two flags'],
  ])('%j: exit 2 and nothing is sent', async (words, message) => {
    expect(await cli(update(...words), { env: hotels })).toEqual(ended(2, expect.stringContaining(message)));
  });

  test('all errors are reported at once', async () => {
    const words = ['--name', 'x', '--city', '', '--patch', '/nowhere'];

    const result = await cli(['properties', 'update', 'a/b', ...words, '--json'], { env: hotels });

    expect({ ...result, stderr: JSON.parse(result.stderr).error.details }).toEqual(
      ended(2, [
        { field: 'id', reason: '"a/b" has characters that no id has' },
        { field: '--name', reason: '"x" is not language=text, such as en="Grand Hotel"' },
        { field: '--city', reason: 'must not be empty' },
      ]),
    );
  });
});

describe('an update in the sandbox', () => {
  /** Runs the program over HTTP against a sandbox with faults. */
  async function against(
    faults: readonly string[],
    words: readonly string[],
    more: Pick<Situation, 'stdin'> = {},
  ) {
    const { url, token, call } = await sandbox({ faults: faults.map(parseFault) });
    let patches = 0;
    const connect = watched((request) => {
      if (request.method === 'PATCH') patches += 1;
    });
    const env = { INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: token };
    const result = await cli(update(...words), { env, connect, ...more });
    return { result, patches, left: (await call('GET', BER)).body };
  }

  const confirmed = { exitCode: 0, stdout: '', stderr: 'Updated property BER: confirmed.\n' };

  test('of a missing language gets a hint how to add it, and the hint works', async () => {
    const { result, left } = await against([], ['--name', 'fr=Grand Hôtel']);
    const command = /hint: .*: innctl properties update BER (.*)\n/.exec(result.stderr)?.[1];

    expect(result.exitCode).toBe(6);
    expect(left).toMatchObject({ name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' } });
    expect(command).toBe(`--patch '[{"op":"add","path":"/name/fr","value":"Grand Hôtel"}]'`);
    expect((await against([], patch('add', '/name/fr', 'Grand Hôtel'))).result).toEqual(confirmed);
  });
});
