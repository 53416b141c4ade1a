import { expect, test } from 'vitest';
import { desk, onePage, properties } from './desk.ts';

test.each(['json', 'ndjson'] as const)('a page of 25,000 records is printed: %s', async (format) => {
  const hotels = Array.from({ length: 25_000 }, (_, index) => ({ id: `H${index}` }));
  const { out, shown } = desk({ format });

  await out.records(properties, onePage(hotels));

  expect(shown().stdout.match(/"id"/g)).toHaveLength(25_000);
});
