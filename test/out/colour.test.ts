import { describe, expect, test } from 'vitest';
import { colourFor } from '../../src/out/paint.ts';

describe('whether there is colour', () => {
  test.each([
    { because: 'a terminal has it', isTerminal: true, colour: true },
    { because: 'a pipe has none', isTerminal: false, colour: false },
    { because: 'the flag is above NO_COLOR', flag: 'always', env: { NO_COLOR: '1' }, colour: true },
    { because: 'the flag is above FORCE_COLOR', flag: 'never', env: { FORCE_COLOR: '1' }, colour: false },
    {
      because: 'auto leaves it to NO_COLOR',
      flag: 'auto',
      env: { NO_COLOR: '1' },
      isTerminal: true,
      colour: false,
    },
    { because: 'auto leaves it to the terminal', flag: 'auto', isTerminal: true, colour: true },
    { because: 'NO_COLOR is above FORCE_COLOR', env: { NO_COLOR: '1', FORCE_COLOR: '1' }, colour: false },
    { because: 'an empty NO_COLOR says nothing', env: { NO_COLOR: '' }, isTerminal: true, colour: true },
    { because: 'FORCE_COLOR is above CLICOLOR=0', env: { FORCE_COLOR: '1', CLICOLOR: '0' }, colour: true },
    {
      because: 'FORCE_COLOR=0 is above CLICOLOR_FORCE',
      env: { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' },
      colour: false,
    },
    {
      because: 'FORCE_COLOR=false means none',
      env: { FORCE_COLOR: 'false' },
      isTerminal: true,
      colour: false,
    },
    { because: 'an empty FORCE_COLOR says nothing', env: { FORCE_COLOR: '' }, colour: false },
    {
      because: 'CLICOLOR_FORCE is above CLICOLOR=0',
      env: { CLICOLOR_FORCE: '1', CLICOLOR: '0' },
      colour: true,
    },
    {
      because: 'CLICOLOR_FORCE=0 says nothing',
      env: { CLICOLOR_FORCE: '0' },
      isTerminal: true,
      colour: true,
    },
    { because: 'CLICOLOR=0 means none', env: { CLICOLOR: '0' }, isTerminal: true, colour: false },
    { because: 'a dumb terminal has none', env: { TERM: 'dumb' }, isTerminal: true, colour: false },
    {
      because: 'CLICOLOR_FORCE is above a dumb terminal',
      env: { CLICOLOR_FORCE: '1', TERM: 'dumb' },
      colour: true,
    },
  ] as const)('$because', ({ colour, ...question }) => {
    expect(colourFor({ flag: undefined, env: {}, isTerminal: false, ...question })).toBe(colour);
  });
});
