import { expect, test } from 'vitest';
import { colourFor } from '../../src/print/paint.ts';

type Row = [string, Parameters<typeof colourFor>[0]['flag'], Record<string, string>, boolean, boolean];

test.each<Row>([
  ['a terminal has colour', undefined, {}, true, true],
  ['a pipe has no colour', undefined, {}, false, false],
  ['the flag overrides NO_COLOR', 'always', { NO_COLOR: '1' }, false, true],
  ['the flag overrides FORCE_COLOR', 'never', { FORCE_COLOR: '1' }, false, false],
  ['auto respects NO_COLOR', 'auto', { NO_COLOR: '1' }, true, false],
  ['auto respects the terminal', 'auto', {}, true, true],
  ['NO_COLOR overrides FORCE_COLOR', undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  ['an empty NO_COLOR is ignored', undefined, { NO_COLOR: '' }, true, true],
  ['FORCE_COLOR overrides CLICOLOR=0', undefined, { FORCE_COLOR: '1', CLICOLOR: '0' }, false, true],
  [
    'FORCE_COLOR=0 overrides CLICOLOR_FORCE',
    undefined,
    { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' },
    false,
    false,
  ],
  ['FORCE_COLOR=false disables colour', undefined, { FORCE_COLOR: 'false' }, true, false],
  ['an empty FORCE_COLOR is ignored', undefined, { FORCE_COLOR: '' }, false, false],
  ['CLICOLOR_FORCE overrides CLICOLOR=0', undefined, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, false, true],
  ['CLICOLOR_FORCE=0 is ignored', undefined, { CLICOLOR_FORCE: '0' }, true, true],
  ['CLICOLOR=0 disables colour', undefined, { CLICOLOR: '0' }, true, false],
  ['a dumb terminal has no colour', undefined, { TERM: 'dumb' }, true, false],
  ['CLICOLOR_FORCE is above a dumb terminal', undefined, { CLICOLOR_FORCE: '1', TERM: 'dumb' }, false, true],
])('%s', (_, flag, env, isTerminal, colour) => {
  expect(colourFor({ flag, env, isTerminal })).toBe(colour);
});
