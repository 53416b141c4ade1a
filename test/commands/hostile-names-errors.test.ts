import { expect, test } from 'vitest';
import { WireFailure } from '../../src/service/retry.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { answering, hostile, nothingWrong, wrongIn } from './hostile-names.ts';

/** The error bodies that a service may send. */
const bodies: readonly [string, unknown, string?][] = [
  ['messages', { messages: [hostile, hostile] }],
  [
    'an error',
    { error: { code: hostile, message: hostile, details: [{ field: hostile, reason: hostile }] } },
  ],
  ['an OAuth error', { error: hostile, error_description: hostile }],
  ['a type', { type: hostile, message: hostile }],
  ['a problem', { type: hostile, title: hostile, detail: hostile, errors: { [hostile]: [hostile] } }],
  ['plain text', hostile, 'text/plain'],
  ['an HTML page', `<html><title>${hostile}</title></html>`, 'text/html'],
  ['a hostile content type', hostile, hostile],
  ['broken JSON', `{"a": "${hostile}`],
  ['a list', [hostile]],
];
const statuses = [200, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503];

/** A read, a create with and without an idempotency key, an update, a deletion, and api. */
const lines = [
  'roles list',
  'properties get BER --debug',
  'invitations create ana@example.com --role Housekeeping --property BER',
  'properties delete BER --confirm BER',
  'users update u-1 --enable --debug',
  'api POST /api/v1/roles -f name=x -i',
];

const headers = {
  location: `https://evil.example/${hostile}`,
  'x-request-id': hostile,
  'retry-after': hostile,
  date: hostile,
  'www-authenticate': hostile,
  'content-encoding': 'identity',
  [`x-${hostile}`]: hostile,
};

const cases = bodies.flatMap(([what, body, type]) =>
  statuses.map((status) => ({ what, body, type, status })),
);

/** Each answer meets a command, every second time as JSON. */
const meetings = cases.map((each, turn) => ({
  ...each,
  line: `${lines[turn % lines.length]}${Math.floor(turn / lines.length) % 2 === 0 ? '' : ' --json'}`,
}));

test.each(meetings)('$status with $what is escaped: $line', async ({ body, type, status, line }) => {
  const connect = answering(() => ({
    status,
    body,
    headers: type === undefined ? headers : { ...headers, 'content-type': type },
  }));

  expect(wrongIn(await cli(`${line} --max-attempts 2`, { env: hotels, connect }))).toEqual(nothingWrong);
});

test.each(['malformed', 'tls', 'dns', 'reset'] as const)('a wire error (%s) is escaped', async (kind) => {
  const connect = async () => ({
    close: async () => {},
    request: async () => {
      throw new WireFailure(kind, hostile, { sent: true });
    },
  });

  for (const flags of ['', '--json', '--debug', '--color always']) {
    const shown = await cli(`roles list ${flags} --max-attempts 1`, { env: hotels, connect });
    expect({ flags, ...wrongIn(shown, flags.includes('always')) }).toEqual({ flags, ...nothingWrong });
  }
});
