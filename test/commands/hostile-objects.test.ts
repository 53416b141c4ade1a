import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';

/** What JSON allows in place of a text, and no conversion to a text survives. */
const object = { toString: 1 };

const urls = { identity_url: 'https://identity.example.com', base_url: 'https://api.example.com' };

/** A service may refuse one; the program itself goes on as with any other wrong value. */
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
])('%s: an object in place of a text is no fault of the program', async (line, value, exitCode, said) => {
  const run = await cli(line, { stdin: JSON.stringify(value) });

  expect(run.stderr).toMatch(said);
  expect(run.exitCode).toBe(exitCode);
});
