import { expect, test } from 'vitest';
import { createRedactor } from '../src/model/redaction.ts';
import { toJson } from '../src/print/text.ts';
import { text } from './helpers/arbitrary.ts';
import { fc } from './helpers/laws.ts';

/** The characters of tokens and client secrets: printable ASCII, of at least the length that is redacted. */
const letters = ' !"#$%&\'()*+,-./:;<=>?@\\^_`{|}~09AZaz';
const secret = fc.oneof(
  fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 24 }),
  fc.constantFrom('$&$&$&$&', "$1$`$'$$$", '(a+)+$.*', 'aaaaaaaa', 'abababab', '\\"\\"\\"\\"'),
);

const spellings: readonly ((plain: string) => string)[] = [
  (plain) => plain,
  (plain) => encodeURIComponent(plain),
  (plain) => new URLSearchParams({ q: plain }).toString().slice(2),
  (plain) => btoa(plain),
  (plain) => JSON.stringify(plain).slice(1, -1),
];

function redactorOf(secrets: readonly string[]) {
  const redactor = createRedactor();
  for (const each of secrets) redactor.add(each);
  return redactor;
}

test('no spelling of a secret remains, at any position and any number of times', () => {
  const pieces = fc.array(fc.tuple(text, fc.constantFrom(...spellings)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(secret, pieces, (plain, parts) => {
      const input = parts.map(([beginning, spell]) => beginning + spell(plain));
      const masked = redactorOf([plain]).text(input.join(''));

      for (const spell of spellings) expect(masked).not.toContain(spell(plain));
    }),
  );
});

test('a text without a secret is unchanged', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 3 }), text, (secrets, any) => {
      fc.pre(!secrets.some((each) => spellings.some((spell) => any.includes(spell(each)))));

      expect(redactorOf(secrets).text(any)).toBe(any);
    }),
  );
});

test('JSON stays valid with any text beside a secret', () => {
  const opaque = secret.map((each) => `x-${each.replaceAll(/["\\]/g, '')}-12345`);
  fc.assert(
    fc.property(opaque, text, text, (plain, before, after) => {
      const json = toJson({ [before]: [before, plain, `${before}${plain}${after}`] }, 2);

      expect(() => JSON.parse(redactorOf([plain]).text(json))).not.toThrow();
    }),
  );
});
