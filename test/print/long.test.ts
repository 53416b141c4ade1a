import { expect, test } from 'vitest';
import { formats } from '../../src/print/output.ts';
import { desk, munich, onePage, properties } from './desk.ts';

const columns = properties.columns.slice(0, 2);
const shape = { ...properties, columns };

const alphabets = ['é', '👩‍👩‍👧', '\u202e'];

test.each(alphabets.flatMap((letter) => formats.map((format) => ({ letter, format }))))(
  'a name of a million "$letter" is printed as $format',
  async ({ letter, format }) => {
    const { out, shown } = desk({ format, terminal: true });
    const hotel = { id: 'BER', name: letter.repeat(100_000 / letter.length) };

    await out.records(shape, onePage([hotel]));
    await out.record(shape, hotel);

    expect(shown()).toEqual({ stdout: expect.stringMatching(/BER.*BER/s), stderr: '' });
  },
);

test('a hundred long cells are printed as a table', async () => {
  const { out, shown } = desk({ format: 'table', terminal: true });
  const hotels = Array.from({ length: 100 }, (_, index) => ({ id: `H${index}`, name: 'é'.repeat(10_000) }));

  await out.records(shape, onePage(hotels));

  expect(shown().stdout.match(new RegExp(`│ ${'é'.repeat(69)}… │`, 'g'))).toHaveLength(100);
});

test('a card shows at most 10,000 characters of a text', async () => {
  const { out, shown } = desk({ terminal: true });

  await out.record(shape, { id: 'ü'.repeat(5_000), name: 'ü'.repeat(10_001) });

  expect(shown().stdout).toBe(`ID:   ${'ü'.repeat(5_000)}\nName: ${'ü'.repeat(10_000)}…\n`);
});

test('a record of 20,000 fields is printed as a card', async () => {
  const { out, shown } = desk({ terminal: true });
  const fields = Array.from({ length: 20_000 }, (_, index) => [`f${index}`, 'BER']);

  await out.record(shape, Object.fromEntries(fields));

  expect(shown().stdout.split('\n')).toHaveLength(20_001);
});

test('secrets are redacted before cells are truncated to the terminal', async () => {
  const { out, shown } = desk({
    terminal: true,
    columns: 70,
    clean: (text) => text.replaceAll('token-of-ana-1234567890', '[redacted]'),
  });

  await out.records(
    shape,
    onePage([munich, { id: 'BER', name: `${'B'.repeat(55)}token-of-ana-1234567890` }]),
  );

  expect(shown().stdout).toContain(`│ BER │ ${'B'.repeat(55)}[red… │`);
});
