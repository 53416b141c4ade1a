import { expect, test } from 'vitest';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { readWhole } from '../../src/service/paging.ts';

async function* pages(...lists: readonly Partial<Page>[]): AsyncGenerator<Page> {
  for (const list of lists) yield { items: [], total: undefined, truncated: false, ...list };
}

test('all records are read, and a list without a count, or with the right one, is whole', async () => {
  const seen: ServiceRecord[] = [];
  const see = (record: ServiceRecord) => seen.push(record);

  await readWhole(pages({ items: [{ id: 'BER' }] }, { items: [{ id: 'MUC' }] }), 'properties', see);
  await readWhole(pages({ items: [{ id: 'VIE' }], total: 1 }), 'properties', see);

  expect(seen).toEqual([{ id: 'BER' }, { id: 'MUC' }, { id: 'VIE' }]);
});

test('a list that is shorter than its count is not whole', async () => {
  const list = pages({ items: [{ id: 'BER' }], total: 3 }, { items: [{ id: 'MUC' }] });

  await expect(readWhole(list, 'properties', () => {})).rejects.toMatchObject({
    code: 'incomplete_list',
    message: 'Could not read all properties: the service counts 3 properties and listed 2.',
  });
});
