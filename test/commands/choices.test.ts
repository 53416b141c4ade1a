import nock from 'nock';
import { expect, test } from 'vitest';
import { choice } from '../../src/change/ask.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

test('a property is offered with what the service lists of it: its name, city and status', async () => {
  nock('https://api.example.com')
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, {
      count: 3,
      items: [
        { id: 'BER', name: { en: 'Grand Hotel' }, location: { city: 'Berlin' }, status: 'Live' },
        { id: 'MUC', name: 'Isar\u001b[31m Hotel', location: {}, status: 7 },
        { id: 'VIE', name: 'VIE' },
      ],
    });
  const offered: string[] = [];
  const silent = async () => '';

  await cli('invitations create --no-check mia@example.com --role Housekeeping --dry-run', {
    env: hotels,
    answers: [],
    prompter: {
      ...{ text: silent, secret: silent, choose: silent, confirm: async () => false },
      chooseSeveral: async (_, choices) => {
        offered.push(...choices.map(({ label }) => label));
        return [];
      },
    },
  });

  expect(offered).toEqual(['BER  Grand Hotel · Berlin · Live', 'MUC  Isar\\u{1b}[31m Hotel', 'VIE']);
});

test.each<[string, readonly unknown[], string]>([
  ['BER', [], 'BER'],
  ['BER', ['Grand Hotel'], 'BER  Grand Hotel'],
  ['BER', [undefined, 'Berlin', ''], 'BER  Berlin'],
  ['XK', ['XK'], 'XK'],
])('%s with %j is the choice %j', (value, about, label) => {
  expect(choice(value, ...about)).toEqual({ value, label });
});
