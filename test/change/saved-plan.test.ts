import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Item } from '../../src/change/item.ts';
import {
  itemJson,
  planDocument,
  refuseIfChanged,
  type SavedPlanOptions,
} from '../../src/change/saved-plan.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { entryOf, NOON } from './plan-service.ts';

const target = {
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  account: 'account AURORA',
};
const stdin = { ends: new AbortController().signal, read: async () => new Uint8Array() };

const blank = { steps: [], changes: [] } as const;
const create: Item = {
  ...blank,
  kind: 'property',
  name: 'VIE',
  entry: entryOf('property', 'VIE'),
  action: 'create',
  body: { code: 'VIE', tax_id: undefined },
};
const change: Item = {
  ...blank,
  kind: 'property',
  name: 'BER',
  id: 'P-1',
  entry: entryOf('property', 'BER', {}, 2),
  action: 'change',
  changes: [{ field: 'tax_id', from: undefined, to: 'DE1' }],
  steps: [{ op: 'replace', path: '/taxId', value: 'DE1' }],
  seen: 'aaaa',
};
const invite: Item = {
  ...blank,
  kind: 'invitation',
  name: 'ana@example.com',
  entry: entryOf('invitation', 'ana@example.com', {}, 3),
  action: 'create',
  body: { email: 'ana@example.com', properties: ['VIE', 'P-1'] },
};

let path = '';

beforeEach(async () => {
  const folder = await temporaryFolder();
  path = join(folder, 'plan.json');
});

/** Saves a plan as `plan --json` prints it; `edit` changes the document first. */
async function save(items: readonly Item[], edit: (document: object) => object = (document) => document) {
  const document = { ...planDocument(items, target, NOON), count: items.length, items: items.map(itemJson) };
  await writeFile(path, JSON.stringify(edit(document)));
}

const check = (items: readonly Item[], more: Partial<SavedPlanOptions> = {}, to = target) =>
  refuseIfChanged(path, items, to, { stdin, planAgain: 'innctl plan hotels.csv', ...more });

test('lines and reasons of the items may differ', async () => {
  await save([change]);

  const elsewhere = { ...change, entry: entryOf('property', 'BER', {}, 9), reason: 'as it is' };

  await expect(check([elsewhere])).resolves.toBeUndefined();
});

describe('a change since the plan is reported', () => {
  test.each<[string, readonly Item[], string]>([
    ['another action', [{ ...change, action: 'same', steps: [] }], 'was planned as change, and is same now'],
    ['another value', [{ ...change, steps: [] }], 'is shown or would be sent otherwise now'],
    ['another record', [{ ...change, seen: 'bbbb' }], 'is shown or would be sent otherwise now'],
    ['another id', [{ ...change, id: 'P-2' }], 'is shown or would be sent otherwise now'],
    ['a removed row', [], 'is not in the files any more'],
  ])('%s', async (_, items, reason) => {
    await save([change]);

    await expect(check(items)).rejects.toMatchObject({
      code: 'plan_changed',
      exitCode: 6,
      message: `${path} is not what would be done now; nothing was sent:\n  property "BER": ${reason}`,
      details: [{ field: 'property "BER"', reason }],
    });
  });

  test('for an additional row, and for at most twenty in all', async () => {
    await save([]);

    const items = Array.from({ length: 22 }, (_, index) => ({ ...create, name: `H${index}` }));

    await expect(check(items)).rejects.toThrow(/property "H0": is not in the plan\n(.*\n)+ {2}and 2 more$/);
  });
});

describe('a run that is resumed', () => {
  const done: Item = { ...create, action: 'same', id: 'P-7', seen: 'cccc' };

  test('may skip its completed rows, and uses the ids of its created records', async () => {
    await save([create, change, invite]);

    const body = { ...invite.body, properties: ['P-7', 'P-1'] };

    const underWay = new Set([create, done]);
    await expect(check([done, change, { ...invite, body }], { underWay })).resolves.toBeUndefined();
    await expect(check([create, change, invite], { underWay })).resolves.toBeUndefined();
    await expect(check([done, change, { ...invite, body }])).rejects.toMatchObject({ code: 'plan_changed' });
  });

  test('must not send anything else', async () => {
    await save([create]);

    const other = { ...create, body: { code: 'VIE', tax_id: 'DE2' } };

    await expect(check([other], { underWay: new Set([other]) })).rejects.toThrow(
      'is shown or would be sent otherwise now',
    );
  });
});

describe('an invalid plan file is rejected with exit code 2', () => {
  test.each([
    ['invalid JSON', 'properties: []'],
    ['another JSON document', '{"count":1,"items":[{"id":"BER"}]}'],
    ['items of an unknown kind', '{"plan":{},"items":[{"action":"create","kind":"hotel","name":"x"}]}'],
    ['a version that is an object', '{"plan":{"version":{"toString":1}},"items":[]}'],
    ['an account that is an object', '{"plan":{"version":1,"account":{"toString":1}},"items":[]}'],
    [
      'items with 100,000 nested lists',
      `{"plan":{"version":1},"items":[{"action":"create","kind":"property","name":"X","body":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`,
    ],
  ])('%s', async (_, text) => {
    await writeFile(path, text);

    await expect(check([])).rejects.toMatchObject({
      exitCode: 2,
      message: `${path} is not a plan.`,
      hint: 'innctl plan FILE --json > plan.json makes one.',
    });
  });

  test('a plan of a later version', async () => {
    await save([change], (document) => ({ ...document, plan: { version: 2 } }));

    await expect(check([change])).rejects.toMatchObject({
      exitCode: 2,
      message: `${path} is a plan of version 2; this innctl reads 1.`,
    });
  });

  test('an edited plan', async () => {
    await save([change], (document) => ({ ...document, items: [{ ...itemJson(change), id: 'P-2' }] }));

    await expect(check([{ ...change, id: 'P-2' }])).rejects.toMatchObject({
      exitCode: 2,
      message: `${path} is not as it was printed: it was edited, or cut.`,
    });
  });

  test.each([
    ['another service', { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox' }, 'sandbox'],
    [
      'another account of the same service',
      { ...target, account: 'account BOREAL' },
      'identity.example.com, api.example.com (account BOREAL)',
    ],
  ])('a plan for %s', async (_, to, shown) => {
    await save([change]);

    await expect(check([change], {}, to)).rejects.toMatchObject({
      exitCode: 2,
      message: `${path} was made for identity.example.com, api.example.com (account AURORA), and this is ${shown}.`,
    });
  });
});
