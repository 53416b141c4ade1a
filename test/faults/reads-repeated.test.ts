import { expect, test } from 'vitest';
import { contractOperations as operations } from '../../src/service/operations.ts';
import { behindFront } from './behind-front.ts';
import { type Misdeed, type WireAnswer, whole } from './front.ts';
import { rows } from './wire-rows.ts';

// The keys of the table are the ids by definition.
const reads = (Object.keys(rows) as (keyof typeof rows)[]).filter((id) => operations[id].safety === 'read');
const lists = reads.filter((id) => id.startsWith('list'));

/** Writes the answer with another body, and a head that says so; `more` are lines of it. */
const bodied =
  (body: string | ((own: string) => string), more = ''): Misdeed =>
  (socket, answer) => {
    const text = typeof body === 'string' ? body : body(answer.body);
    socket.write(whole({ head: `${headOf(answer)}${more}`, body: text }), 'latin1');
  };

/** Without its type, so that the misdeed may say another one. */
const headOf = ({ head }: WireAnswer) => head.replace(/content-type: .*\r\n/i, '');

const unreadable: readonly (readonly [string, Misdeed])[] = [
  ['JSON cut in the middle', bodied((own) => `{"a": ${own.slice(0, -1)}`)],
  ['a page of HTML', bodied('<!doctype html><title>Sign in</title>', 'content-type: text/html\r\n')],
  ['bytes that are no UTF-8', bodied('"\xff\xfe"')],
  ['compressed, unasked', bodied('\x1f\x8b\x08', 'content-encoding: gzip\r\n')],
  ['nothing', bodied('')],
  ['null', bodied('null')],
  ['other JSON', bodied('{"ok":true}')],
  ['a text', bodied('"BER"')],
  [
    'a length that is too short',
    (socket, { head, body }) => socket.write(`${head}content-length: ${body.length - 1}\r\n\r\n${body}`),
  ],
  [
    'two lengths',
    (socket, { head, body }) =>
      socket.write(`${head}content-length: ${body.length}\r\ncontent-length: 1\r\n\r\n${body}`),
  ],
  ['no HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')],
];

test.each(unreadable)(
  '%s in place of the first answer is asked for again, and the right one is printed',
  async (_, misdeed) => {
    const trouble = { commits: true, misdeed };

    const fared = await Promise.all(
      reads.map(async (id) => {
        const [first, never] = await Promise.all([
          behindFront(id, { ...trouble, times: 1 }),
          behindFront(id, { ...trouble, times: 0 }),
        ]);
        return { id, told: first.told, isSame: first.printed === never.printed };
      }),
    );

    expect(fared).toEqual(reads.map((id) => ({ id, told: '0 after 2 tries', isSame: true })));
  },
);

test.each(lists)('%s takes no record for a list', async (id) => {
  const misdeed = bodied('{"id":"BER","email":"ana@example.com"}');

  expect((await behindFront(id, { commits: true, times: 1, misdeed })).told).toBe('0 after 2 tries');
  expect((await behindFront(id, { commits: true, times: 9, misdeed })).told).toBe(
    '1 malformed_answer after 2 tries',
  );
});

test.each(['getProperty', 'getUser', 'getCurrentUser'] as const)(
  '%s takes no list for a record',
  async (id) => {
    const misdeed = bodied('{"count":1,"items":[{"id":"BER"}]}');

    expect((await behindFront(id, { commits: true, times: 1, misdeed })).told).toBe('0 after 2 tries');
  },
);

test.each(['', '<html>', '"3"'])(
  'a count that comes as %j once is told as it is, and as that every time is not told',
  async (body) => {
    const misdeed = bodied(body);

    const [once, always] = await Promise.all([
      behindFront('countProperties', { commits: true, times: 1, misdeed }),
      behindFront('countProperties', { commits: true, times: 99, misdeed }),
    ]);

    expect(once.printed).toBe('{"count":3}\n');
    expect({ told: always.told.slice(0, 18), printed: always.printed }).toEqual({
      told: '1 malformed_answer',
      printed: '',
    });
  },
);

test('a list of properties without content is empty', async () => {
  const misdeed: Misdeed = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');

  const { told, printed } = await behindFront('listProperties', { commits: true, times: 1, misdeed });

  expect([told, JSON.parse(printed)]).toEqual(['0 after 1 try', { count: 0, items: [] }]);
});
