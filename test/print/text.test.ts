import { describe, expect, test } from 'vitest';
import { toJson } from '../../src/print/json.ts';
import { neutralise, neutraliseLine, neutraliseMessage } from '../../src/print/text.ts';

const hidden = [
  { name: 'NUL', text: 'B\u0000ER', shown: 'B\\u{0}ER', json: '"B\\u0000ER"' },
  { name: 'carriage return', text: 'BER\rMUC', shown: 'BER\\rMUC', json: '"BER\\rMUC"' },
  { name: 'CSI', text: '\u001b[2J', shown: '\\u{1b}[2J', json: '"\\u001b[2J"' },
  { name: 'DEL', text: '\u007f', shown: '\\u{7f}', json: '"\\u007f"' },
  { name: 'C1 CSI', text: '\u009b2J', shown: '\\u{9b}2J', json: '"\\u009b2J"' },
  { name: 'soft hyphen', text: 'B\u00adER', shown: 'B\\u{ad}ER', json: '"B\\u00adER"' },
  { name: 'Arabic letter mark', text: '\u061c', shown: '\\u{61c}', json: '"\\u061c"' },
  { name: 'vowel separator', text: '\u180e', shown: '\\u{180e}', json: '"\\u180e"' },
  { name: 'zero width space', text: 'B\u200bER', shown: 'B\\u{200b}ER', json: '"B\\u200bER"' },
  { name: 'right-to-left mark', text: '\u200f', shown: '\\u{200f}', json: '"\\u200f"' },
  { name: 'line separator', text: '\u2028', shown: '\\u{2028}', json: '"\\u2028"' },
  { name: 'paragraph separator', text: '\u2029', shown: '\\u{2029}', json: '"\\u2029"' },
  { name: 'right-to-left override', text: '\u202eREB', shown: '\\u{202e}REB', json: '"\\u202eREB"' },
  { name: 'isolate', text: '\u2066BER\u2069', shown: '\\u{2066}BER\\u{2069}', json: '"\\u2066BER\\u2069"' },
  { name: 'word joiner', text: '\u2060', shown: '\\u{2060}', json: '"\\u2060"' },
  { name: 'byte order mark', text: '\ufeffBER', shown: '\\u{feff}BER', json: '"\\ufeffBER"' },
  { name: 'high surrogate', text: 'B\ud83dER', shown: 'B\\u{d83d}ER', json: '"B\\ud83dER"' },
  { name: 'low surrogate', text: '\ude00', shown: '\\u{de00}', json: '"\\ude00"' },
  {
    name: 'variation selector after a letter',
    text: 'BER\ufe0f',
    shown: 'BER\\u{fe0f}',
    json: '"BER\\ufe0f"',
  },
  {
    name: 'second variation selector',
    text: '❤\ufe0f\ufe0e',
    shown: '❤\ufe0f\\u{fe0e}',
    json: '"❤\ufe0f\\ufe0e"',
  },
  { name: 'Egyptian joiner', text: '\u{13430}', shown: '\\u{13430}', json: '"\\ud80d\\udc30"' },
  { name: 'tag', text: '\u{e0042}', shown: '\\u{e0042}', json: '"\\udb40\\udc42"' },
];

describe('control and invisible characters', () => {
  test.each(hidden)('$name becomes a visible escape', ({ text, shown }) => {
    expect(neutralise(text)).toBe(shown);
  });

  test.each(hidden)('$name is escaped in JSON, which parses to the same data', ({ text, json }) => {
    expect(toJson(text)).toBe(json);
    expect(JSON.parse(json)).toBe(text);
  });

  test.each([
    'Grand Hotel',
    'Hôtel Österreich',
    '東京',
    'فندق',
    'Ana ❤️ Ben',
    'room 1️⃣',
    '葛\u{e0100}飾',
    '😀',
    'a\tb\n',
  ])('%j is unchanged', (text) => {
    expect(neutralise(text)).toBe(text);
    expect(JSON.parse(toJson(text))).toBe(text);
  });

  test('a text for one line has escaped newlines and tabs', () => {
    expect(neutraliseLine('Ana\nBen\tMUC\r\u001b')).toBe('Ana\\nBen\\tMUC\\r\\u{1b}');
  });

  test('the lines of a message are indented, so that none looks like another message', () => {
    expect(neutraliseMessage('no\thotel\nhint: rm -rf\n  BER: is taken\n')).toBe(
      'no\\thotel\n  hint: rm -rf\n  BER: is taken\n',
    );
  });
});
