import { expect, test } from 'vitest';
import { lookingLine, type ServiceChoice, serviceLine } from '../../src/commands/lines.ts';

test.each<[ServiceChoice & { readonly json?: true }, string]>([
  [{}, 'innctl users get ana'],
  [{ json: true }, 'innctl --json users get ana'],
  [{ profile: 'my chain' }, "innctl --profile 'my chain' users get ana"],
  [{ profile: 'chain', json: true }, 'innctl --profile chain --json users get ana'],
  [{ sandbox: true, profile: 'chain', json: true }, 'innctl --sandbox --json users get ana'],
])('with %j a look is typed as %s', (globals, line) => {
  expect(lookingLine(globals, 'users', 'get', 'ana')).toBe(line);
  expect(serviceLine(globals, 'users', 'get', 'ana')).toBe(line.replace(' --json', ''));
});
