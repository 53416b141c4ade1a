import { expect, test } from 'vitest';
import { behindFront } from './behind-front.ts';
import { endless, lasting } from './wire-cases.ts';

test.each([
  ...lasting.map(({ name, misdeed }) => ['malformed after 2 tries', name, misdeed] as const),
  // With pages of 100, 50, 25, 12, 6, 3 and 1.
  ...endless.map(({ name, misdeed }) => ['too_large after 7 tries', name, misdeed] as const),
])('what is no answer is %s to a read, and settled for a write: %s', async (told, _, misdeed) => {
  const trouble = { misdeed, commits: true, times: 99 };

  const fared = await Promise.all([
    behindFront('listProperties', trouble),
    behindFront('createInvitation', trouble),
  ]);

  expect(fared.map((each) => each.told)).toEqual([`1 ${told}`, '0 after 1 try, done']);
});
