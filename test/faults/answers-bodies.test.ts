import { expect, test } from 'vitest';
import { alike, ends, errorIn, expectedOf, inWords, type Row, rehearse, rehearseEach } from './rehearsal.ts';

/** The body of each answer is another one than the service meant, once the request was carried out. */
const rows: readonly Row[] = [
  ...alike(
    ends('exit 1 malformed_answer after 5', 'exit 8 outcome_unknown after #, not done', 5, 1, 5, 3),
    '200:body=html 200:body=empty 200:body=null 200:body=text 200:body=other',
  ),
  ...alike(
    ends('exit 0 after 2', 'exit 0 after #, done', 2, 'exit 8 outcome_unknown after 1, not done', 2, 2),
    '200:body=empty,times=1 200:body=html,times=1',
  ),
  ...alike(
    ends('exit 0 after 1', 'exit 0 after #, done', 1, 1, 1, 1),
    'answer:type=none answer:type=text/plain answer:type=text/html',
  ),
  ...alike(
    ends('exit 1 malformed_answer after 5', 'exit 0 after #, done', 1, 1, 2, 1),
    'answer:body=html answer:body=text answer:body=empty answer:body=null answer:body=other answer:body=half answer:body=bad-utf8 answer:body=deep answer:body=gzip',
  ),
  ...alike(
    ends('exit 0 after 1', 'exit 0 after #, done', 1, 1, 2, 1),
    'answer:body=bom answer:body=twice answer:body=prototype answer:body=more answer:body=numbers',
  ),
];

test.each(rows.map((row, turn) => [turn, ...row] as const))(
  'an operation of each safety, in turn %i, under %s',
  async (turn, fault, ...endings) => {
    expect(inWords(await rehearseEach(turn, fault))).toEqual(expectedOf(turn, endings));
  },
);

test('operations under a body without an end read as much as they may', async () => {
  // A turn of a list: it is read in pages of 100, 50, 25, 12, 6, 3 and 1.
  const turn = 2;

  expect(inWords(await rehearseEach(turn, 'answer:body=endless', { flags: '--max-body 1' }))).toEqual(
    expectedOf(turn, ends('exit 1 too_large after 7', 'exit 0 after #, done', 1, 1, 1, 1)),
  );
});

test.each([
  ['html', 'an HTML or XML page'],
  ['text', 'a text that is not JSON'],
  ['half', 'a text that is not JSON'],
  ['bad-utf8', 'text that is not UTF-8'],
  ['deep', 'JSON nested deeper than 100'],
  ['gzip', 'a compressed body, which was not requested'],
])('the sentence says what came: %s', async (body, what) => {
  const { getProperty } = await rehearse(`answer:body=${body}`, ['getProperty']);

  expect(errorIn(getProperty?.stderr ?? '')?.message).toMatch(
    new RegExp(`^Could not get the property: the service answered with ${literally(what)} \\(200 from 127`),
  );
});

function literally(text: string): string {
  return text.replaceAll(/[()]/g, '\\$&');
}

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
