import { expect, test } from 'vitest';
import { aboutRecord } from '../../src/print/text.ts';

test.each([
  ['BER', ['clone', 'BER', '--file', 'x']],
  ['-BER', ['clone', '--file', 'x', '--', '-BER']],
])('a command about %s names it where it is no flag', (id, words) => {
  expect(aboutRecord('clone', id, '--file', 'x')).toEqual(words);
});
