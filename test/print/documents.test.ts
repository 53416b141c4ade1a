import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { desk } from './desk.ts';

async function* pages(): AsyncIterable<readonly unknown[]> {
  yield ['MUC'];
  yield ['VIE'];
}

test.each([
  ['json', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
  ['csv', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
  ['yaml', ['count: 3\nitems:\n  - BER\n  - MUC\n  - VIE\n']],
  ['ndjson', ['"BER"\n', '"MUC"\n', '"VIE"\n']],
  ['table', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
] as const)('the pages of a list in %s', async (format, written) => {
  const { out, writes } = desk({ format });

  await out.document({ count: 3, items: ['BER'] }, { more: pages() });

  expect(writes).toEqual(written);
});

test('control characters in a text, in JSON and in a response header are escaped', async () => {
  const { out, shown } = desk({ terminal: true });
  const head = { status: 200, headers: { 'x-a': 'b\u001b[2J' } };

  await out.document('bell\u0007', { head });
  await out.document({ a: '\u202e' });

  expect(shown().stdout).toBe('HTTP 200\nx-a: b\\u{1b}[2J\n\nbell\\u{7}\n{\n  "a": "\\u202e"\n}\n');
});

test('an error while printing the response of a write says that the write was carried out', async () => {
  const full = async () => {
    throw new CliError('output_failed', 'The disk is full.');
  };
  const { out } = desk({ write: full });

  await expect(out.document({ id: 'BER' }, { write: 'POST /x: 201.' })).rejects.toThrow(
    'POST /x: 201. But the result could not be printed. The disk is full.',
  );
  await expect(out.document({ id: 'BER' })).rejects.toThrow(/^The disk is full\.$/);
});
