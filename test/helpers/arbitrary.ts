import { fc } from './laws.ts';

/** Strings that are special in some language between the program and the service. */
const words = [
  ...[
    '',
    ' ',
    'NO',
    'yes',
    'null',
    '~',
    'true',
    '01067',
    '1e3',
    '0x10',
    '.inf',
    '-0',
    '=',
    '<<',
    '---',
    '...',
  ],
  ...[
    '2026-01-01',
    '15:00:00',
    '- a',
    'a: b',
    '# a',
    ' #',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a`',
    '{',
    '[',
  ],
  ...[
    '"',
    "'",
    '""',
    "''",
    '\\',
    '\\n',
    '\\u0041',
    ',',
    ';',
    'sep=;',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    ' \n',
  ],
  ...['$&', '$1', '$(touch x)', '`touch x`', '; true', '..', '/', '%2f', '?', '#', '~1', '~0', '__proto__'],
  ...[
    '=1+1',
    '+49',
    '-5',
    "'=1",
    '\u001b[2J',
    '\u009b',
    '\u0000',
    '\u007f',
    '\u0085',
    '\u200b',
    '\u202e',
    '\u2028',
  ],
  ...[
    '\ufeff',
    '\ufffd',
    '\u{e0041}',
    'e\u0301',
    '\u00e9',
    '🏨',
    '👩‍👩‍👧',
    '🇩🇪',
    '東京',
    'فندق',
    'ﷺ',
    '\ud83d',
    '\udc00',
  ],
];

/** A lone surrogate is valid in a JavaScript string, but not in a file. */
const halves = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));

const pieces = [
  fc.constantFrom(...words),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: 'binary-ascii', maxLength: 8 }),
];

/** Ordinary and hostile strings. */
export const text = joined([...pieces, halves]);

/** Such strings as a file can hold: no lone surrogate. */
export const fileText = joined(pieces).map((each) => each.toWellFormed());

/** Any JSON value with such strings. */
export const jsonValue = jsonOf(text);

/** The same for files. */
export const fileValue = jsonOf(fileText);

/** An object of such values. */
export const jsonRecord = fc.dictionary(text, jsonValue, { maxKeys: 6 });

function joined(parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(...parts), { maxLength: 6 }).map((some) => some.join(''));
}

function jsonOf(texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const plain = fc.oneof(
    texts,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      plain,
      fc.constant(null),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
  })).value;
}
