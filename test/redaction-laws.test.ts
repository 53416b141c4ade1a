import { expect, test } from 'vitest';
import { toJson } from '../src/print/json.ts';
import { createRedactor } from '../src/print/redaction.ts';
import { text } from './helpers/arbitrary.ts';
import { fc } from './helpers/laws.ts';

/** The characters of tokens and client secrets: printable ASCII, of at least the length that is redacted. */
const letters = ' !"#$%&\'()*+,-./:;<=>?@\\^_`{|}~09AZaz';
const secret = fc.oneof(
  fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 24 }),
  fc.constantFrom(
    '$&$&$&$&',
    "$1$`$'$$$",
    '(a+)+$.*',
    'aaaaaaaa',
    'aaaaaaaaaaaa',
    'abababab',
    '\\"\\"\\"\\"',
  ),
);

/** Every encoding of a secret that is redacted, implemented independently of the program. */
const forms: readonly ((plain: string) => string)[] = [
  (plain) => plain,
  (plain) => encodeURIComponent(plain),
  (plain) => encodeURIComponent(plain).replaceAll(/%../g, (code) => code.toLowerCase()),
  (plain) => new URLSearchParams({ q: plain }).toString().slice(2),
  (plain) => JSON.stringify(plain).slice(1, -1),
  (plain) => JSON.stringify(plain).slice(1, -1).replaceAll('/', '\\/'),
  (plain) => plain.replaceAll('"', '""'),
  (plain) => plain.replaceAll('\\', '\\\\'),
  (plain) => btoa(plain),
  (plain) => Buffer.from(plain).toString('base64url'),
  (plain) => Buffer.from(plain).toString('hex'),
  (plain) => plain.toLowerCase(),
  (plain) => plain.toUpperCase(),
];

const escapes: readonly ((letter: string) => string)[] = [
  (letter) => letter,
  (letter) => `%${hex(letter)}`,
  (letter) => `%${hex(letter).toUpperCase()}`,
  (letter) => `%25${hex(letter)}`,
  (letter) => `\\u00${hex(letter)}`,
  (letter) => `\\\\u00${hex(letter)}`,
  (letter) => `%5Cu00${hex(letter)}`,
  (letter) => `\\x${hex(letter)}`,
  (letter) => `\\u{${hex(letter)}}`,
  (letter) => `&#${letter.charCodeAt(0)};`,
  (letter) => `&#x${hex(letter)};`,
  (letter) => `&#${'0'.repeat(9)}${letter.charCodeAt(0)};`,
  (letter) => `&#X${'0'.repeat(9)}${hex(letter)};`,
  (letter) => `&amp;#X${hex(letter).toUpperCase()};`,
  (letter) => `%26%23${letter.charCodeAt(0)}%3B`,
];

/** Separators that may be between two letters. */
const breaks = [
  '',
  ' ',
  '\n',
  '\r\n  ',
  '\t',
  '\u200b',
  '\ufeff',
  '\u00ad',
  '\u{e0041}',
  '\\n',
  '\\u200b',
  '%20',
  '&nbsp;',
];

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(2, '0');
}

/** A token of letters only, so that its encoded form has the same bounds; each letter has its own encoding. */
const encodedSecret = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...'ghijkmopqGHJKLMNPQ+/.-_~'), minLength: 12, maxLength: 64 }),
    fc.infiniteStream(fc.tuple(fc.constantFrom(...escapes), fc.constantFrom(...breaks))),
  )
  .map(([plain, spellings]) => ({
    plain,
    spell: (part: string) =>
      [...part]
        .map((letter, at) => {
          const [spellOne, gap] = spellings.next().value;
          return `${spellOne(letter)}${at === part.length - 1 ? '' : gap}`;
        })
        .join(''),
  }));

function redactorOf(secrets: readonly string[]) {
  const redactor = createRedactor();
  for (const each of secrets) redactor.add(each);
  return redactor;
}

/** The text outside the masks, which may themselves contain a short secret. */
const beside = (masked: string) => masked.split('[redacted]');

