import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, cli, hotels, IDENTITY, type Situation } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const ACTIONS = '/inventory/v1/property-actions';

onlyIntercepted();

const innctl = (words: readonly string[], situation: Situation = {}) =>
  cli(['api', ...words], { env: hotels, ...situation });

describe('destructive requests and set-live require --confirm with the id', () => {
  test.each<[method: string, path: string, id: string, sentence: string]>([
    ['DELETE', '/inventory/v1/properties/MUC', 'MUC', 'This will delete the property MUC.'],
    ['DELETE', '/inventory/v1/properties/%254d%2555C', 'MUC', 'This will delete the property MUC.'],
    ['PUT', `${ACTIONS}/MUC/archive`, 'MUC', 'This will archive the property MUC.'],
    ['PUT', `${ACTIONS}/MUC/%61rchive`, 'MUC', 'This will archive the property MUC.'],
    ['PUT', `${ACTIONS}/MUC/reset`, 'MUC', 'This will delete all transactional data of the property MUC.'],
    ['PUT', `${ACTIONS}/MUC/set-live`, 'MUC', 'This will set live the property MUC.'],
    ['PUT', '/inventory/v1/unit-actions/MUC-1/archive', 'MUC-1', 'This will archive the unit MUC-1.'],
  ])('%s %s', async (method, path, id, sentence) => {
    const bare = await innctl([method, path]);
    const yes = await innctl([method, path, '--yes']);
    const other = await innctl([method, path, '--confirm', 'BER']);
    nock(API).intercept(path, method).reply(204);
    const confirmed = await innctl([method, path, '--confirm', id]);

    expect({ exitCode: bare.exitCode, stdout: bare.stdout }).toEqual({ exitCode: 11, stdout: '' });
    expect(bare.stderr).toContain(`error: ${sentence} That needs consent by name.\n`);
    expect(bare.stderr).toMatch(new RegExp(` --confirm ${id}\n$`));
    expect([yes.exitCode, other.exitCode, confirmed.exitCode]).toEqual([11, 11, 0]);
  });

  test.each<[method: string, path: string, id: string]>([
    ['PUT', `${ACTIONS}/MUC/archive.json`, 'MUC'],
    ['PATCH', `${ACTIONS}/MUC/set-live`, 'MUC'],
    ['PUT', `${ACTIONS};a=b/MUC/%2562urn`, 'MUC'],
    ['POST', '/booking/v1/Reservation-Actions/RES-1/cancel', 'RES-1'],
    ['POST', '/inventory/v1/property-actions', 'property-actions'],
    ['DELETE', '/inventory/v1/things/7/parts/9', '9'],
    ['DELETE', '/inventory/v1/units?unitIds=A,B', 'units'],
  ])('on an unknown path: %s %s', async (method, path, id) => {
    const [bare] = path.split('?');
    const { exitCode, stderr } = await innctl([method, path, '--yes']);
    nock(API).intercept(path, method).reply(204);
    const confirmed = await innctl([method, path, '--confirm', id]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining(
        `error: ${method} ${bare} may delete or overwrite data. That needs consent by name.\n`,
      ),
    });
    expect(confirmed.exitCode).toBe(0);
  });

  test('the prompt accepts only the id', async () => {
    nock(API).delete('/inventory/v1/properties/MUC').reply(204);
    const words = ['DELETE', '/inventory/v1/properties/MUC'];

    const sent = await innctl(words, { answers: ['MUC'] });
    const declined = await innctl(words, { answers: ['BER'] });

    expect([sent.exitCode, declined.exitCode]).toEqual([0, 11]);
  });

  test('a dry run requires no consent', async () => {
    expect((await innctl(['PUT', `${ACTIONS}/MUC/archive`, '--dry-run'])).exitCode).toBe(0);
  });
});

describe('deleting an invitation requires --yes', () => {
  test.each(['/api/v1/invitations/', '/api/v1/account/invitations/'])('%s', async (collection) => {
    const path = `${collection}ana%40example.com`;
    nock(IDENTITY).delete(path).twice().reply(204);

    const bare = await innctl(['DELETE', path]);
    const yes = await innctl(['DELETE', path, '--yes']);
    const prompted = await innctl(['DELETE', path], { answers: [true] });

    expect(bare.exitCode).toBe(11);
    expect(bare.stderr).toContain(`This needs consent: Send DELETE ${path}, to delete the invitation?`);
    expect([yes.exitCode, prompted.exitCode]).toEqual([0, 0]);
  });
});

test.each([
  ['POST', `${ACTIONS}/MUC/clone`],
  ['PUT', '/inventory/v1/unit-groups/MUC-DBL'],
  ['PATCH', '/inventory/v1/properties/MUC'],
  ['POST', '/finance/v1/transactions'],
  ['POST', '/finance/v1/propertyTransactions'],
  ['GET', `${ACTIONS}/MUC/archive`],
])('a create, update or read requires no consent: %s %s', async (method, path) => {
  nock(API).intercept(path, method).reply(204);

  expect((await innctl([method, path])).exitCode).toBe(0);
});

describe('the safety setting classifies a request by its effect', () => {
  const attempt = async (safety: string, method: string, path: string) => {
    const { exitCode, stderr } = await innctl([method, path, '--confirm', 'MUC'], {
      env: { ...hotels, INNCTL_SAFETY: safety },
    });
    return exitCode === 11 && stderr.includes(`safety is ${safety} (INNCTL_SAFETY)`);
  };

  test.each([
    ['PUT', `${ACTIONS}/MUC/archive`],
    ['PUT', `${ACTIONS}/MUC/%72eset`],
    ['PUT', `${ACTIONS}/MUC/burn`],
    ['PUT', '/inventory/v1/unit-actions/MUC-1/archive'],
    ['DELETE', '/inventory/v1/properties/MUC'],
  ])('no-delete forbids %s %s', async (method, path) => {
    expect(await attempt('no-delete', method, path)).toBe(true);
  });
});
