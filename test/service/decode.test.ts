import { expect, test } from 'vitest';
import { decodeJson } from '../../src/service/answer.ts';

const decode = (text: string, headers: Readonly<Record<string, string>> = {}) =>
  decodeJson(Buffer.from(text), headers);

test.each([
  ['12345678901234567891', '12345678901234567891'],
  ['-12345678901234567891', '-12345678901234567891'],
  ['9007199254740993', '9007199254740993'],
  ['9007199254740991', 9007199254740991],
  ['1234567890123456', 1234567890123456],
  ['0.12500000000000000000', 0.125],
  ['18014398509481984.0', 2 ** 54],
  ['1000000000000000000e2', 1e20],
  ['1e400', '1e400'],
  ['-2.5E+999', '-2.5E+999'],
  ['1e308', 1e308],
])('the number %s becomes %j', (literal, value) => {
  expect(decode(`{"id":${literal},"ids":[ ${literal},${literal}\n]}`)).toEqual({
    id: value,
    ids: [value, value],
  });
});

test('digits within strings and keys are unchanged', () => {
  const record = {
    'say "12345678901234567891"': '\\"12345678901234567891\\',
    'BER\\': 'id: 12345678901234567891, "12345678901234567892"',
  };
  const json = JSON.stringify(record);

  expect(decode(`[${json},12345678901234567893]`)).toEqual([record, '12345678901234567893']);
});

test('a string of a million escapes before a long number is read', () => {
  const name = '\n"\\'.repeat(100_000);

  expect(decode(`{"name":${JSON.stringify(name)},"id":12345678901234567891}`)).toEqual({
    name,
    id: '12345678901234567891',
  });
});

test.each(['012345678901234567891', '{12345678901234567891:1}', '12345678901234567891n', '"BER'])(
  '%s is rejected',
  (text) => {
    expect(() => decode(text)).toThrow('the service answered with a text that is not JSON');
  },
);

test('invalid JSON is not quoted in the error, not even in part', () => {
  const headers = { 'content-type': `text/${'B'.repeat(90)}token-of-ana-1234567890` };
  const refused = () => decode('token-of-ana-1234567890', headers);

  expect(refused).toThrow(
    expect.objectContaining({
      message: 'the service answered with a text that is not JSON',
      cause: undefined,
    }),
  );
  expect(() => decode('BER', { 'content-type': 'text/csv' })).toThrow('a text that is not JSON');
});

test.each([
  ['gzip', 'a compressed body, which was not requested'],
  ['BR', 'a compressed body, which was not requested'],
  ['gzip, token-of-ana-1234567890', 'a compressed body, which was not requested'],
])('a body with content-encoding %s is rejected', (coding, what) => {
  expect(() => decode('{}', { 'content-encoding': coding })).toThrow(`the service answered with ${what}`);
});

test.each([['identity'], ['Identity '], ['']])('a body with content-encoding %j is read', (coding) => {
  expect(decode('{"id":"BER"}', { 'content-encoding': coding })).toEqual({ id: 'BER' });
});

test('an empty body is no content, whatever its content-encoding', () => {
  expect(decode('', { 'content-encoding': 'gzip' })).toBeUndefined();
});