test('no encoding of a secret remains, at any position and any number of times', () => {
  const form = fc.constantFrom(...forms);
  const pieces = fc.array(fc.tuple(text, fc.nat(2), form), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.uniqueArray(secret, { minLength: 1, maxLength: 3 }), pieces, (secrets, parts) => {
      const input = parts.map(
        ([beginning, which, spell]) => beginning + spell(secrets[which] ?? secrets[0] ?? ''),
      );

      for (const rest of beside(redactorOf(secrets).text(input.join('')))) {
        for (const each of secrets) for (const spell of forms) expect(rest).not.toContain(spell(each));
      }
    }),
  );
});

test('no letters of a secret remain inside longer Base64', () => {
  const encoding = fc.constantFrom<BufferEncoding>('base64', 'base64url');
  fc.assert(
    fc.property(secret, text, text, encoding, (plain, before, after, base64) => {
      const encoded = Buffer.from(before + plain + after).toString(base64);
      const start = Buffer.byteLength(before) * 8;
      const own = encoded.slice(Math.ceil(start / 6), Math.floor((start + plain.length * 8) / 6));

      for (const rest of beside(redactorOf([plain]).text(encoded))) expect(rest).not.toContain(own);
    }),
  );
});

test('redaction is idempotent', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 3 }), fc.array(fc.oneof(text, secret)), (secrets, parts) => {
      const redactor = redactorOf(secrets);
      const masked = redactor.text([...parts, ...secrets].join(''));

      expect(redactor.text(masked)).toBe(masked);
    }),
    { examples: [[['redacted'], ['redacted']]] },
  );
});

test('a text without a secret is unchanged', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 3 }), text, (secrets, any) => {
      fc.pre(!secrets.some((each) => forms.some((spell) => any.includes(spell(each)))) && !any.includes('…'));

      expect(redactorOf(secrets).text(any)).toBe(any);
    }),
  );
});

test('two overlapping secrets are redacted completely', () => {
  fc.assert(
    fc.property(secret, secret, secret, (begin, middle, end) => {
      const redactor = redactorOf([begin + middle, middle + end]);

      expect(redactor.text(`[${begin}${middle}${end}]`)).toBe('[[redacted]]');
    }),
  );
});

test('a truncated secret before an ellipsis is redacted', () => {
  fc.assert(
    fc.property(secret, fc.nat(16), text, (plain, more, before) => {
      const shown = plain.slice(0, 8 + more);
      const masked = redactorOf([`${plain}tail`]).text(`${before}${shown}… after`);

      expect(masked.endsWith('[redacted]… after')).toBe(true);
      expect(beside(masked).every((rest) => !rest.includes(shown))).toBe(true);
    }),
  );
});

test('JSON stays valid when a number in it is a secret', () => {
  const digits = fc.integer({ min: 10_000_000, max: 999_999_999 });
  fc.assert(
    fc.property(fc.jsonValue(), digits, text, fc.boolean(), (value, plain, before, pretty) => {
      const pieces = [
        value,
        plain,
        -plain,
        plain / 1000,
        `${before},${plain},`,
        { [`${before}:${plain}`]: plain },
      ];
      const masked = redactorOf([`${plain}`]).text(`${toJson(pieces, pretty ? 2 : undefined)}\n`);

      expect(() => JSON.parse(masked)).not.toThrow();
      expect(masked).not.toContain(`${plain}`);
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

test('twelve or more letters of a secret are redacted in text, in any encoding', () => {
  fc.assert(
    fc.property(encodedSecret, fc.nat(), fc.nat(), ({ plain, spell }, from, more) => {
      const start = from % (plain.length - 11);
      const cut = plain.slice(start, start + 12 + (more % (plain.length - start - 11)));

      expect(redactorOf([plain]).text(`<${spell(cut)}>`)).toBe('<[redacted]>');
    }),
  );
});

test('a whole secret is redacted in data, in any encoding', () => {
  fc.assert(
    fc.property(encodedSecret, ({ plain, spell }) => {
      expect(redactorOf([plain]).data(`<${spell(plain)}>`)).toBe('<[redacted]>');
    }),
  );
});

test('fewer than twelve letters of a secret are not redacted in text', () => {
  fc.assert(
    fc.property(encodedSecret, fc.nat(), ({ plain }, from) => {
      const part = plain.slice(from % (plain.length - 10)).slice(0, 11);
      fc.pre(part.length < plain.length && !/[.]{2}/.test(part));

      expect(redactorOf([plain]).text(`<${part}>`)).toBe(`<${part}>`);
    }),
  );
});
