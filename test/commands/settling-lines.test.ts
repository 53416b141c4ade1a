import { expect, test } from 'vitest';
import { lookingLine, type ServiceChoice, serviceLine, settlingOf } from '../../src/change/lines.ts';
import type { Session } from '../../src/session/session.ts';

test.each<[ServiceChoice & { readonly json?: true }, string]>([
  [{}, 'innctl users get ana'],
  [{ profile: 'chain', json: true }, 'innctl --profile chain --json users get ana'],
  [{ sandbox: true, profile: 'chain', json: true }, 'innctl --sandbox --json users get ana'],
])('with %j the hint for an unknown outcome is %s', (globals, line) => {
  expect(lookingLine(globals, 'users', 'get', 'ana')).toBe(line);
  expect(serviceLine(globals, 'users', 'get', 'ana')).toBe(line.replace(' --json', ''));
});

test.each([
  ['BER', 'innctl --sandbox properties get BER'],
  ['-BER', 'innctl --sandbox properties get -- -BER'],
])('the hint after removing a field of property %s is %s', (id, line) => {
  // Only the command line and the service of the session are used.
  const session = {
    context: { argv: ['properties', 'update'] },
    globals: { sandbox: true },
  } as unknown as Session;

  expect(settlingOf([{ op: 'remove', path: '/taxId' }], false, session, 'properties get', id)).toMatchObject({
    line,
  });
});
