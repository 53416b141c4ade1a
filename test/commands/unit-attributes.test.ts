import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, apaleo, cli } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const ATTRIBUTES = '/inventory/v1/unit-attributes';

const run = (line: string, situation = {}) => cli(line, { env: apaleo, ...situation });
const quiet = { id: 'QQQ', name: 'QUIET', description: 'To the courtyard' };
const listing = (list: readonly object[], times = 1) =>
  nock(API)
    .get(`${ATTRIBUTES}?pageSize=500&pageNumber=1`)
    .times(times)
    .reply(200, { unitAttributes: list, count: list.length });
const reading = (attribute: object) => nock(API).get(`${ATTRIBUTES}/QQQ`).reply(200, attribute);

onlyIntercepted();

describe('unit-attributes list and get', () => {
  test('a list is whole, whatever the pages', async () => {
    nock(API)
      .get(`${ATTRIBUTES}?pageSize=1&pageNumber=1`)
      .reply(200, { unitAttributes: [quiet], count: 2 });
    nock(API)
      .get(`${ATTRIBUTES}?pageSize=1&pageNumber=2`)
      .reply(200, { unitAttributes: [{ id: 'SSS', name: '=SUM(A1)' }], count: 2 });

    expect(await run('unit-attributes list --page-size 1 -o csv')).toEqual(
      printed("id,name,description\nQQQ,QUIET,To the courtyard\nSSS,'=SUM(A1),\n"),
    );
  });
});

describe('unit-attributes create', () => {
  test('looks for the name first', async () => {
    listing([]);
    nock(API).post(ATTRIBUTES, { name: 'QUIET', description: 'No street' }).reply(201, { id: 'QQQ' });
    listing([quiet]);

    expect(await run('unit-attributes create --name QUIET --description "No street"')).toEqual(
      ended(0, 'Created unit attribute QQQ.\n'),
    );
  });

  test.each([['x'.repeat(51), 'is longer than 50 characters']])(
    'the name %j is refused, and nothing is sent',
    async (name, problem) => {
      expect(await run(`unit-attributes create --name ${name}`)).toEqual(
        ended(2, `error: --name: ${problem}\nhint: innctl unit-attributes create --help\n`),
      );
    },
  );
});

describe('unit-attributes update', () => {
  test('replaces the description', async () => {
    reading(quiet);
    nock(API)
      .patch(`${ATTRIBUTES}/QQQ`, [{ op: 'replace', path: '/description', value: 'New' }])
      .reply(204);
    reading({ ...quiet, description: 'New' });

    expect(await run('unit-attributes update QQQ --description New')).toEqual(
      ended(0, 'Updated unit attribute QQQ: confirmed.\n'),
    );
  });

  test('removes it', async () => {
    reading(quiet);
    nock(API)
      .patch(`${ATTRIBUTES}/QQQ`, [{ op: 'remove', path: '/description' }])
      .reply(204);

    expect(await run('unit-attributes update QQQ --unset description --no-verify')).toEqual(
      ended(0, 'Updated unit attribute QQQ.\n'),
    );
  });
});

test('a deletion needs consent by name, and is read back', async () => {
  nock(API).get(`${ATTRIBUTES}/QQQ`).times(2).reply(200, quiet);
  expect((await run('unit-attributes delete QQQ --yes')).exitCode).toBe(11);

  nock(API).delete(`${ATTRIBUTES}/QQQ`).reply(204);
  nock(API).get(`${ATTRIBUTES}/QQQ`).reply(404);
  expect(await run('unit-attributes delete QQQ --confirm QQQ')).toEqual(
    ended(0, 'Deleted unit attribute QQQ: confirmed.\n'),
  );
});

test.each([
  ['', 3, 'error: Could not get the unit attribute: '],
  [' --ignore-not-found', 0, 'There is no unit attribute QQQ.'],
])('a deletion of what is not there%s exits with %i', async (flag, code, start) => {
  nock(API).get(`${ATTRIBUTES}/QQQ`).reply(404);
  if (code === 0) nock(API).delete(`${ATTRIBUTES}/QQQ`).reply(404);
  if (code === 3)
    nock(API)
      .get(`${ATTRIBUTES}?pageSize=100&pageNumber=1`)
      .reply(200, { unitAttributes: [{ ...quiet, id: 'QQX' }], count: 1 });

  const { exitCode, stderr } = await run(`unit-attributes delete QQQ --confirm QQQ${flag}`);

  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(start) });
});
