import { describe, expect, test } from 'vitest';
import { read } from './reading.ts';

describe('an entry that is no JSON hides no other:', () => {
  const told = (name: string) => `email: "${name}@" is not an e-mail address`;

  test.each([
    ['a comma that is missing', '{"email": "a@x.org" "role": "x"}'],
    ['a comma too many', '{"email": "a@", "role": "x",}'],
    ['a word without quotes', '{"email": "a@x.org", "role": Auditor}'],
    ['quotes that are not closed', '{"email": "a@x.org\n}'],
    ['a comment', '{"email": "a@" /* x */}'],
  ])('%s', async (_, entry) => {
    const text = `{"invitations":[\n{"email": "eva@"},\n${entry},\n{"email": "mia@"}\n]}`;

    expect((await read({ 'x.json': text })).problems).toEqual([
      expect.stringContaining('x.json: line 3: is not valid JSON: '),
      `x.json: line 2: ${told('eva')}`,
      `x.json: line ${text.split('\n').length - 1}: ${told('mia')}`,
    ]);
  });

  test('each mistake is told, and entries behind are placed by their lines', async () => {
    const { problems } = await read({
      'x.json': `[\n{"email": 1 2},\nnope,\n{"email": "eva@"},\n{"role": ,}\n]`,
    });

    expect(problems).toEqual([
      expect.stringContaining('x.json: line 2: is not valid JSON: '),
      'x.json: line 3: is not valid JSON',
      'x.json: line 5: is not valid JSON',
      `x.json: line 4: ${told('eva')}`,
    ]);
  });
});
