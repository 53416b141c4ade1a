import nock from 'nock';
import { expect, test } from 'vitest';
import type { Prompter } from '../../src/model/ports.ts';
import { API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';
import { property } from '../helpers/records.ts';

const PROPERTIES = '/inventory/v1/properties';

/** The property as the service returns it, without the times of day. */
const berlin = {
  ...property,
  name: { en: 'Grand Hotel', de: 'Grandhotel' },
  description: { en: 'At the market' },
  location: { ...property.location, regionCode: 'BE' },
};

const likeBerlin = {
  company_name: 'Grandhotel GmbH',
  commercial_register_entry: 'HRB 1',
  tax_id: 'DE1',
  location: { address_line1: 'Markt 1', postal_code: '10117', city: 'Berlin', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
  currency_code: 'EUR',
};

const times = ['--default-check-in-time', '15:00:00', '--default-check-out-time', '11:00:00'];
const create = (...more: readonly string[]) => ['properties', 'create', '--like', 'BER', ...more];
const named = ['--code', 'HAM', '--name', 'en=Harbour Hotel'];

onlyIntercepted();
emptyAccount();

function showsBerlin(changes: object = {}): void {
  nock(API, AUTH)
    .get(`${PROPERTIES}/BER`)
    .reply(200, { ...berlin, ...changes });
}

test('missing flags and file fields are copied from the property, except its own', async () => {
  showsBerlin();
  const body = { code: 'HAM', name: { en: 'Harbour Hotel' }, ...likeBerlin, tax_id: 'DE2' };
  nock(API, AUTH)
    .post(PROPERTIES, { ...body, location: { ...body.location, city: 'Hamburg' } })
    .reply(201, { id: 'HAM' });
  const stdin = JSON.stringify({ tax_id: 'DE2', location: { city: 'Bonn' } });

  const result = await cli(create(...named, ...times, '--city', 'Hamburg', '--file', '-'), {
    env: hotels,
    stdin,
  });

  expect(result).toEqual(ended(0, expect.stringMatching(/Created property HAM\.\n$/)));
});

test('unreadable fields, code and name stay missing, and are reported at once', async () => {
  showsBerlin({ taxId: null, companyName: 7, location: 'Berlin' });

  const result = await cli(create('--city', 'Berlin', '--json'), { env: hotels });

  const { error } = JSON.parse(result.stderr);
  expect(result.exitCode).toBe(2);
  expect(error.details.map(({ field }: { field: string }) => field)).toEqual([
    ...['--code', '--name', '--company-name', '--tax-id', '--address-line1', '--postal-code'],
    ...['--country-code', '--default-check-in-time', '--default-check-out-time'],
  ]);
});

test('fields that the property does not show get their flags as a hint', async () => {
  showsBerlin();

  const result = await cli(create(...named, '--dry-run'), { env: { ...hotels, NO_COLOR: '1' } });

  expect(result).toEqual(
    ended(
      2,
      `error: 2 values are not valid:
  --default-check-in-time: is missing
  --default-check-out-time: is missing
hint: BER does not show this; give it: --default-check-in-time 15:00:00 --default-check-out-time 11:00:00
`,
    ),
  );
});

test('an invalid copied value is reported by its flag', async () => {
  showsBerlin({ timeZone: 'Mars/Base', companyName: 'Grand\u202ehotel' });

  const { exitCode, stderr } = await cli(create(...named, ...times), { env: hotels });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('--time-zone: "Mars'),
  });
  expect(stderr).toContain('--company-name: has control or invisible characters');
});

test('an invalid location in a file is rejected, not completed', async () => {
  showsBerlin();
  const stdin = JSON.stringify({ location: 'Berlin' });

  expect(await cli(create(...named, ...times, '--file', '-'), { env: hotels, stdin })).toMatchObject({
    exitCode: 2,
    stderr: 'error: location: must hold fields and values\nhint: innctl properties create --help\n',
  });
});

test('nothing is read if no field is missing', async () => {
  const body = { code: 'HAM', name: { en: 'Harbour Hotel' }, ...likeBerlin };
  nock(API, AUTH).post(PROPERTIES, body).reply(201, { id: 'HAM' });

  const result = await cli('properties create --like BER --file -', {
    env: hotels,
    stdin: JSON.stringify(body),
  });

  expect(result.exitCode).toBe(0);
});

test('prompts ask for what neither the line nor the property says', async () => {
  showsBerlin();
  nock(API, AUTH)
    .post(PROPERTIES, { code: 'HAM', name: { en: 'Dom' }, ...likeBerlin, tax_id: 'DE9' })
    .reply(201, { id: 'HAM' });
  const prompts: unknown[] = [];

  const result = await cli(create('--tax-id', 'DE9'), {
    env: hotels,
    answers: [],
    prompter: typing(prompts, ['HAM', 'Dom', '', '']),
  });

  expect(result.exitCode).toBe(0);
  expect(prompts).toEqual([
    ['1 of 4 · Short code, as in reports', undefined],
    ['2 of 4 · Name in English', undefined],
    ['3 of 4 · Check-in time', '15:00'],
    ['4 of 4 · Check-out time', '11:00'],
  ]);
});

/** Types texts in order; an empty one accepts the default. */
function typing(prompts: unknown[], texts: readonly string[]): Prompter {
  const left = [...texts];
  return {
    ...noPrompter,
    confirm: async () => true,
    text: async (question, { initial, check } = {}) => {
      prompts.push([question, initial]);
      const answer = left.shift() || (initial ?? '');
      expect(check?.(answer)).toBeUndefined();
      return answer;
    },
  };
}
