import { expect, test } from 'vitest';
import { inexactNumber } from '../../src/model/values.ts';

test.each([
  '0',
  '0e9',
  '1e3',
  '0.1',
  '9007199254740992',
  '100000000000000000000',
  '1.7976931348623157e308',
  '5e-324',
  `1${'0'.repeat(300)}`,
  '"12345678901234567890"',
  '"a\\"12345678901234567890"',
  '{"12345678901234567890":[1.5,"1e999",true,null]}',
])('%s is sent exactly', (json) => {
  expect(inexactNumber(json)).toBeUndefined();
});

test.each([
  '12345678901234567890',
  '0.30000000000000001',
  '1e999',
  '1e-999',
  '1.0000000000000000001',
  `1.${'0'.repeat(400)}`,
])('%s would be sent as another number', (json) => {
  expect(inexactNumber(json)).toBe(json);
});

test.each(['{"a":[1,{"b":1e999}],"c":12345678901234567890}', '["\\\\",1e999]', '[ 1e999 ]'])(
  'the first inexact number in %s is reported',
  (json) => {
    expect(inexactNumber(json)).toBe('1e999');
  },
);

test('a text of a megabyte is checked quickly', () => {
  expect(inexactNumber(JSON.stringify(['\\"'.repeat(50_000), 1]))).toBeUndefined();
});
