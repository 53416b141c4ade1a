import { expect, test } from 'vitest';
import { behindFront } from './behind-front.ts';
import { endless, lasting } from './wire-cases.ts';

test.each([
  ...lasting.map(({ name, misdeed }) => ['malformed', name, misdeed] as const),
  ...endless.map(({ name, misdeed }) => ['too_large', name, misdeed] as const),
])('what is no answer is %s, at once for a read, and settled for writes: %s', async (code, _, misdeed) => {
  const trouble = { misdeed, commits: true, times: 99 };

  const told = await Promise.all([
    behindFront('listProperties', trouble),
    behindFront('createProperty', trouble),
    behindFront('createInvitation', trouble),
  ]);

  expect(told.map((each) => each.told)).toEqual([
    `1 ${code} after 1 try`,
    '0 after 1 try, done',
    '0 after 1 try, done',
  ]);
});
