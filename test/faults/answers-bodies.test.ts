import { describe, expect, test } from 'vitest';
import { errorIn, expectedOf, inWords, type Row, rehearse, rehearseAll } from './rehearsal.ts';

/** The body of each answer is another one than the service meant, once the request was carried out. */
const rows: readonly Row[] = [
  [
    '200:body=html',
    'exit 1 malformed_answer after 5',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 3, not done',
  ],
  [
    '200:body=empty',
    'exit 1 malformed_answer after 5',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 3, not done',
  ],
  [
    '200:body=null',
    'exit 1 malformed_answer after 5',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 3, not done',
  ],
  [
    '200:body=text',
    'exit 1 malformed_answer after 5',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 3, not done',
  ],
  [
    '200:body=other',
    'exit 1 malformed_answer after 5',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 8 outcome_unknown after 5, not done',
    'exit 8 outcome_unknown after 3, not done',
  ],
  [
    '200:body=empty,times=1',
    'exit 0 after 2',
    'exit 0 after 2, done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 0 after 2, done',
    'exit 0 after 2, done',
  ],
  [
    '200:body=html,times=1',
    'exit 0 after 2',
    'exit 0 after 2, done',
    'exit 8 outcome_unknown after 1, not done',
    'exit 0 after 2, done',
    'exit 0 after 2, done',
  ],
  [
    'answer:type=none',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:type=text/plain',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:type=text/html',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=html',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=text',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=empty',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=null',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=other',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=half',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=bom',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=bad-utf8',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=deep',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=twice',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=prototype',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=more',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=numbers',
    'exit 0 after 1',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
  [
    'answer:body=gzip',
    'exit 1 malformed_answer after 5',
    'exit 0 after 1, done',
    'exit 0 after 1, done',
    'exit 0 after 2, done',
    'exit 0 after 1, done',
  ],
];

test.each(rows)('each operation under %s', async (fault, ...endings) => {
  expect(inWords(await rehearseAll(fault))).toEqual(expectedOf(endings));
});

test('each operation under a body without an end reads as much as it may', async () => {
  const flags = '--max-body 1';

  expect(inWords(await rehearseAll('answer:body=endless', { flags }))).toEqual({
    ...expectedOf([
      'exit 1 too_large after 1',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
    ]),
    // With pages of 100, 50, 25, 12, 6, 3 and 1.
    listUsers: 'exit 1 too_large after 7',
    listProperties: 'exit 1 too_large after 7',
  });
});

test.each([
  ['html', 'an HTML or XML page'],
  ['text', 'a text that is not JSON (content type text/plain; charset=utf-8)'],
  ['half', 'a text that is not JSON (content type application/json; charset=utf-8)'],
  ['bad-utf8', 'text that is not UTF-8'],
  ['deep', 'JSON nested deeper than 100'],
  ['gzip', 'a compressed body (gzip), which was not requested'],
])('the sentence says what came: %s', async (body, what) => {
  const { getProperty } = await rehearse(`answer:body=${body}`, ['getProperty']);

  expect(errorIn(getProperty?.stderr ?? '')?.message).toMatch(
    new RegExp(`^Could not get the property: the service answered with ${literally(what)} \\(200 from 127`),
  );
});

function literally(text: string): string {
  return text.replaceAll(/[()]/g, '\\$&');
}

describe('a record that is stranger than the contract', () => {
  const recordUnder = async (body: string) => {
    const { getProperty } = await rehearse(`answer:body=${body}`, ['getProperty']);
    // The document of one record is an object.
    return JSON.parse(getProperty?.stdout ?? '') as Readonly<Record<string, unknown>>;
  };

  test('is shown with the fields that nobody knows', async () => {
    expect(await recordUnder('more')).toMatchObject({ id: 'BER', x_unknown: { a: [1, null, 'b'] } });
  });

  test('has __proto__ and constructor as fields like any other', async () => {
    const record = await recordUnder('prototype');

    expect([Object.keys(record).slice(0, 2), record['id']]).toEqual([['__proto__', 'constructor'], 'BER']);
  });

  test('has every digit of a number that no number can hold', async () => {
    expect((await recordUnder('numbers'))['id']).toBe('12345678901234567000');
  });

  test('has the last of two values of one name, as JSON.parse has it', async () => {
    expect((await recordUnder('twice'))['id']).toBe('BER');
  });
});

const no = { 403: 5, 404: 3, 409: 6, 422: 6, 418: 1 } as const;
const bodies = [
  'text',
  'empty',
  'null',
  'other',
  'half',
  'bom',
  'bad-utf8',
  'deep',
  'prototype',
  'gzip',
  'html',
];

test.each(Object.entries(no))('a %i is one, whatever its body', async (status, exitCode) => {
  const codes = bodies.map(async (body) => {
    const ended = await rehearse(`answer:status=${status},body=${body}`, ['listUsers', 'getProperty']);
    return Object.values(ended).map((each) => each.exitCode);
  });

  expect(await Promise.all(codes)).toEqual(bodies.map(() => [exitCode, exitCode]));
});
