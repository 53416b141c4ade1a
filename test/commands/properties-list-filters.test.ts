import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { apaleo, cli } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { property } from '../helpers/records.ts';

const PAGE = 'pageSize=100&pageNumber=1';

describe('filters of properties list', () => {
  onlyIntercepted();

  test.each([
    ['--status Live,Test', 'status=Live%2CTest'],
    ['--country-code DE,AT --country-code DE', 'countryCode=DE%2CAT'],
    ['--include-archived --country-code AT --status Live', 'status=Live&countryCode=AT&includeArchived=true'],
    ['--param countryCode=AT --status Live', 'status=Live&countryCode=AT'],
    ['--expand actions', 'expand=actions'],
  ])('%s is sent as %s', async (words, query) => {
    nock('https://api.example.com')
      .get(`/inventory/v1/properties?${query}&${PAGE}`)
      .reply(200, { properties: [{ ...property, id: 'VIE', isArchived: true }], count: 1 });

    expect(await cli(`properties list ${words} -q`, { env: apaleo })).toEqual(printed('VIE\n'));
  });

  test.each<[readonly string[], string]>([
    [['--status', 'Open'], '--status: "Open" is not'],
    [['--expand', 'unitGroups'], '--expand: "unitGroups" is not known to this service: write actions'],
    [
      ['--country-code', 'DE', '--param', 'countryCode=AT'],
      '--param: countryCode is given by a flag too: --country-code',
    ],
    [['--include-archived', '--param', 'INCLUDE_ARCHIVED=x'], 'is given by a flag too: --include-archived'],
  ])('%j: exit 2 and nothing is sent', async (words, message) => {
    expect(await cli(['properties', 'list', ...words], { env: apaleo })).toEqual(
      ended(2, expect.stringContaining(message)),
    );
  });
});
