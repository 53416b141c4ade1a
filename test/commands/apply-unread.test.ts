import { describe, expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, seeding } from '../helpers/seeding.ts';

/** Permanent failures of the GET of one record, and the error code of each. */
const kinds: readonly (readonly [string, status: number, body: string, code: RegExp])[] = [
  ['an HTML page', 200, '<html></html>', /./],
  ['a truncated response', 200, '{"id": "KIE", "co', /./],
  ['a body that is not JSON', 200, 'KIE', /./],
  ['a list', 200, '[]', /^malformed_answer$/],
  ['another record', 200, '{"id": "P-9", "subject_id": "P-9", "code": "KIE"}', /^malformed_answer$/],
  ['500', 500, '', /^service_error$/],
  ['403', 403, '{"messages": ["not yours"]}', /^forbidden$/],
  ['404 in HTML', 404, '<html></html>', /^html_answer$/],
  ['502', 502, '', /^unavailable$/],
];
const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
const property = /^\/inventory\/v1\/properties\/KIE$/;
const user = new RegExp(`/users/${BEN}$`);

/** Answers a GET of this path, and no other, with the failure. */
const failingRead = (path: RegExp, [, status, body]: readonly [string, number, string, ...unknown[]]) => ({
  env: { INNCTL_MAX_ATTEMPTS: '2' },
  instead: (read: string) => (path.test(read) ? { status, body } : undefined),
});

/** KIE and LEI exist; a file changes their company, and adds HAM, a user and an invitation. */
async function world() {
  const { file, innctl, ...service } = await seeding();
  const earlier = await file('earlier.yaml', hotelsYaml('KIE', 'LEI'));
  await innctl(['apply', earlier, '--yes'], { uuid: 'an-earlier-run' });
  const hotels = ['KIE', 'LEI', 'HAM'].map((code) => hotelEntry(code, 'Sued GmbH')).join('');
  const path = await file(
    'seed.yaml',
    `properties:\n${hotels}` +
      `users:\n  - { subject_id: ${BEN}, properties: [VIE] }\n` +
      'invitations:\n  - { email: mia@example.com, role: Housekeeping, properties: [KIE, HAM] }\n',
  );
  service.writes.length = 0;
  return { ...service, earlier, file, innctl, path };
}

describe.each(kinds)('one record whose GET returns %s', (...kind) => {
  test.each([
    ['property', property, ['apply', '--yes']],
    ['property', property, ['plan']],
    ['user', user, ['apply', '--yes']],
  ] as const)(
    'ends a run that reads the %s, and nothing is sent: %s %j',
    async (_, path, [verb, ...flags]) => {
      const { path: file, innctl, writes } = await world();

      const result = await innctl([verb, file, ...flags, '--json'], failingRead(path, kind));

      expect([writes, result.stdout]).toEqual([[], '']);
      expect(JSON.parse(result.stderr).error).toMatchObject({
        code: expect.stringMatching(kind[3]),
        request_id: 'spoilt-1',
      });
    },
  );

  test('--prune deletes nothing, and a second run does', async () => {
    const { earlier, file, innctl, hotels } = await world();
    await file('earlier.yaml', hotelsYaml('HAM'));
    const line = ['apply', earlier, '--yes', '--prune', '--max-deletes', '2'];

    const stopped = await innctl(line, failingRead(property, kind));
    const left = await hotels();
    const again = await innctl(line);

    expect([stopped.exitCode === 0, left]).toEqual([false, ['BER', 'MUC', 'VIE', 'KIE', 'LEI']]);
    expect([again.exitCode, await hotels()]).toEqual([0, ['BER', 'MUC', 'VIE', 'HAM']]);
  });
});

test.each(['plan', 'apply'])('--timeout ends %s while it waits for one record', async (verb) => {
  const { earlier, innctl } = await world();
  const instead = (read: string) => (property.test(read) ? 'silence' : undefined);

  const result = await innctl([verb, earlier, '--timeout', '1'], { instead });

  expect([result.exitCode, result.stdout, result.stderr.slice(0, 6)]).toEqual([7, '', 'error:']);
});
