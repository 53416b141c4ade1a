import nock from 'nock';
import { expect, test } from 'vitest';
import { API, cli, hotelsOfAurora, IDENTITY } from '../helpers/cli.ts';
import { hamburg } from '../helpers/hamburg.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const LIST = '/inventory/v1/properties?page_size=100&page_number=1';

onlyIntercepted();

const VIE = { ...hamburg, code: 'VIE', name: { en: 'Danube Hotel' } };

const plan = (manifest: object, flags = '') =>
  cli(`plan - ${flags}`, { env: hotelsOfAurora, stdin: JSON.stringify(manifest) });

test('a property is read in the languages of its entry', async () => {
  nock(API)
    .get(LIST)
    .reply(200, [{ id: 'P-1', code: 'VIE', name: 'Vienna' }]);
  nock(API).get('/inventory/v1/properties?page_size=100&page_number=2').reply(204);
  nock(API)
    .get('/inventory/v1/properties/P-1?languages=en&languages=de')
    .reply(200, { ...VIE, id: 'P-1', name: { en: 'Danube Hotel' } });

  const { stdout } = await plan({ properties: [{ ...VIE, name: { en: 'Danube Hotel', de: 'Donauhotel' } }] });

  expect(stdout).toBe('change\tproperty\tVIE\tname.de: (not there) -> "Donauhotel"\tstdin: line 1\n');
});

test('ids that are invalid in a path are never requested', async () => {
  const items = ['..', 'a/b', '', ' ', '%2e', '\u202eBER', {}, ['VIE'], 'x'.repeat(300)].map((id) => ({
    id,
    code: 'VIE',
    name: 'Vienna',
  }));
  nock(API).get(LIST).reply(200, { items, count: items.length });

  expect((await plan({ properties: [VIE] })).stdout).toContain('one without an id');
});

test('invitations are planned although the property list is forbidden', async () => {
  nock(API)
    .get(LIST)
    .reply(403, { messages: ['no'] });
  nock(IDENTITY).get('/api/v1/invitations').reply(204);
  nock(IDENTITY).get('/api/v1/users?page_size=100&page_number=1').reply(204);

  const { stdout } = await plan(
    { invitations: [{ email: 'ana@example.com', properties: ['BER'] }] },
    '--json',
  );

  expect(JSON.parse(stdout).items).toMatchObject([
    { action: 'create', body: { email: 'ana@example.com', properties: ['BER'] } },
  ]);
});
