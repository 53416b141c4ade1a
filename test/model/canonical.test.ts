import { expect, test } from 'vitest';
import { canonical, canonicalOf, hashOf } from '../../src/model/json-text.ts';
import { fc } from '../helpers/laws.ts';

/** The same value with its keys in reverse order at all levels. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)]));
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

test('the canonical text of a value is JSON that does not depend on the key order', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.nat().map(String),
    fc.constantFrom('__proto__', ' 1', '01'),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.constantFrom(null, undefined, true, false, '"', '\\', '\u0000', '\ud800', '\u2028', '🏨'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 }),
    ),
  }));

  fc.assert(
    fc.property(value, (each) => {
      const text = canonical(each);

      expect(JSON.parse(text)).toEqual(asJson(each));
      expect(canonical(reversed(each))).toBe(text);
    }),
  );
});

test.each([
  [{ b: 1, a: [{ d: undefined, c: 'é' }] }, '{"a":[{"c":"é"}],"b":1}'],
  [{ x: 0, 10: 'ten', 9: 'nine', ' 1': 'blank' }, '{"9":"nine","10":"ten"," 1":"blank","x":0}'],
  [
    JSON.parse('{"b":1,"__proto__":{"d":1,"c":[[{"z":1,"y":2}]]},"B":null}'),
    '{"B":null,"__proto__":{"c":[[{"y":2,"z":1}]],"d":1},"b":1}',
  ],
  [undefined, 'null'],
])('the canonical text of %j is %s', (value, text) => {
  expect(canonical(value)).toBe(text);
});

test('the digest is the hash of the canonical text', () => {
  expect(canonicalOf({ b: 1, a: 2 })).toEqual({
    text: '{"a":2,"b":1}',
    hash: 'd3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772',
  });
  expect(hashOf({ a: 2, b: 1 })).toBe(hashOf({ b: 1, a: 2 }));
});
