import { expect, test } from 'vitest';
import { desk, onePage, properties } from './desk.ts';

test.each(['json', 'ndjson'] as const)('a page of 250,000 records is printed: %s', async (format) => {
  const hotels = Array.from({ length: 250_000 }, (_, index) => ({ id: `H${index}` }));
  const { out, shown } = desk({ format });

  await out.records(properties, onePage(hotels));

  expect(shown().stdout.match(/"id"/g)).toHaveLength(250_000);
});

test('a long list is printed in chunks of one document', async () => {
  const hotels = Array.from({ length: 2_001 }, (_, index) => ({ id: `H${index}`, actions: [], at: [0] }));
  const { out, writes, shown } = desk({ format: 'json' });

  await out.records(properties, onePage(hotels), { checked: { count: 0 } });

  const document = { checked: { count: 0 }, count: 2_001, items: hotels };
  expect(shown().stdout).toBe(`${JSON.stringify(document, undefined, 2)}\n`);
  expect(writes).toHaveLength(3);
});
