import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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
  const run = async (line: readonly string[], situation: Parameters<typeof innctl>[1] = {}) => {
    const result = await innctl([...line, '--json'], situation);
    const { items } = JSON.parse(result.stdout);
    return { ...result, items: items as readonly Item[] };
  };
  return { ...service, earlier, file, innctl, path, run };
}

/** Removes the journal: without it each record is read. */
const forget = (folder: string) => rm(join(folder, 'config', 'state', 'journal'), { recursive: true });

interface Item {
  readonly name: string;
  readonly action: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly request_id?: string };
}

const outcomes = (items: readonly Item[]) => items.map(({ name, outcome }) => `${name} ${outcome}`);
const actions = (items: readonly Item[]) => items.map(({ name, action }) => `${name} ${action}`);

describe.each(kinds)('one property whose GET returns %s', (...kind) => {
  const exitCode = kind[1] === 502 ? 7 : 9;

  test('plan shows its row and exits with 0, or 10 with --exit-code if changes are pending', async () => {
    const { path, run, writes } = await world();

    const planned = await run(['plan', path], failingRead(property, kind));
    const pending = await run(['plan', path, '--exit-code'], failingRead(property, kind));

    expect([planned.exitCode, pending.exitCode, writes]).toEqual([0, 10, []]);
    expect(actions(planned.items)).toEqual([
      'KIE cannot_tell',
      'LEI change',
      'HAM create',
      `${BEN} change`,
      'mia@example.com create',
    ]);
    expect(planned.items[0]).toMatchObject({
      id: 'KIE',
      reason: expect.stringMatching(/./),
      error: { code: expect.stringMatching(kind[3]), request_id: 'spoilt-1' },
    });
    expect(planned.stderr).toContain('1 that cannot be determined now');
  });

  test('apply does the other rows, including those that refer to it, and a second run the rest', async () => {
    const { path, run, writes, invited } = await world();

    const applied = await run(['apply', path, '--yes'], failingRead(property, kind));
    const sent = [...writes];
    const again = await run(['apply', path, '--yes']);

    expect(applied.exitCode).toBe(exitCode);
    expect(outcomes(applied.items)).toEqual([
      'KIE failed',
      'LEI done',
      'HAM done',
      `${BEN} done`,
      'mia@example.com done',
    ]);
    expect(applied.items[0]).toMatchObject({ action: 'cannot_tell', id: 'KIE' });
    expect(applied.items[0]?.error).toMatchObject({
      code: expect.stringMatching(kind[3]),
      message: expect.stringMatching(/./),
      request_id: 'spoilt-1',
    });
    expect(sent).toHaveLength(4);
    expect([again.exitCode, writes.length, await invited()]).toEqual([
      0,
      5,
      expect.arrayContaining(['mia@example.com']),
    ]);
    expect(writes.at(-1)).toBe('PATCH /inventory/v1/properties/KIE');
  });

  test('--prune deletes the others, and not this one', async () => {
    const { earlier, file, run, hotels } = await world();
    await file('earlier.yaml', hotelsYaml('HAM'));

    const line = ['apply', earlier, '--yes', '--prune', '--max-deletes', '2'];
    const applied = await run(line, failingRead(property, kind));
    const left = await hotels();
    const again = await run(line);

    expect([applied.exitCode, outcomes(applied.items)]).toEqual([
      exitCode,
      ['HAM done', 'KIE failed', 'LEI done'],
    ]);
    expect(left).toEqual(['BER', 'MUC', 'VIE', 'KIE', 'HAM']);
    expect([again.exitCode, await hotels()]).toEqual([0, ['BER', 'MUC', 'VIE', 'HAM']]);
  });

  test('an unreadable user is not written, and the other rows are done', async () => {
    const { path, run, writes } = await world();

    const planned = await run(['plan', path], failingRead(user, kind));
    const applied = await run(['apply', path, '--yes'], failingRead(user, kind));

    expect(actions(planned.items)[3]).toBe(`${BEN} cannot_tell`);
    expect([applied.exitCode, outcomes(applied.items)]).toEqual([
      exitCode,
      ['KIE done', 'LEI done', 'HAM done', `${BEN} failed`, 'mia@example.com done'],
    ]);
    expect(writes).toHaveLength(4);
  });
});

test('a saved plan is refused if a row cannot be read now, and accepted if it could not be read then either', async () => {
  const { path, innctl, file, writes, run } = await world();
  const situation = failingRead(property, ['500', 500, '']);
  const whole = await file('whole.json', (await innctl(['plan', path, '--json'])).stdout);
  const open = await file('open.json', (await innctl(['plan', path, '--json'], situation)).stdout);

  const refused = await innctl(['apply', path, '--yes', '--plan', whole], situation);
  const readable = await innctl(['apply', path, '--yes', '--plan', open]);
  const sent = writes.length;
  const same = await run(['apply', path, '--yes', '--plan', open], situation);

  expect([refused.exitCode, readable.exitCode, sent]).toEqual([6, 6, 0]);
  expect(refused.stderr).toContain(
    'property "KIE": was planned as change, and is cannot_tell now: Could not',
  );
  expect([same.exitCode, writes.length]).toEqual([9, 4]);
});

test.each(['plan', 'apply'])('--timeout ends %s while it waits for one record', async (verb) => {
  const { earlier, innctl, folder } = await world();
  await forget(folder);
  const instead = (read: string) => (property.test(read) ? 'silence' : undefined);

  const result = await innctl([verb, earlier, '--timeout', '1'], { instead });

  expect([result.exitCode, result.stdout, result.stderr.slice(0, 6)]).toEqual([7, '', 'error:']);
});
