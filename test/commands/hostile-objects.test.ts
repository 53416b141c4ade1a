import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';

/** A JSON object that throws when converted to a string. */
const object = { toString: 1 };

const urls = { identity_url: 'https://identity.example.com', base_url: 'https://api.example.com' };

/** A service may reject it; the program treats it like any other invalid value. */
test.each<[string, unknown, number, RegExp]>([
  [
    'profiles add inn --file -',
    { profile: { ...urls, client_id: 'x' }, client_secret: object },
    2,
    /stdin: client_secret: must be a text/,
  ],
  [
    '--sandbox properties create --file - --no-validate --yes',
    { code: object },
    6,
    /Could not create the property: A value was not accepted/,
  ],
  [
    '--sandbox api POST /api/v1/invitations --input - --yes',
    { email: 'ana@example.com', role: object, properties: [] },
    6,
    /A value was not accepted/,
  ],
  [
    '--sandbox plan -',
    { email: 'ana@example.com', role: 'Housekeeping', properties: ['BER'], extra: { 'ro le': object } },
    0,
    /Plan: 1 to create/,
  ],
])('%s: an object in place of a string causes no internal error', async (line, value, exitCode, message) => {
  const run = await cli(line, { stdin: JSON.stringify(value) });

  expect(run.stderr).toMatch(message);
  expect(run.exitCode).toBe(exitCode);
});
