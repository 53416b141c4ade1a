import { beforeEach, describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

const api = (line: string, body: unknown) =>
  cli(`--sandbox api ${line} --input -`, {
    folder,
    connect: connectUndici,
    stdin: typeof body === 'string' ? body : JSON.stringify(body),
  });

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });

describe('a PATCH of a user', () => {
  test.each<[string, unknown, string]>([
    ['gives full access', [replace('/isAccountAdmin', true)], `This gives user ${BEN} full access`],
    [
      'gives full access in another spelling',
      [{ Op: 'Add', PATH: '/IsAccountAdmin', value: 'yes' }],
      'full access',
    ],
    [
      'removes properties',
      [replace('/properties', ['MUC'])],
      `This takes away BER from user ${BEN}. The roles there are removed too, and cannot be restored through the API: FrontDesk at BER.`,
    ],
  ])('that %s requires --yes', async (_, body, sentence) => {
    const refused = await api(`PATCH /api/v1/identity/users/${BEN}`, body);

    expect(refused).toEqual(
      ended(
        11,
        expect.stringContaining(`This needs consent: ${sentence.startsWith('This') ? sentence : ''}`),
      ),
    );
    expect(refused.stderr).toContain(sentence);
    expect(refused.stderr).toContain('--yes (with the same input)');
  });

  test.each<[string, unknown, string]>([
    ['disables', [replace('/enabled', false)], `This disables user ${BEN}.`],
    ['is not a JSON Patch array', { enabled: false }, `This may disable user ${BEN}.`],
    ['has an unknown operation', [{ op: 'merge', path: '/enabled' }], 'This may disable'],
  ])('that %s requires --confirm; --yes is not enough', async (_, body, sentence) => {
    const { exitCode, stderr } = await api(`PATCH /api/v1/identity/users/${BEN} --yes`, body);

    expect({ exitCode, stderr }).toEqual({ exitCode: 11, stderr: expect.stringContaining(sentence) });
    expect(stderr).toContain('That needs consent by name.');
  });

  test.each([
    [[replace('/isAccountAdmin', true)], '--yes'],
    [[replace('/properties', [])], '--yes'],
    [[replace('/enabled', false)], `--confirm ${BEN}`],
    [[replace('/enabled', false)], '--confirm ben@aurora.example'],
    [[replace('/firstName', 'Benno')], ''],
    [[replace('/properties', ['MUC', 'BER', 'VIE'])], ''],
  ])('%j is sent with %j', async (body, consent) => {
    expect((await api(`PATCH /api/v1/identity/users/${BEN} ${consent}`, body)).exitCode).toBe(0);
  });

  test('with a duplicate JSON key is rejected', async () => {
    const body = '[{"op":"replace","path":"/enabled","path":"/firstName","value":false}]';

    expect(await api(`PATCH /api/v1/identity/users/${BEN} --confirm ${BEN}`, body)).toEqual(
      ended(2, expect.stringContaining('names "path" twice')),
    );
  });

  test('reports an unknown user as not found, not as missing consent', async () => {
    expect((await api('PATCH /api/v1/identity/users/nobody', [replace('/enabled', false)])).exitCode).toBe(3);
  });
});

describe('an invitation', () => {
  const mia = { email: 'mia@example.com' };

  test.each([
    [{ ...mia, is_account_admin: true }],
    [{ ...mia, role: 'AccountAdmin' }],
    [{ ...mia, roles: ['FrontDesk', 'AccountAdmin'] }],
  ])('with full access requires --yes: %j', async (body) => {
    const refused = await api('POST /api/v1/invitations', body);
    const consented = await api('POST /api/v1/invitations --yes', { ...body, roles: undefined });

    expect(refused).toEqual(
      ended(11, expect.stringContaining('This invites mia@example.com with full access to every property.')),
    );
    expect(consented.exitCode).toBe(0);
  });

  test('without full access requires no consent', async () => {
    const body = { ...mia, role: 'Housekeeping', properties: ['BER'] };

    expect((await api('POST /api/v1/invitations', body)).exitCode).toBe(0);
  });
});
