import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const MUC = '/inventory/v1/properties/MUC';

/** Answers the read before the prompt: the property exists. */
const answersRead = () => nock(API, AUTH).get(MUC).reply(200, { id: 'MUC', name: 'Park Hotel' });

/** Accepts a deletion without a body. */
const acceptsDeletion = () =>
  nock(API, AUTH)
    .delete(MUC, (body) => body === '')
    .reply(204);

describe('properties delete', () => {
  onlyIntercepted();

  test.each([
    'properties delete MUC --confirm MUC',
    'property rm MUC --confirm=MUC',
    'properties delete --confirm MUC -- MUC',
  ])('%s sends one DELETE and verifies it', async (line) => {
    nock(API, AUTH).get(MUC).reply(200, { id: 'MUC' });
    acceptsDeletion();
    nock(API, AUTH).get(MUC).reply(404);

    expect(await cli(line, { env: hotels })).toEqual(ended(0, 'Deleted property MUC: confirmed.\n'));
  });

  test('--ignore-not-found exits with 0 and reports a missing property', async () => {
    nock(API, AUTH).get(MUC).reply(404);

    const line = 'properties delete MUC --confirm MUC --ignore-not-found --json';
    const result = await cli(line, { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(printed({ id: 'MUC', deleted: false }));
  });

  test('--ignore-not-found reports each of several missing properties', async () => {
    for (const id of ['MUC', 'VIE']) nock(API, AUTH).get(`/inventory/v1/properties/${id}`).reply(404);

    const line = 'properties delete MUC VIE --ignore-not-found --json';
    const { exitCode, stdout } = await cli(line, { env: hotels });

    expect({ exitCode, items: JSON.parse(stdout).items }).toMatchObject({
      exitCode: 0,
      items: [{ id: 'MUC' }, { id: 'VIE' }],
    });
  });

  test('--ignore-not-found does not prompt for a missing property', async () => {
    nock(API, AUTH).get(MUC).reply(404);

    const result = await cli('properties delete MUC --ignore-not-found', { env: hotels, answers: [] });

    expect(result).toEqual(ended(0, 'There is no property MUC.\n'));
  });

  test.each([
    [{}, 1],
    // A name is looked for too.
    [{ answers: [] }, 2],
  ])('a missing property is reported without a prompt: %j', async (situation, lists) => {
    nock(API, AUTH).get(MUC).reply(404);
    nock(API, AUTH)
      .get('/inventory/v1/properties?page_size=100&page_number=1')
      .times(lists)
      .reply(200, { count: 1, items: [{ id: 'MUN', name: 'MUN' }] });

    expect(await cli('properties delete MUC', { env: hotels, ...situation })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('Did you mean MUN?'),
    });
  });

  test('an unreadable property still needs confirmation by id', async () => {
    nock(API, AUTH).get(MUC).reply(403);

    expect((await cli('properties delete MUC', { env: hotels })).exitCode).toBe(11);
  });

  test('a terminal prompts for the id', async () => {
    answersRead();
    acceptsDeletion();
    nock(API, AUTH).get(MUC).reply(404);

    expect(await cli('properties delete MUC', { env: hotels, answers: [' MUC '] })).toEqual(
      ended(0, 'Sending to api.example.com.\nDeleted property MUC: confirmed.\n'),
    );
  });
});

describe('a deletion without a confirming response', () => {
  onlyIntercepted();
  const line = 'properties delete MUC --confirm MUC';

  test('of an id that may never have existed is reported as presumed', async () => {
    nock(API, AUTH).get(MUC).reply(403);
    nock(API, AUTH).delete(MUC).reply(500);
    nock(API, AUTH).delete(MUC).reply(404);
    nock(API, AUTH).get(MUC).reply(404);

    const result = await cli(`${line} --json`, { env: hotels });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
      printed({ id: 'MUC', deleted: true, presumed: true, verification: 'confirmed' }),
    );
  });
});
