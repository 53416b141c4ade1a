import { expect, test } from 'vitest';
import type { Item } from '../../src/change/item.ts';
import { CliError } from '../../src/model/errors.ts';
import { changedUser, newInvitation, resultLines, settled, stage } from './stage.ts';

const disabled = (email: string, id: string): Item => ({
  ...changedUser(email, id),
  steps: [{ op: 'replace', path: '/enabled', value: false }],
});

/** A user who has BER and whose properties change. */
const granted = (id: string, ...properties: readonly string[]): Item => ({
  ...changedUser('ben@example.com', id, ...properties),
  record: {
    subject_id: id,
    properties: ['BER'],
    property_roles: [{ id: 'BER', roles: ['FrontDesk'] }],
  },
});

test('a row that reduces access is sent after other people, and rechecked right before', async () => {
  const { run, events } = stage();
  const recheck = async ({ name }: Item) => void events.push(`look ${name}`);
  const items = [disabled('ana@example.com', 'u-1'), newInvitation('eva@example.com'), granted('u-2')];

  await run(items, { lockout: { recheck, reducesSelf: () => false } });

  expect(events.filter((event) => /^[A-Zl]/.test(event))).toEqual([
    'look eva@example.com',
    'POST invitation eva@example.com',
    'look ben@example.com',
    'PATCH user u-2',
    'look ana@example.com',
    'PATCH user u-1',
  ]);
});

test('the row that reduces the user of the token is sent last, after deletions', async () => {
  const { run, events } = stage();
  const items = [
    disabled('ana@example.com', 'u-1'),
    disabled('ben@example.com', 'u-2'),
    settled('invitation', 'ana@example.com', 'delete'),
    granted('u-3'),
  ];

  await run(items, { lockout: { recheck: async () => {}, reducesSelf: ({ id }) => id === 'u-1' } });

  expect(events.filter((event) => /^[A-Z]/.test(event))).toEqual([
    'PATCH user u-3',
    'PATCH user u-2',
    'DELETE invitation ana@example.com',
    'PATCH user u-1',
  ]);
});

test('nothing is re-read when properties are only removed', async () => {
  const { run, events } = stage();

  const { results } = await run([granted('u-1')]);

  expect(events).not.toContain('GET user u-1');
  expect(results[0]?.access).toMatchObject({
    removed: ['BER'],
    removedRoles: [{ id: 'BER', roles: ['FrontDesk'] }],
  });
});

test('a row is done although its roles cannot be read: they are as planned', async () => {
  const { run } = stage({
    on: (request) => {
      if (request.startsWith('GET user')) throw new CliError('unavailable', 'Later.');
    },
  });

  const { results } = await run([granted('u-1', 'BER', 'VIE')]);

  expect(resultLines(results)).toEqual(['done ben@example.com u-1']);
  expect(results[0]?.access).toMatchObject({ added: ['VIE'], withoutRoles: ['VIE'] });
});

test('the earlier access is not reported when the record did not show it', async () => {
  const { run } = stage();

  const { results } = await run([changedUser('ben@example.com', 'u-1', 'BER')]);

  expect(results).toEqual([expect.objectContaining({ outcome: 'done', access: undefined })]);
});
