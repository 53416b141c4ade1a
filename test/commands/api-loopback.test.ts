import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type ContractOperationId as OperationId,
  contractOperations as operations,
} from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const innctl = (...words: readonly string[]) =>
  cli(['--sandbox', 'api', ...words], { folder, connect: connectUndici });

/** The subject id of Ben, a user that no other test depends on. */
async function subjectId(): Promise<string> {
  const { users } = JSON.parse((await innctl('GET', '/api/v1/users')).stdout);
  return users.at(1).subject_id;
}

const invitation = ['-f', 'email=ana@example.com', '-F', 'is_account_admin=true'];
const hotel = [
  ...['-f', 'code=HAM', '-f', 'name[en]=Harbour Hotel', '-f', 'company_name=Hafenhotel GmbH'],
  ...['-f', 'commercial_register_entry=HRB 1', '-f', 'tax_id=DE1', '-f', 'location[address_line1]=Am Kai 1'],
  ...['-f', 'location[postal_code]=20457', '-f', 'location[city]=Hamburg', '-f', 'location[country_code]=DE'],
  ...['-f', 'time_zone=Europe/Berlin', '-f', 'default_check_in_time=15:00:00'],
  ...['-f', 'default_check_out_time=11:00:00', '-f', 'currency_code=EUR'],
];

/** One row for each operation of the contract: its arguments, and the expected response. */
const rows: Record<OperationId, readonly [words: readonly string[], status: number, body: unknown]> = {
  listInvitations: [['GET', '/api/v1/invitations', '-f', 'property_id=BER'], 200, expect.any(Object)],
  createInvitation: [['POST', '/api/v1/invitations', ...invitation], 200, expect.any(Object)],
  deleteInvitation: [['DELETE', '/api/v1/invitations/ana%40example.com', '--yes'], 204, undefined],
  listRoles: [['GET', '/api/v1/roles'], 200, { roles: expect.arrayContaining(['Housekeeping']) }],
  listUsers: [['GET', '/api/v1/users', '-f', 'property_ids[]=BER'], 200, expect.any(Object)],
  getUser: [['GET', '/api/v1/identity/users/ID'], 200, expect.objectContaining({ enabled: true })],
  updateUser: [['PATCH', '/api/v1/identity/users/ID', '--input', '-'], 204, undefined],
  getCurrentUser: [['GET', '/api/v1/users/me'], 200, expect.objectContaining({ enabled: true })],
  listProperties: [
    ['GET', '/inventory/v1/properties', '-F', 'page_size=1'],
    200,
    { count: 3, items: [expect.objectContaining({ id: 'BER' })] },
  ],
  createProperty: [['POST', '/inventory/v1/properties', ...hotel], 201, { id: 'HAM' }],
  countProperties: [['GET', '/inventory/v1/properties/$count'], 200, 3],
  getProperty: [['GET', '/inventory/v1/properties/BER'], 200, expect.objectContaining({ id: 'BER' })],
  updateProperty: [['PATCH', '/inventory/v1/properties/BER', '--input', '-'], 204, undefined],
  deleteProperty: [['DELETE', '/inventory/v1/properties/VIE', '--confirm', 'VIE'], 204, undefined],
  listCountries: [
    ['GET', '/inventory/v1/types/countries'],
    200,
    { count: expect.any(Number), items: expect.arrayContaining(['DE']) },
  ],
};

const patches: Partial<Record<OperationId, string>> = {
  updateUser: '[{"op":"replace","path":"/enabled","value":false}]',
  updateProperty: '[{"op":"replace","path":"/name/en","value":"Spree Hotel"}]',
};

test.each(Object.entries(rows))('%s succeeds over the wire', async (name, [words, status, body]) => {
  // The keys of the rows are the ids by their type.
  const id = name as OperationId;
  if (id === 'deleteInvitation') await innctl('POST', '/api/v1/invitations', ...invitation, '--yes');
  const user = words.join().includes('/ID') ? await subjectId() : '';
  const consent = ['--yes', ...(id === 'updateUser' ? ['--confirm', user] : [])];
  const typed = words.map((word) => word.replace(/ID$/, user));
  const line = ['--sandbox', 'api', ...typed, ...consent, '-i', '--json'];

  const result = await cli(line, { folder, connect: connectUndici, stdin: patches[id] ?? '' });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
    exitCode: 0,
    stdout: { status, headers: expect.any(Object), ...(body === undefined ? {} : { body }) },
    stderr: '',
  });
  expect(words[0]).toBe(operations[id].method);
});

test('writes are visible to later reads', async () => {
  await innctl('POST', '/inventory/v1/properties', ...hotel);
  await innctl('DELETE', '/inventory/v1/properties/MUC', '--confirm', 'MUC');

  const result = await innctl('GET', '/inventory/v1/properties', '-F', 'page_size=2', '--paginate');

  expect(JSON.parse(result.stdout)).toMatchObject({
    count: 3,
    items: [{ id: 'BER' }, { id: 'VIE' }, { id: 'HAM', company_name: 'Hafenhotel GmbH' }],
  });
});

test('HEAD works over the wire', async () => {
  const { exitCode, stdout } = await innctl('HEAD', '/inventory/v1/properties/BER');

  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^HTTP 200\n.*\n\n$/s) });
});

test('an endpoint that the sandbox lacks answers 404', async () => {
  const result = await innctl('GET', '/inventory/v1/unit-groups', '--json');

  expect({ exitCode: result.exitCode, error: JSON.parse(result.stderr).error }).toEqual({
    exitCode: 3,
    error: expect.objectContaining({ code: 'not_found', status: 404 }),
  });
});
