import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hotelEntry, hotelsYaml, peopleYaml, seeding } from '../helpers/seeding.ts';

const seed = `${hotelsYaml('HAM')}invitations:
  - { email: mia@example.com, role: Housekeeping, properties: [ham] }
users:
  - { email: ben@aurora.example, properties: [BER, HAM] }
`;

const noRoleWarning =
  "warning: ben@aurora.example has no role at HAM and will see nothing there; set roles in the service's web app.\n";

const PROPERTIES = 'POST /inventory/v1/properties';
const INVITATIONS = 'POST /api/v1/invitations';

test('applies properties first, then the invitations and users that refer to them', async () => {
  const { file, innctl, writes, hotels, invited } = await seeding();

  const applied = await innctl(['apply', await file('seed.yaml', seed), '--yes', '--json']);

  expect({ exitCode: applied.exitCode, stderr: applied.stderr }).toEqual({
    exitCode: 0,
    stderr: noRoleWarning,
  });
  expect(JSON.parse(applied.stdout)).toMatchObject({
    run_id: '11111111-2222-4333-8444-555555555555',
    journal: expect.stringMatching(/\/state\/journal\/[0-9a-f]{32}\.ndjson$/),
    summary: { done: 3, failed: 0, unknown: 0, not_attempted: 0 },
    count: 3,
    items: [
      { row: 1, line: 2, kind: 'property', name: 'HAM', action: 'create', outcome: 'done', id: 'HAM' },
      { row: 2, line: 13, kind: 'invitation', name: 'mia@example.com', action: 'create', outcome: 'done' },
      {
        ...{ row: 3, line: 15, kind: 'user', name: 'ben@aurora.example', action: 'change', outcome: 'done' },
        ...{ added: ['HAM'], removed: ['MUC'], removed_roles: [{ id: 'MUC', roles: ['FrontDesk'] }] },
        without_roles: ['HAM'],
      },
    ],
  });
  expect(writes).toEqual([PROPERTIES, INVITATIONS, expect.stringMatching(/^PATCH .*\/users\//)]);
  expect(await hotels()).toContain('HAM');
  expect(await invited()).toContain('mia@example.com');
});

test('a second run sends nothing and needs no consent', async () => {
  const { file, innctl, writes } = await seeding();
  const path = await file('seed.yaml', seed);
  await innctl(['apply', path, '--yes']);
  const before = writes.length;

  const again = await innctl(['apply', path]);

  expect({ exitCode: again.exitCode, stderr: again.stderr, writes: writes.length - before }).toEqual({
    exitCode: 0,
    stderr: 'There is nothing to do: 3 unchanged.\n',
    writes: 0,
  });
});

describe('at a terminal', () => {
  test('apply shows the plan, prompts, and runs after yes', async () => {
    const { file, innctl, hotels } = await seeding();
    const path = await file('seed.yaml', seed);

    const line = ['apply', path, '--progress', 'none', '--color', 'never'];
    const { exitCode, stderr } = await innctl(line, { answers: [true] });

    expect(exitCode).toBe(0);
    expect(stderr.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST').split('\n')).toEqual([
      '  ~ user ben@aurora.example',
      '      properties: BER, MUC → BER, HAM',
      '      takes away MUC',
      '      removes roles that cannot be restored through the API: FrontDesk at MUC',
      '      no role at HAM, and will see nothing there',
      '  + property HAM: Hotel HAM',
      '  + invitation mia@example.com: Housekeeping at HAM',
      'Plan: 2 to create, 1 to change.',
      'takes properties away: 1 (ben@aurora.example: takes away MUC, removes roles that cannot be restored through the API: FrontDesk at MUC)',
      'without a role: 1 (ben@aurora.example: HAM)',
      'sends mails: 1 (mia@example.com)',
      'Sending to HOST.',
      noRoleWarning.trimEnd(),
      'Applied: 2 created, 1 changed.',
      'Row by row: innctl runs show 11111111-2222-4333-8444-555555555555',
      '',
    ]);
    expect(await hotels()).toContain('HAM');
  });
});

test('without a terminal apply needs --yes, and the error summarizes the plan', async () => {
  const { file, innctl, writes } = await seeding();
  const path = await file('seed.yaml', seed);

  const { exitCode, stdout, stderr } = await innctl(['apply', path, '--json']);

  expect({ exitCode, stdout, writes }).toEqual({ exitCode: 11, stdout: '', writes: [] });
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'consent_missing',
    message: expect.stringMatching(
      /^This needs consent: Apply 3 changes to 127\.0\.0\.1:\d+\? Plan: 2 to create, 1 to change\. Nothing was sent\.$/,
    ),
    hint: `To consent: innctl apply ${path} --json --yes`,
  });
});

