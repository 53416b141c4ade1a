import { describe, expect, test } from 'vitest';
import { colourFor } from '../../src/print/paint.ts';

describe('colour detection', () => {
  test.each([
    { because: 'a terminal has colour', isTerminal: true, colour: true },
    { because: 'a pipe has no colour', isTerminal: false, colour: false },
    { because: 'the flag overrides NO_COLOR', flag: 'always', env: { NO_COLOR: '1' }, colour: true },
    { because: 'the flag overrides FORCE_COLOR', flag: 'never', env: { FORCE_COLOR: '1' }, colour: false },
    {
      because: 'auto respects NO_COLOR',
      flag: 'auto',
      env: { NO_COLOR: '1' },
      isTerminal: true,
      colour: false,
    },
    { because: 'auto respects the terminal', flag: 'auto', isTerminal: true, colour: true },
    { because: 'NO_COLOR overrides FORCE_COLOR', env: { NO_COLOR: '1', FORCE_COLOR: '1' }, colour: false },
    { because: 'an empty NO_COLOR is ignored', env: { NO_COLOR: '' }, isTerminal: true, colour: true },
    { because: 'FORCE_COLOR overrides CLICOLOR=0', env: { FORCE_COLOR: '1', CLICOLOR: '0' }, colour: true },
    {
      because: 'FORCE_COLOR=0 overrides CLICOLOR_FORCE',
      env: { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' },
      colour: false,
    },
    {
      because: 'FORCE_COLOR=false disables colour',
      env: { FORCE_COLOR: 'false' },
      isTerminal: true,
      colour: false,
    },
    { because: 'an empty FORCE_COLOR is ignored', env: { FORCE_COLOR: '' }, colour: false },
    {
      because: 'CLICOLOR_FORCE overrides CLICOLOR=0',
      env: { CLICOLOR_FORCE: '1', CLICOLOR: '0' },
      colour: true,
    },
    {
      because: 'CLICOLOR_FORCE=0 is ignored',
      env: { CLICOLOR_FORCE: '0' },
      isTerminal: true,
      colour: true,
    },
    { because: 'CLICOLOR=0 disables colour', env: { CLICOLOR: '0' }, isTerminal: true, colour: false },
    { because: 'a dumb terminal has no colour', env: { TERM: 'dumb' }, isTerminal: true, colour: false },
    {
      because: 'CLICOLOR_FORCE is above a dumb terminal',
      env: { CLICOLOR_FORCE: '1', TERM: 'dumb' },
      colour: true,
    },
  ] as const)('$because', ({ colour, ...question }) => {
    expect(colourFor({ flag: undefined, env: {}, isTerminal: false, ...question })).toBe(colour);
  });
});
