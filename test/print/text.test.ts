import { describe, expect, test } from 'vitest';
import { neutralise, neutraliseLine, neutraliseMessage, toJson } from '../../src/print/text.ts';

const hidden = [
  { name: 'a carriage return', text: 'BER\rMUC', shown: 'BER\\rMUC', json: '"BER\\rMUC"' },
  { name: 'CSI', text: '\u001b[2J', shown: '\\u{1b}[2J', json: '"\\u001b[2J"' },
  { name: 'half a surrogate pair', text: 'B\ud83dER', shown: 'B\\u{d83d}ER', json: '"B\\ud83dER"' },
  { name: 'a lone selector', text: 'BER\ufe0f', shown: 'BER\\u{fe0f}', json: '"BER\\ufe0f"' },
  { name: 'a second selector', text: '❤\ufe0f\ufe0e', shown: '❤\ufe0f\\u{fe0e}', json: '"❤\ufe0f\\ufe0e"' },
  { name: 'a tag', text: '\u{e0042}', shown: '\\u{e0042}', json: '"\\udb40\\udc42"' },
];

describe('control and invisible characters', () => {
  test.each(hidden)('$name becomes a visible escape, in JSON of the same data', ({ text, shown, json }) => {
    expect(neutralise(text)).toBe(shown);
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