test('a dry run shows the plan, sends nothing and keeps no journal', async () => {
  const { file, folder, innctl, writes } = await seeding();
  const path = await file('seed.yaml', seed);

  const { exitCode, stdout } = await innctl(['apply', path, '--dry-run', '--json']);

  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ summary: { create: 2, change: 1 }, count: 3 });
  expect(writes).toEqual([]);
  await expect(readdir(join(folder, 'config', 'state', 'journal'))).rejects.toThrow('ENOENT');
});

test('--prune warns if there is no journal of an earlier run with these files', async () => {
  const { file, innctl } = await seeding();
  const hotels = await file('hotels.yaml', hotelsYaml('HAM'));
  const people = await file('people.yaml', peopleYaml('mia@example.com'));
  await innctl(['apply', hotels, people, '--yes']);

  const applied = await innctl(['apply', people, '--yes', '--prune', '--max-deletes', '9']);
  const planned = await innctl(['plan', people, '--prune']);

  const warning = 'warning: --prune finds nothing to delete: no journal of an earlier run with these files';
  expect(applied.stderr).toContain(warning);
  expect(planned.stderr).toContain(warning);
  expect((await innctl(['plan', hotels, people, '--prune'])).stderr).not.toContain('--prune');
});

test('--prune deletes only what an earlier run created', async () => {
  const { file, innctl, hotels, writes } = await seeding();
  const path = await file('seed.yaml', `${hotelsYaml('HAM', 'KIE')}${peopleYaml('mia@example.com')}`);
  await innctl(['apply', path, '--yes']);
  await file('seed.yaml', hotelsYaml('KIE'));

  const line = ['apply', path, '--yes', '--prune', '--max-deletes', '2', '--progress', 'none'];
  const { exitCode, stderr } = await innctl(line);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: 'Applied: 2 deleted, 1 unchanged.\n',
  });
  expect(writes.slice(-2)).toEqual([
    'DELETE /api/v1/invitations/mia%40example.com',
    'DELETE /inventory/v1/properties/HAM',
  ]);
  expect(await hotels()).toEqual(['BER', 'MUC', 'VIE', 'KIE']);
});

describe('a saved plan', () => {
  test('is refused if something has changed since', async () => {
    const { file, innctl, writes } = await seeding();
    const path = await file('seed.yaml', seed);
    const { stdout } = await innctl(['plan', path, '--json']);
    const saved = await file('plan.json', stdout);
    await innctl('invitations create mia@example.com --is-account-admin --yes', { uuid: 'another-run' });

    const { exitCode, stderr } = await innctl(['apply', path, '--plan', saved, '--yes']);

    expect({ exitCode, writes: writes.length }).toEqual({ exitCode: 6, writes: 1 });
    expect(stderr).toContain('mia@example.com');
    expect(stderr).toContain(`hint: Plan again, and look at it: innctl plan ${path} --json > ${saved}\n`);
  });
});

test('the same run id on another machine produces the same idempotency keys, except for changed rows', async () => {
  const one = await seeding();
  const other = await seeding();
  const line = (path: string) => ['apply', path, '--yes', '--run-id', 'pipeline-7'];

  await one.innctl(line(await one.file('hotels.yaml', hotelsYaml('HAM', 'KIE'))));
  await other.innctl(
    line(
      await other.file('hotels.yaml', `properties:\n${hotelEntry('HAM')}${hotelEntry('KIE', 'Süd GmbH')}`),
    ),
  );

  expect(one.keys).toHaveLength(2);
  expect(one.keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  expect(other.keys[0]).toBe(one.keys[0]);
  expect(other.keys[1]).not.toBe(one.keys[1]);
});
