import { expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import { text } from '../helpers/arbitrary.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { fc } from '../helpers/laws.ts';

/** Encodings in which a response may echo the token. */
const spellings: readonly ((token: string) => string)[] = [
  (token) => token,
  (token) => encodeURIComponent(token),
  (token) => JSON.stringify(token),
  (token) => JSON.stringify({ token }),
  (token) => Buffer.from(token).toString('base64'),
];

/** Tokens of different lengths, with characters that are special in URLs and regular expressions. */
const token = fc
  .string({ unit: fc.constantFrom(...'azAZ09-._~+/=$&(*'), minLength: 12, maxLength: 90 })
  .map((signs) => `eyJ${signs}`);

const place = fc.constantFrom(
  'id',
  'first_name',
  'email',
  'status',
  'note',
  'message',
  'code',
  'error',
  'title',
);
const filling = fc.oneof(
  text,
  fc.nat(1_050).map((length) => 'x'.repeat(length)),
);
const record = (value: fc.Arbitrary<string>) =>
  fc.dictionary(place, fc.oneof(value, fc.array(value, { maxLength: 2 }), filling), {
    maxKeys: 5,
  });

/** A service that gives the same response to every request. */
function answering(status: number, body: unknown, headers: Readonly<Record<string, string>>): Connect {
  return async () => ({
    request: async () => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      bytes: Buffer.from(JSON.stringify(body)),
    }),
    close: async () => {},
  });
}

const situation = token.chain((plain) =>
  fc.record({
    plain: fc.constant(plain),
    body: record(
      fc
        .tuple(filling, fc.constantFrom(...spellings), filling)
        .map(([before, spell, after]) => before + spell(plain) + after),
    ),
    header: fc.constantFrom(...spellings).map((spell) => spell(plain)),
    isList: fc.boolean(),
    status: fc.constantFrom(200, 200, 200, 302, 400, 401, 403, 404, 409, 422, 500),
    command: fc.constantFrom(
      'users me',
      'users list',
      'properties get BER',
      'api /api/v1/roles',
      'api -i /api/v1/roles',
    ),
    flags: fc.constantFrom(
      '',
      '--json',
      '-o ndjson',
      '-o csv',
      '-o tsv',
      '-o yaml',
      '-q',
      '--debug',
      '--query [*]',
    ),
    columns: fc.option(fc.constantFrom(20, 60, 80, 200), { nil: undefined }),
  }),
);

test('output never contains an echoed token', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ plain, body, header, isList, status, command, flags, columns }) => {
      const answer = isList ? { items: [body, body], count: 2 } : body;
      const headers = {
        location: `https://evil.example/?q=${header}`,
        'x-request-id': header,
        'x-note': header,
      };
      const { stdout, stderr } = await cli(`${command} ${flags}`, {
        env: { ...hotels, INNCTL_TOKEN: plain, INNCTL_MAX_ATTEMPTS: '1' },
        connect: answering(status, answer, headers),
        ...(columns === undefined ? {} : { columns }),
      });

      expect(stderr).not.toContain('This is a bug');
      for (const output of [stdout, stderr]) {
        for (const spell of spellings) expect(output).not.toContain(spell(plain));
      }
    }),
  );
});
